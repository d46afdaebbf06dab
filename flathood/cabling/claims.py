# SPDX-License-Identifier: Apache-2.0
"""What each kind of evidence says of where a NIC's cable ends: one place, or the places that it cannot tell apart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from flathood.cabling.evidence import Carriers, Evidence, Reading, Tables, device_id
from flathood.cabling.identify import Identified
from flathood.cabling.picture import DARK, Nic, Places, Stranger
from flathood.spec import Cluster

#: Seconds that a carrier may seem to go outside of the noted times, beside what is not certain of the machine's clock.
_SLACK = 0.3
#: Most NICs on one port of a switch: a second MAC means that the port leads to another switch.
_ALONE = 1


@dataclass
class Claims:
    """What one kind says; `joined`: sets of switches that it finds to be one; `notes`: what people should know."""

    of: dict[Nic, Places] = field(default_factory=dict)
    joined: list[Places] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    flapping: dict[Nic, tuple[str, ...]] = field(default_factory=dict)
    strangers: list[Stranger] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def carrier_claims(cluster: Cluster, found: Identified, evidence: Evidence) -> Claims:
    """Which switch's power a NIC's carrier went with.

    A NIC that kept its carrier through all flips is on a switch that was not flipped; the uplink switch is one.
    """
    claims = Claims()
    carriers = evidence.carriers or Carriers(flips=(), changes=())
    everywhere = {*cluster.switch_names, cluster.uplink.name}
    strange = sorted({flip.switch for flip in carriers.flips} - everywhere)
    if strange:
        claims.notes.append(f"carriers: switch {strange[0]!r} was flipped, which cluster.yml does not have")
    flips = [flip for flip in carriers.flips if flip.switch in everywhere]
    unflipped = frozenset(everywhere - {flip.switch for flip in flips})
    fell: dict[str, list[float]] = defaultdict(list)
    for change in carriers.changes:
        if not change.up:
            fell[device_id(change.machine, change.device)].append(change.at)
    for name, word in evidence.machines.items():
        if word.relayed:  # nobody has its record of carriers
            continue
        slack = _SLACK + word.doubt
        close = _closest(flips_between := sorted((flip.off, flip.on) for flip in flips)) if flips else 0.0
        if flips_between and word.doubt and slack > close:
            claims.notes.append(
                f"carriers: {name}'s clock is uncertain by {word.doubt:.0f} s and switches were flipped {close:.0f} s "
                "apart: what it recorded cannot be matched; set its clock (NTP) and flip them anew"
            )
            continue
        for nic in word.nics:
            place = found.by_device.get(device_id(name, nic.device))
            if place is None or nic.carrier is None:
                continue
            times = [at - word.clock for at in fell[device_id(name, nic.device)]]
            with_ = [flip.switch for flip in flips if any(flip.off - slack <= at <= flip.on + slack for at in times)]
            names = tuple(dict.fromkeys(with_))
            if len(names) > 1:
                claims.flapping[place] = names
            if names:
                claims.of[place] = frozenset(names)
            elif not nic.carrier:
                claims.of[place] = frozenset({DARK})
            elif unflipped:
                claims.of[place] = unflipped
    return claims


def _closest(flips: list[tuple[float, float]]) -> float:
    """Seconds between the end of one flip and the beginning of the next, at the least."""
    return min((later[0] - earlier[1] for earlier, later in pairwise(flips)), default=1e9)


def table_claims(cluster: Cluster, found: Identified, tables: Tables) -> Claims:
    """Which switch has learnt a NIC's MAC on a port of its own.

    A port with several MACs leads to another switch: by plan it is the uplink's (and then says nothing of these NICs),
    else a stray cable joins the two. A switch that the uplink switch learns nothing from is cut off.
    """
    claims = Claims()
    everywhere = {*cluster.switch_names, cluster.uplink.name}
    for switch in sorted(tables.switches.keys() - everywhere):
        claims.notes.append(f"tables: switch {switch!r} is not in cluster.yml: its table is left out")
    seen, crowds = _by_port(tables, everywhere)
    for mac, switches in seen.items():
        place = found.by_mac.get(mac)
        if place is not None:
            claims.of[place] = frozenset(switches)
        elif mac not in found.twice and not any(
            mac == stranger.mac and stranger.machine for stranger in found.strangers
        ):
            claims.strangers.append(Stranger(mac, frozenset(switches)))
    for switch, several in crowds.items():
        for macs in several:
            homes = Counter(home for mac in macs for home in seen.get(mac, ()) if home != switch)
            if homes and switch in tables.uplinks:
                claims.joined.append(frozenset({switch, homes.most_common(1)[0][0]}))
    claims.joined = sorted(set(claims.joined), key=sorted)
    claims.cut = _cut(cluster, tables, seen)
    return claims


def _by_port(tables: Tables, everywhere: set[str]) -> tuple[dict[str, set[str]], dict[str, list[set[str]]]]:
    """The switches that have a MAC on a port of its own, and the MACs of each port that leads to another switch."""
    seen: dict[str, set[str]] = defaultdict(set)
    crowds: dict[str, list[set[str]]] = defaultdict(list)
    for switch in sorted(tables.switches.keys() & everywhere):
        ports: dict[str, set[str]] = defaultdict(set)
        for entry in tables.switches[switch]:
            ports[entry.port].add(entry.mac)
        for port, macs in ports.items():
            if port in tables.uplinks.get(switch, ()):
                continue
            if len(macs) > _ALONE:
                crowds[switch].append(macs)
            else:
                seen[next(iter(macs))].add(switch)
    return seen, crowds


def _cut(cluster: Cluster, tables: Tables, seen: dict[str, set[str]]) -> list[str]:
    """Switches of which the uplink switch has learnt no MAC, where its table and theirs are known and not empty."""
    beyond = {entry.mac for entry in tables.switches.get(cluster.uplink.name, ())}
    homes: dict[str, set[str]] = defaultdict(set)
    for mac, switches in seen.items():
        for switch in switches:
            homes[switch].add(mac)
    return [name for name in cluster.switch_names if beyond and homes[name] and not homes[name] & beyond]


def lldp_claims(cluster: Cluster, found: Identified, evidence: Evidence) -> Claims:
    """Which switch announced itself at a NIC; where several did, dumb switches are between, and it may be on any."""
    claims = Claims()
    everywhere = {*cluster.switch_names, cluster.uplink.name}
    for neighbor in evidence.lldp:
        place = found.by_device.get(device_id(neighbor.machine, neighbor.device))
        if neighbor.switch not in everywhere:
            claims.notes.append(f"lldp: switch {neighbor.switch!r} is not in cluster.yml: what it says is left out")
        elif place is not None:
            claims.of[place] = claims.of.get(place, frozenset()) | {neighbor.switch}
    claims.notes = list(dict.fromkeys(claims.notes))
    return claims


def people_claims(cluster: Cluster, readings: Iterable[Reading]) -> Claims:
    """What people read; a colour stands for the switch that has it."""
    claims = Claims()
    names = {switch.colour: switch.name for switch in cluster.switches} | {cluster.uplink.colour: cluster.uplink.name}
    everywhere = {*cluster.switch_names, cluster.uplink.name}
    counts = {**cluster.nic_counts, cluster.head.name: 1}
    for reading in readings:
        text = None if reading.switch is None else reading.switch.strip().lower()
        place = DARK if text is None else names.get(text, text)
        if reading.slot >= counts.get(reading.node, 0):
            claims.notes.append(f"people: {reading.node} slot {reading.slot} is not in cluster.yml: left out")
        elif place != DARK and place not in everywhere:
            claims.notes.append(f"people: {reading.switch!r} is no switch and no colour of cluster.yml: left out")
        else:
            claims.of[Nic(reading.node, reading.slot)] = frozenset({place})
    return claims
