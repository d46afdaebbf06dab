# SPDX-License-Identifier: Apache-2.0
"""Several kinds of evidence become one as-is picture; where they disagree, the picture says so.

Each kind names, for a NIC, the places that it cannot tell apart (`claims`); all kinds together leave what every one of
them allows. Evidence of another cluster is refused; what is old, contradictory or missing is a warning, and the
picture covers what is left.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta

from flathood.cabling.claims import Claims, carrier_claims, lldp_claims, people_claims, table_claims
from flathood.cabling.domains import cut_off, name, partition
from flathood.cabling.evidence import Evidence, Frames, wiring_digest
from flathood.cabling.identify import MACHINES, Identified, identify
from flathood.cabling.picture import ABSENT, DARK, Nic, Picture, Places, Stranger, combine
from flathood.errors import InvalidInput, Problem
from flathood.registry.model import Registry
from flathood.spec import Cluster
from flathood.spec.known import several
from flathood.wiring.model import Wiring

#: Evidence gathered further apart than this may show two different cablings.
_APART = timedelta(hours=1)
#: Seconds that a machine's clock may be off before it is worth telling; matching takes the difference into account.
_CLOCK = 60.0

Files = Mapping[str, Evidence]


def planned_nics(cluster: Cluster, wiring: Wiring) -> dict[Nic, str]:
    """Where each cable should end: the nodes' by the wiring, those of spares and head in the uplink switch."""
    planned = {
        Nic(node, slot): switch
        for node in cluster.node_names
        for slot, switch in enumerate(wiring.nodes[node])
        if switch is not None
    }
    return planned | {Nic(name, 0): cluster.uplink.name for name in (*cluster.spare_names, cluster.head.name)}


def fuse(cluster: Cluster, wiring: Wiring, registry: Registry, files: Files) -> Picture:
    """The picture that all files together give; `files` is evidence by file name.

    Raises InvalidInput when a file is of another cluster.
    """
    _same_cluster(cluster, files)
    slots = {**cluster.nic_counts, cluster.head.name: 1}
    evidences = sorted(files.values(), key=lambda evidence: evidence.taken.end)
    found = identify(registry, evidences, slots)
    fusion = _Fusion(cluster, planned_nics(cluster, wiring), found)
    fusion.picture.warnings += _doubts(wiring, files)
    fusion.picture.notes += [*_clocks(found), *_relayed(found)]
    for evidence in evidences:
        fusion.direct(evidence)
    rounds = [frames for evidence in evidences for frames in evidence.frames]
    fusion.probes([frames for frames in rounds if not frames.uplink])
    fusion.settle()
    fusion.uplinks([frames for frames in rounds if frames.uplink])
    fusion.picture.kinds = tuple(dict.fromkeys(kind for evidence in evidences for kind in evidence.kinds))
    return fusion.picture


