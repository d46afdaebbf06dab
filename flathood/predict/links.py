# SPDX-License-Identifier: Apache-2.0
"""The cables of a plan as directed links, and the links that each pair's traffic crosses.

A cable carries both directions at once, so it is two links. Switches do not block: what comes in by one port goes out
by another as fast as that one can. So a path is the sender's NIC, the receiver's NIC, and between them, where they are
on different switches, the two cables to the uplink switch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.plan.model import Plan

Indices = npt.NDArray[np.intp]
#: Most links of one path: out of a node, up to the uplink switch, down from it, into a node.
_LONGEST = 4


@dataclass(frozen=True, eq=False)
class Routes:
    """The paths of transfers. A transfer that uses several at once has several pieces.

    ``links``: intp[pieces, 4], the links that a piece crosses; the number of all links where it crosses fewer.
    ``owner``: intp[pieces], the transfer that a piece belongs to. ``transfers``: how many there are.
    """

    links: Indices
    owner: Indices
    transfers: int


class Links:
    """The directed links of a plan, by number: NICs out and in, then each switch's uplink cable up and down."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._slots = plan.attach.shape[1]
        self._uplinks = 2 * plan.node_count * self._slots
        #: How many links there are; also the number that stands for "no link".
        self.count = self._uplinks + 2 * len(plan.switches)
        nodes = range(plan.node_count)
        self._first = np.array([plan.outside_slot(node) for node in nodes], dtype=np.intp)
        self._root: Indices = plan.attach[nodes, self._first].astype(np.intp)

    def name(self, link: int) -> str:
        """A link as people say it: `k17-red out`, `red up` (to the uplink switch)."""
        plan = self.plan
        if link >= self._uplinks:
            switch, down = divmod(link - self._uplinks, 2)
            return f"{plan.switches[switch]} {'down' if down else 'up'}"
        node, slot = divmod(link // 2, self._slots)
        switch = int(plan.attach[node, slot])
        place = plan.switches[switch] if switch >= 0 else f"slot {slot}"
        return f"{plan.names[node]}-{place} {'in' if link % 2 else 'out'}"

    def routes(self, ends: Indices, others: Indices) -> Routes:
        """The paths of a transfer from each of ``ends`` to the node beside it in ``others``, by the plan's routing.

        ``basic``: the neighborhood chosen for the pair; ``advanced``: all that it shares; ``tree``, and a pair that
        shares none: the outside NICs, through the uplink switch unless both are on one neighborhood.
        """
        plan = self.plan
        transfers = np.arange(len(ends))
        chosen = plan.chosen[ends, others].astype(np.intp)
        near = (chosen >= 0) & (plan.routing != "tree")
        if plan.routing == "advanced":
            owner, switch = np.nonzero((plan.slot_on[ends] >= 0) & (plan.slot_on[others] >= 0) & near[:, None])
        else:
            owner, switch = transfers[near], chosen[near]
        direct = self._ways(ends[owner], plan.slot_on[ends[owner], switch], others[owner], switch)
        far = transfers[~near]
        links = np.concatenate([direct, self._by_uplink(ends[far], others[far])])
        return Routes(links, np.concatenate([owner, far]), len(ends))

    def _ways(self, ends: Indices, slots: npt.NDArray[np.int8], others: Indices, switch: Indices) -> Indices:
        links = np.full((len(ends), _LONGEST), self.count, dtype=np.intp)
        links[:, 0] = 2 * (ends * self._slots + slots)
        links[:, 1] = 2 * (others * self._slots + self.plan.slot_on[others, switch]) + 1
        return links

    def _by_uplink(self, ends: Indices, others: Indices) -> Indices:
        links = np.full((len(ends), _LONGEST), self.count, dtype=np.intp)
        links[:, 0] = 2 * (ends * self._slots + self._first[ends])
        links[:, 1] = 2 * (others * self._slots + self._first[others]) + 1
        here, there = self._root[ends], self._root[others]
        apart = here != there
        links[apart, 2] = self._uplinks + 2 * here[apart]
        links[apart, 3] = self._uplinks + 2 * there[apart] + 1
        return links

    def switches(self, ends: Indices, others: Indices) -> Indices:
        """How many switches are between the nodes of each pair, on its shortest path: 1 or 3."""
        routes = self.routes(ends, others)
        crossed = np.full(len(ends), 3, dtype=np.intp)
        np.minimum.at(crossed, routes.owner, np.where(routes.links[:, 2] < self.count, 3, 1))
        return crossed
