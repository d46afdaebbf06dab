# SPDX-License-Identifier: Apache-2.0
"""Which MAC is in which slot, from the evidence of an audit: for macs.yml, where it has none or is not certain.

Proved (`verified`) is what a machine's own kernel says: as many NICs as the machine has slots, in the order of the bus,
in which labels are counted. That a NIC works, or that its cable is right, is no part of that. Where the kernel cannot
tell, as a NIC is missing or there are more than slots, a NIC that is found on a switch is likely in the slot that is
planned there: it is noted as `seen`, where macs.yml has nothing. Nothing that is verified, or in conflict, is changed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from flathood.cabling.evidence import Evidence, MachineWord
from flathood.cabling.fuse import fuse
from flathood.cabling.picture import Nic as Place
from flathood.inventory import MACS, Inventory, load
from flathood.registry import Nic, Registry, State, save_registry
from flathood.writing import locked

#: What may be written over.
_OPEN = (State.EXPECTED, State.SEEN)
Slots = list[Nic | None]


@dataclass(frozen=True)
class Learnt:
    """The registry with what was learnt in it, how many slots are new in it by state, and what could not be decided."""

    registry: Registry
    verified: int
    seen: int
    notes: tuple[str, ...]

    def __str__(self) -> str:
        """Return how many slots were learnt, in words."""
        return f"macs.yml: {self.verified} slots newly verified, {self.seen} newly seen"

    def data(self) -> dict[str, object]:
        """The counts and notes, ready for JSON."""
        return {"verified": self.verified, "seen": self.seen, "notes": list(self.notes)}


def learn(inventory: Inventory, files: Mapping[str, Evidence]) -> Learnt:
    """What the evidence adds to macs.yml. Raises InvalidInput for evidence of another cluster."""
    work = _Work(inventory, files)
    work.by_kernel()
    work.by_cable()
    return work.done()


def write(inventory: Inventory, files: Mapping[str, Evidence], *, dry: bool = False) -> tuple[Inventory, Learnt, bool]:
    """Write what was learnt to macs.yml, unless `dry`; the inventory with it, and whether bytes changed."""
    path = inventory.directory / MACS
    with locked(path):
        current = replace(inventory, registry=load(inventory.directory, need_macs=False).registry)
        learnt = learn(current, files)
        changed = learnt.registry != current.registry
        if changed and not dry:
            save_registry(path, learnt.registry)
    return replace(current, registry=learnt.registry), learnt, changed


class _Work:
    """The slots of all machines while they are filled: first what is proved, then what is likely."""

    def __init__(self, inventory: Inventory, files: Mapping[str, Evidence]) -> None:
        self._inventory, self._files = inventory, files
        self._counts = {**inventory.cluster.nic_counts, inventory.cluster.head.name: 1}
        self._words: dict[str, MachineWord] = {}
        self._when: dict[str, datetime] = {}
        for evidence in sorted(files.values(), key=lambda each: each.taken.end):
            for name, word in evidence.machines.items():
                # What neighbors passed on can be forged, and is in no order.
                if name in self._counts and not word.relayed:
                    self._words[name], self._when[name] = word, evidence.taken.end
        self._slots: dict[str, Slots] = {name: self._of(name) for name in self._counts}
        reported = Counter(nic.mac for word in self._words.values() for nic in word.nics)
        self._twice = {mac for mac, times in reported.items() if times > 1}
        self._learnt: Counter[State] = Counter()
        self._notes: list[str] = []

    def by_kernel(self) -> None:
        """Machines that have as many NICs as slots: in the kernel's order."""
        for name, word in self._words.items():
            if len(word.nics) != self._counts[name]:
                continue
            here = {nic.mac for nic in word.nics}
            for slot, nic in enumerate(word.nics):
                held = self._slots[name][slot]
                if nic.mac in self._twice or (held is not None and held.mac == nic.mac and held.state not in _OPEN):
                    continue
                if held is not None and held.state not in _OPEN:
                    self._notes.append(
                        f"{name}: slot {slot} is {nic.mac} by its kernel and {held.mac} by macs.yml ({held.state}): "
                        "left as it is; if a NIC was exchanged, remove the old line"
                    )
                elif place := self._settled(nic.mac, Place(name, slot)):
                    self._notes.append(f"{name}: {nic.mac} is in slot {slot} and by macs.yml in {place}: left as it is")
                else:
                    self._put(Place(name, slot), nic.mac, State.VERIFIED)
            for slot, held in enumerate(self._slots[name]):
                # What was only likely is not in two slots now.
                if held and held.state in _OPEN and held.mac in here and held.mac != word.nics[slot].mac:
                    self._slots[name][slot] = None

    def by_cable(self) -> None:
        """Machines whose slots are open still: a NIC is in the slot that is planned on the switch that it is on."""
        free = {name: self._free(name) for name in self._words}
        asked = {name: nics for name, nics in free.items() if nics and len(nics) <= len(self._empty(name))}
        if not asked:
            return
        # To be found at all, each NIC gets some empty slot; where it is found tells which one it is in.
        trial = {name: list(slots) for name, slots in self._slots.items()}
        for name, macs in asked.items():
            for slot, mac in zip(self._empty(name), macs, strict=False):
                trial[name][slot] = Nic(mac=mac)
        picture = fuse(self._inventory.cluster, self._inventory.wiring, self._registry(trial), self._files)
        for name, macs in asked.items():
            found = {mac: picture.one(Place(name, slot)) for slot, mac in zip(self._empty(name), macs, strict=False)}
            planned = self._inventory.wiring.nodes.get(name, ())
            homes = {planned[slot]: slot for slot in self._empty(name) if slot < len(planned) and planned[slot]}
            uses = Counter(found.values())
            for mac, switch in found.items():
                if switch in homes and uses[switch] == 1:
                    self._put(Place(name, homes[switch]), mac, State.SEEN)

    def done(self) -> Learnt:
        """The registry that came of it."""
        learnt = self._learnt
        return Learnt(self._registry(self._slots), learnt[State.VERIFIED], learnt[State.SEEN], tuple(self._notes))

    def _of(self, name: str) -> Slots:
        held = self._inventory.registry.nodes.get(name, ())
        return [*held, *[None] * (self._counts[name] - len(held))]

    def _empty(self, name: str) -> list[int]:
        return [slot for slot, nic in enumerate(self._slots[name]) if nic is None]

    def _free(self, name: str) -> list[str]:
        """The MACs of a machine's NICs that no slot has, of any machine."""
        held = {nic.mac for slots in self._slots.values() for nic in slots if nic is not None}
        return [nic.mac for nic in self._words[name].nics if nic.mac not in held | self._twice]

    def _settled(self, mac: str, place: Place) -> str:
        """Where else a MAC is in macs.yml and stays: in another machine, or for certain in another slot; else ""."""
        return next(
            (
                str(Place(name, slot))
                for name, slots in self._slots.items()
                for slot, nic in enumerate(slots)
                if nic is not None
                and nic.mac == mac
                and Place(name, slot) != place
                and (nic.state not in _OPEN or name != place.machine)
            ),
            "",
        )

    def _put(self, place: Place, mac: str, state: State) -> None:
        seen = self._when[place.machine].replace(microsecond=0)
        self._slots[place.machine][place.slot] = Nic(mac=mac, state=state, seen=seen)
        self._learnt[state] += 1

    def _registry(self, slots: Mapping[str, Slots]) -> Registry:
        registry = self._inventory.registry
        filled = {name: tuple(nics) for name, nics in slots.items() if any(nics)}
        nodes = dict(registry.nodes) | filled
        return Registry(cluster=registry.cluster, nodes={name: nodes[name] for name in self._counts if name in nodes})
