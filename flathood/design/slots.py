# SPDX-License-Identifier: Apache-2.0
"""Which NIC of a node goes to which of its switches: a design says only that the node is on them."""

from __future__ import annotations

from collections import deque

import numpy as np

from flathood.design.request import Design
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring


def slots_of(design: Design, cluster: Cluster, before: Wiring | None = None) -> dict[str, tuple[str | None, ...]]:
    """Every node's switches by slot, with null for the slots left over.

    A cable that is in the wiring before stays in its NIC, and one that leaves makes room for one that comes, so that
    only its other plug moves. The rest goes in label order, but for slot 0, which is the way to the uplink switch
    (outside, multicast, the tree routing): first slots are dealt out evenly over the switches.
    """
    there = before.nodes if before else {}
    labels: dict[str, list[str | None]] = {}
    new: dict[str, list[str]] = {}
    order: dict[str, list[int]] = {}
    for name, row in zip(cluster.node_names, design, strict=True):
        new[name] = [cluster.switch_names[switch] for switch in np.flatnonzero(row)]
        labels[name] = [None] * cluster.nic_counts[name]
        for slot, switch in enumerate(there.get(name, ())[: len(labels[name])]):
            if switch in new[name]:
                labels[name][slot] = switch
                new[name].remove(switch)
        free = [slot for slot, switch in enumerate(labels[name]) if switch is None]
        left = {slot for slot, switch in enumerate(there.get(name, ())) if switch is not None}
        order[name] = sorted(sorted(free, key=lambda slot: slot not in left)[: len(new[name])])
    loads = dict.fromkeys(cluster.switch_names, 0)
    for slots in labels.values():
        if slots and slots[0] is not None:
            loads[slots[0]] += 1
    choices = {name: new[name] for name, slots in order.items() if slots and slots[0] == 0}
    for name, first in _even(choices, loads).items():
        labels[name][0] = first
        new[name].remove(first)
    for name, slots in labels.items():
        for slot in order[name]:
            if slots[slot] is None:
                slots[slot] = new[name].pop(0)
    return {name: tuple(slots) for name, slots in labels.items()}


def _even(choices: dict[str, list[str]], loads: dict[str, int]) -> dict[str, str]:
    """One choice of each node, so that the loads come out as even as they can; ``loads`` is what there is before.

    Each node in turn takes its least loaded switch. Then, as long as there is one, a path of nodes each of which can
    pass its place on to the next takes a load from a switch to one with two less. Without such a path the sum of the
    squares is the least there is (Harvey, Ladner, Lovász and Tamir, "Semi-matchings for bipartite graphs and load
    balancing", Journal of Algorithms 59 (2006), theorem 3.1), and each path makes it less, so this ends.
    """
    chosen: dict[str, str] = {}
    members: dict[str, list[str]] = {switch: [] for switch in loads}
    for name, switches in choices.items():
        chosen[name] = min(switches, key=loads.__getitem__)
        members[chosen[name]].append(name)
        loads[chosen[name]] += 1
    fullest = sorted(loads, key=loads.__getitem__, reverse=True)
    while path := next((path for switch in fullest if (path := _path(switch, choices, members, loads))), []):
        for name, switch in path:
            members[chosen[name]].remove(name)
            loads[chosen[name]] -= 1
            chosen[name] = switch
            members[switch].append(name)
            loads[switch] += 1
        fullest.sort(key=loads.__getitem__, reverse=True)
    return chosen


def _path(
    start: str, choices: dict[str, list[str]], members: dict[str, list[str]], loads: dict[str, int]
) -> list[tuple[str, str]]:
    """The nodes that move, and where to, so that ``start`` has one less and a switch with two less has one more."""
    came: dict[str, tuple[str, str]] = {}
    queue = deque([start])
    while queue:
        switch = queue.popleft()
        if loads[switch] <= loads[start] - 2:
            path = []
            while switch != start:
                name, source = came[switch]
                path.append((name, switch))
                switch = source
            return path
        for name in members[switch]:
            for other in choices[name]:
                if other != start and other not in came:
                    came[other] = name, switch
                    queue.append(other)
    return []
