# SPDX-License-Identifier: Apache-2.0
"""Faults: what can break in a real cluster, as changes of what is plugged where. Pure; each can be undone."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from flathood.lab.errors import LabError
from flathood.lab.hardware import Hardware, lab_mac, split_nic


class FaultKind(StrEnum):
    """What breaks, and what `on` names for it."""

    SWAP = "swap"  # two NICs whose cables are exchanged at the switches
    DEAD_CABLE = "dead-cable"  # a NIC's cable, or a switch's cable to the uplink: no carrier at either end
    DEAD_NIC = "dead-nic"  # a NIC that its machine does not find any more
    DEAD_SWITCH = "dead-switch"  # a switch without power
    DUPLICATE_MAC = "duplicate-mac"  # a NIC, and the one whose MAC it carries too
    OTHER_MAC = "other-mac"  # a NIC that was replaced by another one
    JOINED = "joined"  # a switch whose cable to the uplink is in the other one: two neighborhoods in one, no loop


#: How many things each kind of fault names.
ARITY = {
    FaultKind.SWAP: 2,
    FaultKind.DEAD_CABLE: 1,
    FaultKind.DEAD_NIC: 1,
    FaultKind.DEAD_SWITCH: 1,
    FaultKind.DUPLICATE_MAC: 2,
    FaultKind.OTHER_MAC: 1,
    FaultKind.JOINED: 2,
}
#: Faults that name neighborhood switches and no NICs.
_OF_SWITCHES = (FaultKind.DEAD_SWITCH, FaultKind.JOINED)


class Fault(BaseModel):
    """One thing that is broken; `number` names it to undo it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    number: int
    kind: FaultKind
    on: tuple[str, ...]

    def __str__(self) -> str:
        """Return what `flathood lab status` shows."""
        return f"{self.number}: {self.kind} {' '.join(self.on)}"


@dataclass(frozen=True)
class Effect:
    """What all faults together do to the hardware."""

    cables: dict[str, str]
    macs: dict[str, str]
    dead_cables: frozenset[str]
    dead_nics: frozenset[str]
    dead_switches: frozenset[str]
    uplinks: dict[str, str]  # where the other end of a switch's uplink cable is, if not in the uplink switch


def check(hardware: Hardware, fault: Fault) -> None:
    """LabError if the fault names something that is not in the lab."""
    if len(set(fault.on)) != ARITY[fault.kind]:
        raise LabError(f"{fault.kind} needs {ARITY[fault.kind]} different names, {' '.join(fault.on) or 'none'} given")
    for name in fault.on:
        switches = hardware.all_switches if fault.kind is FaultKind.DEAD_SWITCH else hardware.switches
        switch_will_do = fault.kind in _OF_SWITCHES or fault.kind is FaultKind.DEAD_CABLE
        if switch_will_do and name in switches:
            continue
        if fault.kind in _OF_SWITCHES:
            raise LabError(f"no switch {name!r}: the lab has {', '.join(switches)}")
        mac_of(hardware, name)


def mac_of(hardware: Hardware, text: str) -> str:
    """The MAC of a NIC written as ``k17:2``; LabError if the lab has no such NIC."""
    name, slot = split_nic(text)
    machine = hardware.by_name.get(name)
    if machine is None:
        raise LabError(f"no machine {name!r} in lab {hardware.lab}")
    if slot >= len(machine.macs):
        raise LabError(f"{name} has no slot {slot}: its slots are 0 to {len(machine.macs) - 1}")
    return machine.macs[slot]


def mac_of_another(hardware: Hardware, name: str) -> str:
    """The MAC of the NIC that takes a NIC's place, see `FaultKind.OTHER_MAC`."""
    return lab_mac(f"{hardware.lab} replaced", *split_nic(name))


def effect(hardware: Hardware, cables: dict[str, str], faults: Iterable[Fault]) -> Effect:
    """What is plugged where, and what works, with `faults` over what people plugged (`cables`)."""
    plugged = dict(cables)
    macs: dict[str, str] = {}
    uplinks: dict[str, str] = {}
    dead: dict[FaultKind, set[str]] = {kind: set() for kind in FaultKind}
    for fault in faults:
        match fault.kind:
            case FaultKind.SWAP:
                one, other = fault.on
                ends = {one: plugged.pop(other, None), other: plugged.pop(one, None)}
                plugged |= {key: end for key, end in ends.items() if end is not None}
            case FaultKind.DUPLICATE_MAC:
                macs[fault.on[0]] = mac_of(hardware, fault.on[1])
            case FaultKind.OTHER_MAC:
                macs[fault.on[0]] = mac_of_another(hardware, fault.on[0])
            case FaultKind.JOINED:
                uplinks[fault.on[0]] = fault.on[1]
            case kind:
                dead[kind].add(fault.on[0])
    return Effect(
        cables=plugged,
        macs=macs,
        dead_cables=frozenset(dead[FaultKind.DEAD_CABLE]),
        dead_nics=frozenset(dead[FaultKind.DEAD_NIC]),
        dead_switches=frozenset(dead[FaultKind.DEAD_SWITCH]),
        uplinks=uplinks,
    )
