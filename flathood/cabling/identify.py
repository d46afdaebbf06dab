# SPDX-License-Identifier: Apache-2.0
"""Which NIC of the plan is meant by a MAC, or by a device that a machine names. Never guessed.

A MAC of macs.yml names its slot. A machine that has one NIC with a strange MAC and one slot whose MAC it does not have
has that NIC in that slot: it was exchanged. More than one, and nothing tells which is which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from flathood.cabling.evidence import Evidence, MachineWord, NicWord, device_id
from flathood.cabling.picture import ABSENT, DARK, Nic, OtherMac, Places, Stranger
from flathood.registry.model import Registry, macs_of

#: How the machines' own words are named among the kinds of evidence.
MACHINES = "machines"


@dataclass
class Identified:
    """What the machines' words and macs.yml say of the NICs' identity."""

    by_mac: dict[str, Nic] = field(default_factory=dict)
    by_device: dict[str, Nic] = field(default_factory=dict)
    own: dict[Nic, Places] = field(default_factory=dict)  # NICs that are dark or absent, by their machine's word
    carriers: dict[Nic, bool | None] = field(default_factory=dict)
    other_macs: list[OtherMac] = field(default_factory=list)
    moved: dict[Nic, str] = field(default_factory=dict)
    strangers: list[Stranger] = field(default_factory=list)
    twice: dict[str, tuple[str, ...]] = field(default_factory=dict)
    machines: dict[str, MachineWord] = field(default_factory=dict)
    silent: tuple[str, ...] = ()


def identify(registry: Registry, evidences: Iterable[Evidence], slots: dict[str, int]) -> Identified:
    """Put names to MACs and devices; `slots` is how many NICs each machine should have.

    Of several words of one machine the last file's counts.
    """
    found = Identified()
    silent: set[str] = set()
    for evidence in evidences:
        found.machines |= {name: word for name, word in evidence.machines.items() if name in slots}
        silent |= {name for name in evidence.silent if name in slots}
    found.silent = tuple(name for name in slots if name in silent and name not in found.machines)
    _Work(found, {name: macs_of(registry, name) for name in slots}, slots).run()
    return found


class _Work:
    """Machine by machine: first what is its own by macs.yml, then the rest."""

    def __init__(self, found: Identified, macs: dict[str, tuple[str | None, ...]], slots: dict[str, int]) -> None:
        self._found, self._macs, self._slots = found, macs, slots
        self._known = {mac: Nic(name, slot) for name in slots for slot, mac in enumerate(macs[name]) if mac}
        self._reporters: dict[str, list[str]] = defaultdict(list)
        for name, word in found.machines.items():
            for nic in word.nics:
                self._reporters[nic.mac].append(device_id(name, nic.device))

    def run(self) -> None:
        found = self._found
        found.by_mac = dict(self._known)
        left = {name: self._own(name, word) for name, word in found.machines.items()}
        for name, nics in left.items():
            self._others(name, nics)
        for mac, devices in self._reporters.items():
            if len(devices) > 1:
                found.twice[mac] = tuple(sorted(str(found.by_device.get(device, device)) for device in devices))
                found.by_mac.pop(mac, None)  # where this MAC is seen tells nothing of either NIC
        for place in self._known.values():
            # With strange NICs in the machine one of them may be this one.
            if place.machine in left and place not in found.carriers and not left[place.machine]:
                found.own[place] = frozenset({ABSENT})

    def _own(self, name: str, word: MachineWord) -> list[NicWord]:
        """Note the NICs whose MACs macs.yml has for this machine; the others."""
        rest = []
        for nic in word.nics:
            place = self._known.get(nic.mac)
            if place is None or place.machine != name or place in self._found.carriers:
                rest.append(nic)
            else:
                self._note(name, place, nic)
        return rest

    def _others(self, name: str, nics: list[NicWord]) -> None:
        """NICs of a machine that are not its own by macs.yml: exchanged ones, moved ones, strange ones."""
        found = self._found
        free = [slot for slot in range(self._slots[name]) if Nic(name, slot) not in found.carriers]
        for nic in nics:
            owner, only = self._known.get(nic.mac), len(self._reporters[nic.mac]) == 1
            if len(nics) == 1 and len(free) == 1:
                place, macs = Nic(name, free[0]), self._macs[name]
                expected = macs[free[0]] if free[0] < len(macs) else None
                found.other_macs.append(OtherMac(place, expected or "", nic.mac))
                found.by_mac[nic.mac] = place
            elif owner is not None and only:
                place = owner
                found.moved[owner] = name
            else:
                found.strangers.append(Stranger(nic.mac, frozenset(), device_id(name, nic.device)))
                continue
            self._note(name, place, nic)

    def _note(self, name: str, place: Nic, nic: NicWord) -> None:
        self._found.by_device[device_id(name, nic.device)] = place
        self._found.carriers[place] = nic.carrier
        if nic.carrier is False:
            self._found.own[place] = frozenset({DARK})
