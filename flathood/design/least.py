# SPDX-License-Identifier: Apache-2.0
"""The least hardware for a request: lower bounds on ports, switches and NICs, each with the theorem that gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flathood.design.bounds import Bound, most_nodes
from flathood.design.request import Request


@dataclass(frozen=True)
class Least:
    """No design exists where the largest node or switch has less of ``what`` than ``least``, by this theorem."""

    what: str
    least: int
    theorem: str


def lower_bounds(request: Request) -> tuple[Least, ...]:
    """Lower bounds on ports of a switch, on switches and on NICs of a node, the other two being as requested.

    They hold for the widest switch and the most NICs that a node has. None in fractional mode, where no pair has to
    share a switch.

    >>> from flathood.design.profiles import traffic
    >>> hexa = Request(np.full(6, 2), np.full(3, 4), traffic("all-to-all", 6), "all-to-all")
    >>> [(bound.what, bound.least) for bound in lower_bounds(hexa)]
    [('ports', 4), ('switches', 3), ('nics', 2)]

    """
    if not request.required.any():
        return ()
    nics, ports, switches = int(request.usable_nics.max()), int(request.ports.max()), request.switches
    if request.mode == "sparse":
        return _sparse(request, nics, ports)
    return (
        _first("ports", ports, lambda k: most_nodes(nics, k, switches), request.nodes),
        _first("switches", switches, lambda k: most_nodes(min(nics, k), ports, k), request.nodes),
        _first("nics", nics, lambda k: most_nodes(k, ports, switches), request.nodes),
    )


def _first(what: str, present: int, bound_at: Callable[[int], Bound], nodes: int) -> Least:
    """The first number at which the bound allows so many nodes, by the theorem that forbids the one before."""
    theorem = "counting"
    for number in range(1, present):
        bound = bound_at(number)
        if bound.most >= nodes:
            return Least(what, number, theorem)
        theorem = bound.theorem
    return Least(what, present, theorem)


def _sparse(request: Request, nics: int, ports: int) -> tuple[Least, ...]:
    """By counting: a NIC meets as many peers as its switch has other ports, and each NIC has a switch of its own."""
    peers = request.required.sum(axis=1)
    rich = -(-peers // max(ports - 1, 1))  # NICs that each node needs
    wired = int((peers > 0).sum())
    return (
        Least("ports", 1 + int((-(-peers // np.maximum(request.usable_nics, 1))).max()), "counting"),
        Least("switches", max(int(rich.max()), -(-int(rich.sum()) // ports), -(-wired // ports)), "counting"),
        Least("nics", int(rich.max()), "counting"),
    )
