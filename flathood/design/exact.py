# SPDX-License-Identifier: Apache-2.0
"""Exact search as an engine: it finds a wiring, or proves that there is none, by OR-tools' CP-SAT.

Two formulations share the work. With few switches the variables are the sets of switches that nodes may be on and how
many nodes are on each, whatever the number of nodes; two sets without a common switch exclude each other. Otherwise
they are the cables, with nodes and switches that are alike put in order, so that no wiring is met twice under other
names; before that, equal hardware is shrunk: what wires n/g nodes by switches of w/g ports wires n by w.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np

from flathood.design.cables import CableModel, SetModel
from flathood.design.engine import Answer, Budget, Proof, Tell
from flathood.design.request import Design, Request

_MOST_SETS = 4_000  # variables of the formulation by sets: nodes of one kind, up to 11 switches
_MOST_CABLES = 40_000  # pairs times switches of the formulation by cables
_EFFORT = 10.0  # CP-SAT's deterministic seconds of a round
_SHRUNK_EFFORT = 2.0  # and of each smaller problem
_TICK = 0.05  # seconds between two looks at a running search
_THEOREM = "exhaustive search by CP-SAT"


class ExactSearch:
    """CP-SAT on small or irregular requests."""

    name = "exact"

    def suits(self, request: Request) -> bool:
        """Requests with few switches, with few nodes, or that shrink to such."""
        return self._by_sets(request) or any(_size(smaller) <= _MOST_CABLES for smaller in _shrunk(request))

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Find a design in which all required pairs share a switch; in fractional mode, one that covers most."""
        began = time.monotonic()
        if start is not None and request.mode != "fractional" and not (request.required & ~_shares(start)).any():
            return Answer(start, self.name)  # nothing is left to search for
        by_sets = self._by_sets(request)
        for smaller in [] if by_sets else _shrunk(request)[:-1]:
            if _size(smaller) > _MOST_CABLES:
                break
            found, _ = _run(CableModel(smaller, None), _limited(budget, _SHRUNK_EFFORT, began), None)
            if found is not None:
                times = request.nodes // smaller.nodes
                return Answer(np.repeat(found, times, axis=0), f"{self.name}, of {smaller.nodes} nodes")
        if not by_sets and _size(request) > _MOST_CABLES:
            return Answer(None, self.name)
        model = SetModel(request) if by_sets else CableModel(request, start)
        found, complete = _run(
            model,
            _limited(budget, _EFFORT * (budget.rounds or 1), began),
            None if by_sets else lambda design: tell(design, self.name),
        )
        proof = _proof(request, found) if complete else None
        if start is not None and (found is None or _covered(request, found) <= _covered(request, start)):
            found = start  # as much is covered, and it may be better in other ways
        return Answer(found, self.name, proof)

    @staticmethod
    def _by_sets(request: Request) -> bool:
        return request.mode == "universal" and bool(request.used.all()) and SetModel.size(request) <= _MOST_SETS


def _shares(design: Design) -> Design:
    return (design.astype(np.int64) @ design.T) > 0


def _covered(request: Request, design: Design) -> tuple[int, float]:
    """Required pairs that share no switch, negative, and the traffic of those that do."""
    shares = _shares(design)
    return -int((request.required & ~shares).sum()), float((request.weights * shares).sum())


def _size(request: Request) -> int:
    return request.nodes * (request.nodes - 1) // 2 * request.switches


def _shrunk(request: Request) -> list[Request]:
    """The requests of a g-th of the nodes on switches of a g-th of the ports, the smallest first, itself last."""
    nodes, ports, nics = request.nodes, int(request.ports.max()), int(request.nics.max())
    alike = (request.ports == ports).all() and (request.nics == nics).all() and request.keep is None
    if not alike or request.mode != "universal":
        return [request]
    common = math.gcd(nodes, ports)
    smaller = []
    for times in range(common, 1, -1):
        if common % times == 0 and nodes // times > 1:
            kept = slice(0, nodes // times)
            smaller.append(
                replace(
                    request,
                    nics=request.nics[kept],
                    ports=request.ports // times,
                    weights=request.weights[kept, kept],
                )
            )
    return [*smaller, request]


def _limited(budget: Budget, effort: float, began: float) -> dict[str, Any]:
    """CP-SAT's parameters: real seconds where they are limited, else an effort that every machine measures alike."""
    parameters: dict[str, Any] = {
        "random_seed": budget.seed % 2**31,
        "num_workers": budget.jobs,
        "interleave_search": budget.jobs > 1,  # makes several workers deterministic
        "catch_sigint_signal": False,
    }
    if budget.seconds is None or budget.rounds is not None or effort == _SHRUNK_EFFORT:
        parameters["max_deterministic_time"] = effort
    if budget.seconds is not None:
        parameters["max_time_in_seconds"] = max(budget.seconds - (time.monotonic() - began), 0.01)
    return parameters


def _run(model: SetModel | CableModel, parameters: dict[str, Any], tell: Any) -> tuple[Design | None, bool]:  # noqa: ANN401 - OR-Tools'
    """Search in a thread, so that Ctrl-C gets through: the best design and whether the search was exhaustive."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

    solver = cp_model.CpSolver()
    for name, value in parameters.items():
        setattr(solver.parameters, name, value)
    met: list[Design] = []

    class Watch(cp_model.CpSolverSolutionCallback):
        def on_solution_callback(self) -> None:
            met.append(model.design(self.value))

    status: list[int] = []
    thread = Thread(target=lambda: status.append(int(solver.solve(model.model, Watch()))), daemon=True)
    thread.start()
    told = 0
    try:
        while thread.is_alive():
            thread.join(_TICK)
            if tell is not None and len(met) > told:
                told = len(met)
                tell(met[-1])
    finally:
        if thread.is_alive():
            solver.stop_search()
            thread.join()
    complete = status in ([int(cp_model.OPTIMAL)], [int(cp_model.INFEASIBLE)])
    return (met[-1] if met else None), complete


def _proof(request: Request, found: Design | None) -> Proof | None:
    """What an exhaustive search has proved."""
    if found is None:
        pairs = "pair" if request.mode == "universal" else "pair of the profile"
        return Proof("impossible", _THEOREM, f"all wirings were searched, and in none every {pairs} shares a switch")
    if request.mode == "fractional":
        return Proof("optimal", _THEOREM, "all wirings were searched, and none covers more of the traffic")
    return None