class _Fusion:
    """The picture while it grows: first what names switches, then the probes, then all of it together."""

    def __init__(self, cluster: Cluster, planned: Mapping[Nic, str], found: Identified) -> None:
        self._cluster, self._planned, self._found = cluster, planned, found
        self._told: dict[Nic, dict[str, Places]] = defaultdict(dict)
        for nic, places in found.own.items():
            self._told[nic][MACHINES] = places
        self.picture = Picture(
            strangers=list(found.strangers),
            other_macs=found.other_macs,
            moved=found.moved,
            twice=found.twice,
            silent=found.silent,
        )

    def direct(self, evidence: Evidence) -> None:
        """Take the kinds that name switches."""
        if evidence.carriers:
            self._take("carriers", carrier_claims(self._cluster, self._found, evidence))
        if evidence.tables:
            self._take("tables", table_claims(self._cluster, self._found, evidence.tables))
        if evidence.lldp:
            self._take("lldp", lldp_claims(self._cluster, self._found, evidence))
        if evidence.people:
            self._take("people", people_claims(self._cluster, evidence.people))

    def probes(self, rounds: Sequence[Frames]) -> None:
        """Name the domains that probes show while the uplink switch is off, by what the other kinds say."""
        others = {nic: combine(kinds)[0] for nic, kinds in self._told.items()}

        def said(nic: Nic) -> str | None:
            places = others.get(nic, frozenset())
            return next(iter(places)) if len(places) == 1 else None

        for frames in rounds:
            domains = partition(frames, self._found)
            self.picture.one_way += domains.one_way
            uplink = self._cluster.uplink.name
            places, joined = name(domains, self._cluster.switch_names, uplink, self._planned, said)
            self._take("frames", Claims(of=places, joined=joined))

    def settle(self) -> None:
        """Combine what the kinds say of each NIC, and of each stranger."""
        picture = self.picture
        picture.joined = sorted(set(picture.joined), key=sorted)
        picture.one_way = sorted(set(picture.one_way))
        for nic in sorted(self._told):
            told = self._told[nic]
            places, agree = combine(self._weighed(told))
            picture.told[nic] = dict(told)
            if places:
                picture.places[nic] = places
            if not agree:
                picture.disagreements.append(nic)
        merged: dict[str, Stranger] = {}
        for stranger in picture.strangers:
            before = merged.get(stranger.mac, stranger)
            places = stranger.places | before.places
            merged[stranger.mac] = Stranger(stranger.mac, places, before.machine or stranger.machine)
        picture.strangers = [merged[mac] for mac in sorted(merged)]

    def uplinks(self, rounds: Sequence[Frames]) -> None:
        """Find the switches that are cut off: probes while the uplink switch is on do not get there."""
        switches = self._cluster.switch_names
        for frames in rounds:
            domains = partition(frames, self._found)
            self.picture.one_way += domains.one_way
            self.picture.cut += cut_off(domains, switches, self.picture.one)
        self.picture.one_way = sorted(set(self.picture.one_way))
        self.picture.cut = [switch for switch in switches if switch in self.picture.cut]

    def _take(self, kind: str, claims: Claims) -> None:
        picture = self.picture
        for nic, places in claims.of.items():
            self._told[nic][kind] = places
        picture.joined += claims.joined
        picture.cut += claims.cut
        picture.flapping |= claims.flapping
        picture.strangers += claims.strangers
        picture.warnings += claims.notes

    def _weighed(self, told: Mapping[str, Places]) -> dict[str, Places]:
        """What each kind allows: probes cannot tell joined switches apart, and people see no dead cable."""
        weighed = dict(told)
        for switches in self.picture.joined:
            if "frames" in weighed and weighed["frames"] & switches:
                weighed["frames"] |= switches
        if weighed.get(MACHINES, frozenset()) & {DARK, ABSENT} and "people" in weighed:
            del weighed["people"]
        return weighed


def _same_cluster(cluster: Cluster, files: Files) -> None:
    problems = []
    for file, evidence in files.items():
        if evidence.cluster != cluster.cluster:
            message = f"is evidence of {evidence.cluster!r}, cluster.yml describes {cluster.cluster!r}: wrong file?"
            problems.append(Problem(file, 0, "cluster", message))
    if problems:
        raise InvalidInput(problems)


def _doubts(wiring: Wiring, files: Files) -> list[str]:
    """What makes evidence less than certain, in sentences."""
    doubts: list[str] = []
    digest = wiring_digest(wiring)
    for file, evidence in files.items():
        doubts += evidence.notes
        if evidence.wiring is not None and evidence.wiring != digest:
            doubts.append(
                f"{file}: was gathered on {evidence.taken.end:%Y-%m-%d %H:%M %Z}, when another wiring was planned: if "
                "cables were moved since, gather it anew"
            )
    times = [evidence.taken for evidence in files.values()]
    if times and max(period.end for period in times) - min(period.begin for period in times) > _APART:
        apart = max(period.end for period in times) - min(period.begin for period in times)
        doubts.append(
            f"the evidence was gathered over {apart.total_seconds() / 3600:.1f} hours: cables may have moved meanwhile"
        )
    return doubts


def _relayed(found: Identified) -> list[str]:
    """Machines that were not asked and are judged all the same."""
    names = [name for name, word in found.machines.items() if word.relayed]
    if not names:
        return []
    return [
        f"{several(names)} could not be reached: what neighbors heard of {'it' if len(names) == 1 else 'them'} counts"
    ]


def _clocks(found: Identified) -> list[str]:
    """Clocks that are far off; what their machines recorded is matched with the difference taken off."""
    wrong = [name for name, word in found.machines.items() if abs(word.clock) > _CLOCK]
    if not wrong:
        return []
    most = max(abs(found.machines[name].clock) for name in wrong)
    return [f"the clocks of {several(wrong)} are off by up to {most:,.0f} s; this was allowed for (NTP would mend it)"]
