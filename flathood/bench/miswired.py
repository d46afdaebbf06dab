# SPDX-License-Identifier: Apache-2.0
"""Clusters with cables that are not where they should be, the evidence that they would give, and the truth about them.

A world is built from the plan and broken at random. Its evidence is what its machines and switches would say; its facts
are worked out from the world itself and share no code with the audit that is to find them.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from flathood.cabling.evidence import (
    Carriers,
    Change,
    Evidence,
    Flip,
    Frames,
    Learnt,
    MachineWord,
    NicWord,
    Period,
    Reading,
    Tables,
    wiring_digest,
)
from flathood.inventory import Inventory
from flathood.registry.model import macs_of

#: Kinds of faults that a world can have.
KINDS = (
    "swap", "slots", "nodes", "wrong-switch", "dead-cable", "dead-nic", "duplicate-mac", "other-mac", "stranger",
    "dead-switch", "switches", "joined", "cut",
)  # fmt: skip
#: Faults that concern whole switches: each at most once, on switches of their own, so that each can be told.
WHOLE = frozenset({"dead-switch", "switches", "joined", "cut"})
_BEGIN = datetime(2026, 3, 1, 12, tzinfo=UTC)
_EVERY = 30.0  # seconds from one flip to the next
_DARK_FOR = 8.0

Port = tuple[str, int]  # machine and slot
Fact = tuple[object, ...]


@dataclass(frozen=True)
class Fault:
    """One thing that went wrong, and what with: NICs, switches, machines."""

    kind: str
    nics: tuple[Port, ...] = ()
    names: tuple[str, ...] = ()


@dataclass
class World:
    """What is really there. Switches are known by their place; `label` is what the box there has written on it."""

    inventory: Inventory
    random: random.Random
    planned: dict[Port, str] = field(default_factory=dict)
    cable: dict[Port, str] = field(default_factory=dict)
    mac: dict[Port, str] = field(default_factory=dict)
    label: dict[str, str] = field(default_factory=dict)
    dead_cables: set[Port] = field(default_factory=set)
    dead_nics: set[Port] = field(default_factory=set)
    dead_switches: set[str] = field(default_factory=set)
    joined: list[tuple[str, str]] = field(default_factory=list)
    cut: set[str] = field(default_factory=set)
    strangers: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)

    @classmethod
    def of(cls, inventory: Inventory, seed: int) -> World:
        """A world where everything is as planned."""
        world = cls(inventory, random.Random(seed))  # noqa: S311 - trials that can be repeated
        cluster = inventory.cluster
        for node, slots in inventory.wiring.nodes.items():
            world.cable |= {(node, slot): switch for slot, switch in enumerate(slots) if switch is not None}
        world.cable |= {(name, 0): cluster.uplink.name for name in (*cluster.spare_names, cluster.head.name)}
        for name in (*cluster.nic_counts, cluster.head.name):
            world.mac |= {(name, slot): mac for slot, mac in enumerate(macs_of(inventory.registry, name)) if mac}
        world.label = {name: name for name in (*cluster.switch_names, cluster.uplink.name)}
        world.planned = dict(world.cable)
        return world

    def alive(self, port: Port) -> bool:
        """Whether a NIC has a carrier."""
        return (
            port in self.cable
            and port not in self.dead_cables | self.dead_nics
            and self.cable[port] not in self.dead_switches
        )

    def facts(self) -> set[Fact]:
        """What an audit must find, no less and no more."""
        facts: set[Fact] = set()
        for port, planned in self.planned.items():
            if port in self.dead_nics:
                facts.add(("absent", port))
            elif not self.alive(port):
                if planned not in self.dead_switches:
                    facts.add(("dark", port))
            elif self.cable[port] != planned:
                facts.add(("place", port, self.label[self.cable[port]]))
        facts |= {("dark-switch", frozenset({self.label[switch]})) for switch in self.dead_switches}
        facts |= {("joined", frozenset(map(self.label.__getitem__, pair))) for pair in self.joined}
        facts |= {("cut-off", frozenset({self.label[switch]})) for switch in self.cut}
        moved = {name for name, label in self.label.items() if name != label}
        if moved:
            facts.add(("exchanged-switches", frozenset(moved)))
        owners: dict[str, list[Port]] = defaultdict(list)
        for port, mac in self.mac.items():
            if port not in self.dead_nics:
                owners[mac].append(port)
        facts |= {("duplicate-mac", mac) for mac, ports in owners.items() if len(ports) > 1}
        for fault in self.faults:
            if fault.kind == "other-mac":
                facts.add(("other-mac", fault.nics[0], self.mac[fault.nics[0]]))
        facts |= {("unknown-machine", mac) for mac in self.strangers}
        return facts

    def evidence(self, kinds: Iterable[str]) -> Evidence:
        """What the machines, switches and people of this world would say."""
        kinds = set(kinds)
        cluster = self.inventory.cluster
        clocks = {name: round(self.random.uniform(-900, 900), 3) for name in (*cluster.nic_counts, cluster.head.name)}
        words = {
            name: MachineWord(
                nics=tuple(
                    NicWord(device=f"eth{slot}", mac=self.mac[name, slot], carrier=self.alive((name, slot)))
                    for slot in self._slots(name)
                ),
                clock=clocks[name],
                doubt=0.05,
            )
            for name in clocks
        }
        carriers = self._carriers(clocks) if "carriers" in kinds else None
        return Evidence(
            flathood_evidence=1,
            cluster=cluster.cluster,
            taken=Period(begin=_BEGIN, end=_BEGIN + timedelta(seconds=_EVERY * (len(self.label) + 1))),
            wiring=wiring_digest(self.inventory.wiring),
            machines=words,
            carriers=carriers,
            frames=(self._frames(uplink=False), self._frames(uplink=True)) if "frames" in kinds else (),
            tables=self._tables() if "tables" in kinds else None,
            people=self._people() if "people" in kinds else (),
        )

    def _slots(self, name: str) -> list[int]:
        return sorted(slot for machine, slot in self.mac if machine == name and (name, slot) not in self.dead_nics)

    def _carriers(self, clocks: dict[str, float]) -> Carriers:
        """Every neighborhood switch flipped once; each NIC on it notes it within a second, by its machine's clock."""
        flips, changes = [], []
        uplink = self.inventory.cluster.uplink.name
        for number, place in enumerate(sorted(set(self.label) - {uplink})):
            off = _BEGIN.timestamp() + _EVERY * (number + 1)
            flips.append(Flip(switch=self.label[place], off=off, on=off + _DARK_FOR))
            for machine, slot in self.cable:
                if self.cable[machine, slot] == place and self.alive((machine, slot)):
                    for moment, up in ((off, False), (off + _DARK_FOR, True)):
                        at = round(moment + self.random.uniform(0, 1) + clocks[machine], 3)
                        changes.append(Change(machine=machine, device=f"eth{slot}", at=at, up=up))
        return Carriers(flips=tuple(flips), changes=tuple(changes))

    def _frames(self, uplink: bool) -> Frames:
        """Every NIC hears every other one in its broadcast domain, and its own probe not."""
        name = self.inventory.cluster.uplink.name
        domain = {place: frozenset({place}) for place in self.label}
        links = list(self.joined)
        if uplink:
            links += [(place, name) for place in domain if place not in self.cut | self.dead_switches | {name}]
        for one, other in links:
            whole = domain[one] | domain[other]
            for place in whole:
                domain[place] = whole
        members: dict[frozenset[str], list[str]] = defaultdict(list)
        by_port = {port: domain[place] for port, place in self.cable.items() if self.alive(port)}
        for (machine, slot), whole in by_port.items():
            if uplink or self.cable[machine, slot] != name:
                members[whole].append(f"{machine}/eth{slot}")
        numbers = {whole: number for number, whole in enumerate(members)}
        by = {device: numbers[whole] for whole, devices in members.items() for device in devices}
        return Frames(uplink=uplink, heard=tuple(tuple(sorted(devices)) for devices in members.values()), by=by)

    def _tables(self) -> Tables:
        """Each switch's own ports, its uplink port with what lies beyond, and the port of a stray cable."""
        uplink = self.inventory.cluster.uplink.name
        own: dict[str, list[str]] = defaultdict(list)
        for port, place in self.cable.items():
            if self.alive(port):
                own[place].append(self.mac[port])
        for mac, place in self.strangers.items():
            own[place].append(mac)
        joined_to = {one: other for pair in self.joined for one, other in (pair, pair[::-1])}
        tables: dict[str, tuple[Learnt, ...]] = {}
        for place, label in self.label.items():
            entries = [Learnt(mac=mac, port=str(number)) for number, mac in enumerate(own[place], start=1)]
            if place in joined_to:
                entries += [Learnt(mac=mac, port="stray") for mac in own[joined_to[place]]]
            for other in self.label:
                linked = not {place, other} & (self.cut | self.dead_switches) and other != joined_to.get(place)
                if other != place and linked:
                    way = "up" if place != uplink else f"to {other}"
                    entries += [Learnt(mac=mac, port=way) for mac in own[other]]
            tables[label] = tuple(entries) if place not in self.dead_switches else ()
        ways = {label: ("up",) for place, label in self.label.items() if place != uplink}
        return Tables(switches=tables, uplinks=ways | {uplink: tuple(f"to {place}" for place in self.label)})

    def _people(self) -> tuple[Reading, ...]:
        nodes = self.inventory.wiring.nodes
        return tuple(
            Reading(node=machine, slot=slot, switch=self.label[place])
            for (machine, slot), place in self.cable.items()
            if machine in nodes
        )
