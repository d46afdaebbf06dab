# SPDX-License-Identifier: Apache-2.0
"""How large a cluster can be: the most nodes for given ports and NICs, and the least ports for given nodes and NICs.

All nodes have the same number of NICs, all switches the same number of ports, and there are as many switches as it
takes. Every answer is a construction's, so that it can be wired, and comes with the bound of `bounds`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from flathood.design.blowup import most_nodes_on
from flathood.design.bounds import fewest_ports, most_nodes
from flathood.design.families import Family, small_families
from flathood.design.planes import most_on_plane, orders, plane_sizes, projective_plane
from flathood.design.request import Request


@dataclass(frozen=True)
class SizeAnswer:
    """The most nodes that switches of so many ports can join.

    Attributes:
        ports: of each switch, for nodes.
        nics: of each node.
        nodes: how many nodes can be wired.
        switches: how many switches that takes.
        construction: what wires them.
        bound: no wiring has more nodes.
        theorem: what says so.

    """

    ports: int
    nics: int
    nodes: int
    switches: int
    construction: str
    bound: int
    theorem: str

    @property
    def optimal(self) -> bool:
        """Whether no wiring has more nodes."""
        return self.nodes == self.bound

    def request(self, nodes: int | None = None) -> Request:
        """The request of so many nodes (default: all that can be), as `designer.search` takes it."""
        nodes = self.nodes if nodes is None else nodes
        even = np.broadcast_to(np.float64(1 / max(nodes - 1, 1)), (nodes, nodes))
        return Request(np.full(nodes, self.nics), np.full(self.switches, self.ports), even, "all-to-all")


@dataclass(frozen=True)
class PortsAnswer:
    """The least ports of a switch that join so many nodes.

    Attributes:
        nodes: how many nodes.
        nics: of each node.
        ports: of each switch, for nodes, with which they can be wired.
        bound: no wiring has switches of fewer ports.
        theorem: what says so.
        most: the most nodes on switches of `ports`, with the construction.

    """

    nodes: int
    nics: int
    ports: int
    bound: int
    theorem: str
    most: SizeAnswer

    @property
    def optimal(self) -> bool:
        """Whether no wiring has switches of fewer ports."""
        return self.ports == self.bound


@lru_cache(maxsize=1 << 14)
def max_nodes(ports: int, nics: int) -> SizeAnswer:
    """The most nodes that can be wired with so many ports a switch and NICs a node.

    >>> max_nodes(32, 5).nodes, max_nodes(32, 5).optimal, max_nodes(32, 5).construction
    (132, True, 'plane of order 4')

    """
    bound = most_nodes(nics, ports)
    best = ports, 1, "all nodes on the same switches"
    for order in orders(nics) if ports > 1 else ():
        if best[0] >= min(bound.most, most_on_plane(order, ports)):
            continue
        name = f"plane of order {order}" if order > 1 else "triangle"
        plane = projective_plane(order)
        reached = plane_sizes(order, ports)
        nodes = most_nodes_on(plane, ports) if reached is None else int(reached.sum())
        best = max(best, (nodes, plane.shape[1], name), key=lambda each: each[0])
    for name, family in small_families(nics):
        if best[0] < min(bound.most, _at_most(family, ports)):
            best = max(best, (most_nodes_on(family, ports), family.shape[1], name), key=lambda each: each[0])
    nodes, switches, construction = best
    return SizeAnswer(ports, nics, nodes, switches, construction, bound.most, bound.theorem)


@lru_cache(maxsize=1 << 14)
def min_ports(nodes: int, nics: int) -> PortsAnswer:
    """The least ports of a switch with which so many nodes can be wired.

    >>> min_ports(1024, 5).ports, min_ports(1024, 5).optimal
    (244, True)

    """
    bound = fewest_ports(nodes, nics)
    theorem = most_nodes(nics, bound - 1).theorem if bound > 1 else "counting"
    ports = bound
    while max_nodes(ports, nics).nodes < nodes:
        ports += 1
    return PortsAnswer(nodes, nics, ports, bound, theorem, max_nodes(ports, nics))


def _at_most(family: Family, ports: int) -> int:
    """The family holds no more nodes: all its switches full, and its smallest sets."""
    return int(family.shape[1] * ports // family.sum(axis=1).min())
