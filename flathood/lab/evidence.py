# SPDX-License-Identifier: Apache-2.0
"""What the switches themselves say: their MAC tables, and each port's carrier and counters. Read from the kernel.

What is plugged where is not taken from the lab's own notes: they only name the ports, and say which switch has power.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flathood.lab import fabric, paths
from flathood.lab.run import run
from flathood.lab.state import State

#: Per port: what the switch received from, and sent into, the cable.
_COUNTERS = ("packets", "bytes", "errors", "dropped")


@dataclass(frozen=True)
class Wires:
    """Where the switches of a rehearsal are in the kernel; embedded lab and virtual machines differ in that alone.

    ``enter`` makes of a command one that runs where they are, ``bridges`` has each bridge's switch, ``cables`` each
    port's cable (see `gather`), ``on`` the switches that have power.
    """

    enter: Callable[[Sequence[str]], list[str]]
    bridges: Mapping[str, str]
    cables: Mapping[str, str]
    on: Collection[str]

    def evidence(self) -> dict[str, Any]:
        """``switches`` and ``ports`` of `gather`."""
        tables: dict[str, list[dict[str, str]]] = {switch: [] for switch in self.bridges.values()}
        for entry in self._read("bridge", "-j", "fdb", "show"):
            if entry.get("state") != "permanent" and entry.get("master") in self.bridges:
                tables[self.bridges[entry["master"]]].append({"mac": entry["mac"], "port": entry["ifname"]})
        switches = {switch: {"on": switch in self.on, "table": table} for switch, table in tables.items()}
        return {"switches": switches, "ports": self.ports()}

    def ports(self) -> dict[str, Any]:
        """``ports`` of `gather`."""
        return {
            link["ifname"]: {
                "cable": self.cables[link["ifname"]],
                "switch": self.bridges.get(link.get("master", "")),
                "carrier": "LOWER_UP" in link["flags"],
                **{way: {key: link["stats64"][way][key] for key in _COUNTERS} for way in ("rx", "tx")},
            }
            for link in self._read("ip", "-j", "-s", "link", "show")
            if link["ifname"] in self.cables
        }

    def _read(self, *argv: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(run(self.enter(argv)) or "[]")
        return found


def gather(state: State) -> dict[str, Any]:
    """Evidence of all switches, ready for JSON.

    ``switches``: name → ``on`` and ``table``, a list of ``mac`` and ``port`` as learnt (not the ports' own).
    ``ports``: port → ``cable`` (``k17:2``, or ``uplink:red`` for both ports of red's cable to the uplink), ``switch``
    (null: in none), ``carrier``, ``rx`` and ``tx`` (packets, bytes, errors, dropped; rx: from the cable).
    """
    return {"lab": state.planned.lab} | _wires(state).evidence()


def ports(state: State) -> dict[str, Any]:
    """The part ``ports`` of `gather` alone."""
    return _wires(state).ports()


def port_cables(state: State) -> dict[str, str]:
    """The cable of each port of the fabric: ``m17.2`` → ``k17:2``, ``u0.near`` → ``uplink:red``."""
    found = {
        f"m{number}.{slot}": f"{machine.name}:{slot}"
        for number, machine in enumerate(state.planned.machines)
        for slot in range(len(machine.macs))
    }
    for switch in state.planned.switches:
        for port in fabric.uplink_ports(state, switch):
            found[port] = f"uplink:{switch}"
    return found


def _wires(state: State) -> Wires:
    space = paths.namespace(state.planned.lab, paths.FABRIC)
    bridges = {fabric.bridge(state, switch): switch for switch in state.planned.all_switches}
    inside = ("ip", "netns", "exec", space)
    return Wires(lambda argv: [*inside, *argv], bridges, port_cables(state), fabric.lit(state))
