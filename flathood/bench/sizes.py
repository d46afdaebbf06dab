# SPDX-License-Identifier: Apache-2.0
"""How long the sizes take: a whole table, a sample of it wired and checked, and a hard case beside plain CP-SAT."""

from __future__ import annotations

import time

import numpy as np

from flathood.bench.measure import Row
from flathood.design.cables import CableModel
from flathood.design.planes import constructions
from flathood.design.request import Request
from flathood.design.sizes import max_nodes, min_ports

PORTS, NICS, SAMPLE = range(2, 1025), range(2, 7), 300
_HARD = 128, 48, 4, 10  # nodes, ports, NICs, switches
_PATIENCE = 60.0  # seconds that plain CP-SAT gets


def table() -> Row:
    """The most nodes for every number of ports and NICs of the old tool's table, and the least ports of its sizes."""
    start = time.perf_counter()
    cells = [max_nodes(ports, nics) for ports in PORTS for nics in NICS]
    least = [min_ports(nodes, nics) for nodes in range(3, 1025) for nics in range(2, 6)]
    seconds = time.perf_counter() - start
    return {
        "work": f"{len(cells)} most nodes, {len(least)} least ports",
        "proved": sum(cell.optimal for cell in cells) + sum(answer.optimal for answer in least),
        "seconds": round(seconds, 2),
    }


def sample() -> Row:
    """Some cells of the table wired, each wiring checked against its hardware; RuntimeError when one is wrong."""
    cells = [(ports, nics) for ports in PORTS for nics in NICS]
    start = time.perf_counter()
    for ports, nics in np.random.default_rng(0).permutation(cells)[:SAMPLE].tolist():
        _wire(max_nodes(ports, nics).request())
    return {"work": f"{SAMPLE} wired and checked", "proved": SAMPLE, "seconds": round(time.perf_counter() - start, 2)}


def hard() -> Row:
    """128 nodes of 4 NICs on ten switches of 48 ports, by a construction."""
    start = time.perf_counter()
    _wire(_hard_request())
    return {"work": "128 nodes on 10 switches", "proved": 1, "seconds": round(time.perf_counter() - start, 2)}


def plain() -> Row:
    """The same by CP-SAT with a variable for each cable, for a minute at most."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

    start = time.perf_counter()
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = _PATIENCE
    solved = solver.solve(CableModel(_hard_request(), None).model) in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    seconds = round(time.perf_counter() - start, 2)
    return {"work": "the same by plain CP-SAT", "proved": int(solved), "seconds": seconds}


def _hard_request() -> Request:
    nodes, ports, nics, switches = _HARD
    even = np.full((nodes, nodes), 1 / (nodes - 1))
    return Request(np.full(nodes, nics), np.full(switches, ports), even, "all-to-all")


def _wire(request: Request) -> None:
    name, design = next(constructions(request, np.random.default_rng(0)), ("", None))
    if design is None or not request.fits(design):
        raise RuntimeError(f"{request.nodes} nodes: no wiring")
    cables = design.astype(np.float32)
    if not (cables @ cables.T).all():
        raise RuntimeError(f"{request.nodes} nodes by {name}: some pair shares no switch")
