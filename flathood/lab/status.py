# SPDX-License-Identifier: Apache-2.0
"""A lab at a glance: what is on, what is plugged where by the lab's own notes, and whether a signal gets through."""

from __future__ import annotations

from typing import Any

from flathood.lab import evidence, fabric, machines, paths
from flathood.lab.faults import effect
from flathood.lab.hardware import nic
from flathood.lab.state import State


def gather(state: State) -> dict[str, Any]:
    """The report that `flathood lab status` shows, ready for JSON.

    ``machines``: name → ``kind``, ``power`` (on, off, or stopped: by itself) and ``nics``, in slot order: ``to``
    (a switch, another NIC, or null), ``carrier``. ``switches``: name → ``on``, ``colour``, ``cables``, ``carriers``.
    """
    hardware = state.planned
    plugged = effect(hardware, state.cables, state.faults).cables
    plugged |= {far: near for near, far in plugged.items() if far not in hardware.all_switches}
    ports = evidence.ports(state)
    light = fabric.lit(state)
    found: dict[str, Any] = {}
    for machine in hardware.machines:
        names = [nic(machine.name, slot) for slot in range(len(machine.macs))]
        found[machine.name] = {
            "kind": machine.kind.value,
            "power": _power(state, machine.name),
            "nics": [{"to": plugged.get(name), "carrier": _carrier(name, ports, plugged)} for name in names],
        }
    return {
        "lab": hardware.lab,
        "directory": str(state.directory),
        "namespaces": {name: paths.namespace(hardware.lab, name) for name in (paths.FABRIC, *hardware.by_name)},
        "machines": found,
        "switches": {
            switch: {
                "on": switch in light,
                "colour": hardware.colours[switch],
                "cables": sum(port["switch"] == switch for port in ports.values()),
                "carriers": sum(port["switch"] == switch and port["carrier"] for port in ports.values()),
            }
            for switch in hardware.all_switches
        },
        "faults": [str(fault) for fault in state.faults],
    }


def _power(state: State, machine: str) -> str:
    if machine in state.off:
        return "off"
    return "on" if machines.running(state.planned.lab, machine) else "stopped"


def _carrier(name: str, ports: dict[str, Any], plugged: dict[str, str]) -> bool:
    """Whether the NIC's cable carries a signal; between two machines the fabric sees nothing of it."""
    for port in ports.values():
        if port["cable"] == name:
            return bool(port["carrier"])
    return ":" in plugged.get(name, "")
