# SPDX-License-Identifier: Apache-2.0
"""Whether a spare may take a node's place, as far as files tell, and who would know that the node is not dead."""

from __future__ import annotations

import numpy as np

from flathood.inventory import CLUSTER, MACS, Inventory
from flathood.plan.model import Plan
from flathood.registry import macs_of
from flathood.spec.known import nearest


def witnesses(plan: Plan, node: str) -> dict[str, list[str]]:
    """Nodes that would hear a node if it lived, one on each of its switches; each with its addresses there."""
    number = plan.numbers[node]
    found: dict[str, list[str]] = {}
    for switch in plan.shared(number, number):
        others = [peer for peer in np.flatnonzero(plan.slot_on[:, switch] >= 0).tolist() if peer != number]
        for peer in others[:1]:
            found.setdefault(plan.names[peer], []).append(str(plan.neighborhood_ip(number, switch)))
    return found


def against(inventory: Inventory, node: str, spare: str) -> list[str]:
    """All that speaks against this exchange, as far as the files tell."""
    cluster, wiring = inventory.cluster, inventory.wiring
    said: list[str] = []
    for name, names, kind in ((node, cluster.node_names, "node"), (spare, cluster.spare_names, "spare")):
        if name not in names:
            there = f"there are {', '.join(names)}" if names else f"{CLUSTER} has none"
            said.append(
                f"there is no {kind} {name!r}{nearest(name, names) or (': ' + there if len(names) < 9 else '')}"
            )
    if cluster.management is not None:
        said.append(
            "machines are reached by a management network, whose names go with the machines: have its names "
            f"exchanged there, and exchange {node} and {spare} in {MACS}"
        )
    if said:
        return said
    counts = cluster.nic_counts
    if counts[node] != counts[spare]:
        said.append(f"{node} has {counts[node]} NICs, {spare} has {counts[spare]}: take a spare of as many")
    row = wiring.nodes[node]
    needed = {0, *(slot for slot, switch in enumerate(row) if switch is not None)}
    for name in (node, spare):
        macs = macs_of(inventory.registry, name)
        if unknown := sorted(slot for slot in needed if slot >= len(macs) or macs[slot] is None):
            slots = ", ".join(f"fnn{slot}" for slot in unknown)
            said.append(f"the MACs of {slots} of {name} are not known: discover them, or `flathood macs import FILE`")
    idle = {one.slot for one in wiring.idle if one.node == node}
    if row[0] is None or 0 in idle:
        said.append(
            f"fnn0 of {node} has no cable that works, and a spare is reached by its fnn0 only: give {node} one first "
            "(playbooks/rewire.yml)"
        )
    return said
