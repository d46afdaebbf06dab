# SPDX-License-Identifier: Apache-2.0
"""What is different from the plan, as people would say it: one finding for one thing that somebody did or that broke.

Evidence shows where cables are, not how they came there. Two cables that are each in the other's switch are told as
exchanged, since one slip explains both; where other explanations fit as well, a finding lists them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flathood.cabling.picture import ABSENT, DARK, Nic, Picture, Places
from flathood.cabling.relabel import relabelling
from flathood.spec import Cluster
from flathood.spec.known import several

#: Findings that say which cables are where they should not be.
MISPLACED = ("exchanged-cables", "exchanged-slots", "exchanged-nodes", "wrong-switch", "extra-cable")


@dataclass(frozen=True)
class Finding:
    """One difference: what it is, of which NICs, switches, machines or MACs, in words, and what to do.

    ``seen`` has, for each NIC of ``nics``, the place where it is. ``alternatives`` are other explanations that this
    evidence cannot tell from the one that is told.
    """

    kind: str
    text: str
    do: str
    nics: tuple[Nic, ...] = ()
    seen: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the finding as a line of a report."""
        return f"{self.text}: {self.do}" if self.do else self.text

    def data(self) -> dict[str, object]:
        """The finding, ready for JSON."""
        return {
            "kind": self.kind,
            "text": self.text,
            "do": self.do,
            "nics": [str(nic) for nic in self.nics],
            "seen": list(self.seen),
            "names": list(self.names),
            "alternatives": list(self.alternatives),
        }


def words(places: Iterable[str]) -> str:
    """Places in a sentence.

    >>> words(["red"]), words(["blue", "red"])
    ('red', 'blue or red')
    """
    return " or ".join(sorted(places))


