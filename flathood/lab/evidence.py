# SPDX-License-Identifier: Apache-2.0
"""What the switches themselves say: their MAC tables, and each port's carrier and counters. Read from the kernel.

What is plugged where is not taken from the lab's own notes: they only name the ports, and say which switch has power.
"""

from __future__ import annotations

import json
from typing import Any

from flathood.lab import fabric, paths
from flathood.lab.run import run
from flathood.lab.state import State

#: Per port: what the switch received from, and sent into, the cable.
_COUNTERS = ("packets", "bytes", "errors", "dropped")


def gather(state: State) -> dict[str, Any]:
    """Evidence of all switches, ready for JSON.

    ``switches``: name → ``on`` and ``table``, a list of ``mac`` and ``port`` as learnt (not the ports' own).
    ``ports``: port → ``cable`` (``k17:2``, or ``uplink:red`` for both ports of red's cable to the uplink), ``switch``
    (null: in none), ``carrier``, ``rx`` and ``tx`` (packets, bytes, errors, dropped; rx: from the cable).
    """
    bridges = _bridges(state)
    tables: dict[str, list[dict[str, str]]] = {switch: [] for switch in bridges.values()}
    for entry in json.loads(run(("bridge", "-n", _space(state), "-j", "fdb", "show")) or "[]"):
        if entry.get("state") != "permanent" and entry.get("master") in bridges:
            tables[bridges[entry["master"]]].append({"mac": entry["mac"], "port": entry["ifname"]})
    light = fabric.lit(state)
    return {
        "lab": state.planned.lab,
        "switches": {switch: {"on": switch in light, "table": table} for switch, table in tables.items()},
        "ports": ports(state),
    }


def ports(state: State) -> dict[str, Any]:
    """The part ``ports`` of `gather` alone."""
    bridges, cables = _bridges(state), port_cables(state)
    found: dict[str, Any] = {}
    for link in json.loads(run(("ip", "-n", _space(state), "-j", "-s", "link", "show"))):
        if link["ifname"] in cables:
            found[link["ifname"]] = {
                "cable": cables[link["ifname"]],
                "switch": bridges.get(link.get("master", "")),
                "carrier": "LOWER_UP" in link["flags"],
                **{way: {key: link["stats64"][way][key] for key in _COUNTERS} for way in ("rx", "tx")},
            }
    return found


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


def _bridges(state: State) -> dict[str, str]:
    return {fabric.bridge(state, switch): switch for switch in state.planned.all_switches}


def _space(state: State) -> str:
    return paths.namespace(state.planned.lab, paths.FABRIC)