class Search:
    """Goes from what explains most to what explains one NIC; each NIC is in one finding about its place."""

    def __init__(self, cluster: Cluster, planned: Mapping[Nic, str], picture: Picture) -> None:
        self._cluster, self._planned, self._picture = cluster, planned, picture
        self.found: list[Finding] = []
        #: Where each switch's label is, for switches whose labels or places have been exchanged: planned → seen.
        self.renamed = relabelling(cluster.switch_names, planned, picture)
        #: Switches without power, by their names in the plan.
        self.dead: set[str] = set()
        self.wrong = self._wrong()

    def run(self) -> list[Finding]:
        """All findings, the widest first."""
        self.found += self._switches()
        dark, self.dead = self._dark_switches()
        left = dict(self.wrong)
        for search in (self._nodes, self._slots, self._cables, self._single):
            for finding in search(left):
                self.found.append(finding)
                for nic in finding.nics:
                    left.pop(nic, None)
        self.found += [*dark, *self._dark_nics(), *self._machines()]
        return self.found

    def target(self, nic: Nic) -> str | None:
        """Where a NIC should be, by the names that the switches bear now."""
        switch = self._planned.get(nic)
        return self.renamed.get(switch, switch) if switch is not None else None

    def _wrong(self) -> dict[Nic, Places]:
        """NICs that have a carrier and are surely not where they should be."""
        off = frozenset({DARK, ABSENT})
        return {
            nic: places
            for nic, places in self._picture.places.items()
            if not places & off and self.target(nic) not in places
        }

    def _switches(self) -> Iterator[Finding]:
        for cycle in _cycles(self.renamed):
            yield Finding(
                "exchanged-switches",
                f"the switches {several(cycle)} are exchanged as a whole",
                "exchange their labels, or adopt the wiring as found; no cable has to be moved",
                names=tuple(cycle),
                alternatives=("all their cables are exchanged", "their labels are exchanged"),
            )
        for switches in self._picture.joined:
            yield Finding(
                "joined",
                f"the switches {several(sorted(switches))} are joined by a stray cable",
                "pull the cable between them (with the uplink they form a loop)",
                names=tuple(sorted(switches)),
            )
        for switch in self._picture.cut:
            yield Finding(
                "cut-off",
                f"switch {switch} has no working cable to the uplink switch {self._cluster.uplink.name}",
                "check that cable at both ends, then replace it",
                names=(switch,),
            )

    def _dark_switches(self) -> tuple[list[Finding], set[str]]:
        """Switches none of whose cables has a carrier, and their names by plan."""
        picture = self._picture
        found: list[Finding] = []
        homes: dict[str, list[Nic]] = defaultdict(list)
        for nic, switch in self._planned.items():
            homes[switch].append(nic)
        alive = {place for places in picture.places.values() if len(places) == 1 for place in places}
        dead: set[str] = set()
        for switch, nics in homes.items():
            label = self.renamed.get(switch, switch)
            dark = [nic for nic in nics if picture.one(nic) == DARK]
            known = [nic for nic in nics if nic in picture.places]
            if len(dark) > 1 and 2 * len(dark) > len(known) and label not in alive:
                dead.add(switch)
                found.append(
                    Finding(
                        "dark-switch",
                        f"no cable of switch {label} has a carrier ({len(dark)} NICs)",
                        "check its power",
                        names=(label,),
                        alternatives=(f"all {len(dark)} cables are dead or pulled out",),
                    )
                )
        return found, dead

    def _dark_nics(self) -> Iterator[Finding]:
        """NICs without a carrier or without a sign of life, but for those that a dark switch explains."""
        picture = self._picture
        for nic in sorted(picture.places):
            place, planned = picture.one(nic), self._planned.get(nic)
            if planned is None or place not in (DARK, ABSENT) or (place == DARK and planned in self.dead):
                continue
            label = self.renamed.get(planned, planned)
            if place == ABSENT:
                text, do = "is not in the machine any more", "seat or replace the card"
                alternatives: tuple[str, ...] = ("the card is loose", "the card is broken", "its driver is missing")
            else:
                text, do = f"has no carrier, its cable should be in {label}", "plug the cable at both ends, else "
                do += "replace the cable, then the NIC"
                alternatives = ("the cable is pulled out", "the cable is broken", "the NIC is broken")
                alternatives += (f"the port of {label} is broken",)
            yield Finding(
                "dark" if place == DARK else "absent",
                f"{nic.machine}: {nic.device} (slot {nic.slot}) {text}",
                do,
                nics=(nic,),
                seen=(place or "",),
                alternatives=alternatives,
            )

    def _nodes(self, left: Mapping[Nic, Places]) -> Iterator[Finding]:
        """Pairs of nodes each of which has the other's cables, all in their slots."""
        rows: dict[str, list[Nic]] = defaultdict(list)
        for nic in self._planned:
            rows[nic.machine].append(nic)
        by_row: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
        for machine, nics in rows.items():
            by_row[tuple(self.target(nic) for nic in nics)].append(machine)
        seen = {machine: tuple(self._picture.one(nic) for nic in nics) for machine, nics in rows.items()}
        done: set[str] = set()
        for machine in dict.fromkeys(nic.machine for nic in left):
            mine = tuple(self.target(nic) for nic in rows[machine])
            others = [one for one in by_row.get(seen.get(machine, ()), ()) if seen[one] == mine and one != machine]
            if len(others) != 1 or {machine, *others} & done:
                continue
            other = others[0]
            moved = [nic for one in (machine, other) for nic in rows[one] if nic in left]
            if len(moved) < 4:  # one cable each: two exchanged cables are as good an explanation
                continue
            done |= {machine, other}
            yield Finding(
                "exchanged-nodes",
                f"{machine} and {other} are exchanged: each has the other's cables",
                "exchange the machines, or their names in macs.yml, or their cables",
                nics=tuple(moved),
                seen=tuple(words(left[nic]) for nic in moved),
                names=(machine, other),
                alternatives=("the machines stand in each other's place", "all their cables are exchanged"),
            )

    def _slots(self, left: Mapping[Nic, Places]) -> Iterator[Finding]:
        """Two NICs of one machine that are each in the other's switch."""
        by_machine: dict[str, list[Nic]] = defaultdict(list)
        for nic in left:
            by_machine[nic.machine].append(nic)
        for machine, nics in by_machine.items():
            for one, other in self._pairs(nics, left):
                yield Finding(
                    "exchanged-slots",
                    f"{machine}: the cables of {one.device} and {other.device} are exchanged",
                    "exchange them at the machine, or adopt the wiring as found: it is on the same switches",
                    nics=(one, other),
                    seen=(words(left[one]), words(left[other])),
                    names=(machine,),
                    alternatives=("the two NICs are exchanged", "macs.yml has their MACs in the wrong order"),
                )

    def _cables(self, left: Mapping[Nic, Places]) -> Iterator[Finding]:
        """NICs of two switches that are each in the other's: a pair, or several with nothing to tell who with whom."""
        between: dict[tuple[str, str], list[Nic]] = defaultdict(list)
        for nic in left:
            place, target = self._picture.one(nic), self.target(nic)
            if place is not None and target is not None:
                between[target, place].append(nic)
        for (target, place), there in sorted(between.items()):
            back = between.get((place, target), [])
            if not back or target > place:
                continue
            nics = tuple(sorted([*there, *back]))
            if len(nics) == 2:
                text = f"the cables of {nics[0]} and {nics[1]} are exchanged"
                others: tuple[str, ...] = ("each of them is in a wrong switch for a reason of its own",)
            else:
                text = f"cables of {target} and {place} are exchanged: {several(map(str, there), shown=9)} "
                text += f"in {place}, {several(map(str, back), shown=9)} in {target}"
                others = ("any of the one with any of the other: all pairings look the same",)
            yield Finding(
                "exchanged-cables",
                text,
                "exchange them at the switches",
                nics=nics,
                seen=tuple(words(left[nic]) for nic in nics),
                names=(target, place),
                alternatives=others,
            )

    def _single(self, left: Mapping[Nic, Places]) -> Iterator[Finding]:
        for nic, places in list(left.items()):
            target = self.target(nic)
            if target is None:
                kind, do = "extra-cable", "pull it out: the plan has no cable there"
                text = f"{nic.machine}: a cable goes from {nic.device} to {words(places)}"
            else:
                kind, do = "wrong-switch", f"plug it into {target}"
                text = f"{nic.machine}: the cable of {nic.device} is in {words(places)}, not in {target}"
            yield Finding(kind, text, do, nics=(nic,), seen=(words(places),))

    def _pairs(self, nics: Sequence[Nic], left: Mapping[Nic, Places]) -> Iterator[tuple[Nic, Nic]]:
        free = list(nics)
        while free:
            one = free.pop(0)
            for other in free:
                mine, its = self.target(one), self.target(other)
                if mine and its and left[one] == {its} and left[other] == {mine}:
                    free.remove(other)
                    yield one, other
                    break

    def _machines(self) -> Iterator[Finding]:
        """What the machines' own words show: other MACs, MACs that are there twice, NICs in other machines."""
        picture = self._picture
        for mac, owners in sorted(picture.twice.items()):
            text = f"{mac} is the MAC of {several(owners)}"
            do = "give one of them another (ip link set address), or replace it: switches send its frames to either"
            yield Finding("duplicate-mac", text, do, names=(mac, *owners))
        for other in picture.other_macs:
            if other.found in picture.twice:
                continue  # told above
            expected = other.expected or "no MAC"
            text = f"{other.nic.machine}: {other.nic.device} has {other.found}, macs.yml has {expected} for its slot"
            yield Finding("other-mac", text, "correct macs.yml if the NIC was exchanged", (other.nic,), (other.found,))
        for nic, machine in sorted(picture.moved.items()):
            text = f"the NIC that macs.yml has in slot {nic.slot} of {nic.machine} is in {machine}"
            yield Finding("moved-nic", text, "put it back, or correct macs.yml", (nic,), names=(machine,))
        for stranger in picture.strangers:
            where = f"in {stranger.machine}" if stranger.machine else f"on {words(stranger.places)}"
            text = f"{stranger.mac} {where} is in no file"
            yield Finding("unknown-machine", text, "find out whose it is, or add it to macs.yml", names=(stranger.mac,))
        for nic, switches in sorted(picture.flapping.items()):
            text = f"{nic.machine}: the carrier of {nic.device} went with more than one switch ({', '.join(switches)})"
            yield Finding("flapping", text, "check the cable for a loose plug", (nic,), switches)
        for nic in picture.one_way:
            text = f"{nic.machine}: {nic.device} hears others and nobody hears it"
            yield Finding("one-way", text, "replace its cable, then the NIC", (nic,))


def _cycles(renamed: Mapping[str, str]) -> list[list[str]]:
    """The cycles of a permutation, the fixed points left out."""
    cycles, done = [], set()
    for start in renamed:
        cycle: list[str] = []
        at = start
        while at not in done:
            done.add(at)
            cycle.append(at)
            at = renamed[at]
        if len(cycle) > 1:
            cycles.append(cycle)
    return cycles
