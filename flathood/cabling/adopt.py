# SPDX-License-Identifier: Apache-2.0
"""Taking the cabling as it was found: as it is where it keeps the wiring's promise, else after the least moves.

The least moves are the optimum of an integer program over all nodes and switches, not only over the cables that are
wrong: which node is on which switch, each node with the NICs that work, each switch with its ports, every pair that
must share a switch sharing one, and as few new cables as possible. Pairs are put in only as a solution fails them (a
cutting plane method), so each solution before the last is a lower bound, and the last one, which fails none, is the
optimum.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from flathood.cabling.impact import Coverage
from flathood.cabling.moves import Cable, Move, least_moves
from flathood.cabling.picture import Nic
from flathood.spec import Cluster
from flathood.wiring.model import Wiring

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

#: Seconds that the search for the optimum may take (0: none); then the best that is known is given, with its bound.
PATIENCE = 5.0
#: Violated pairs that are put in at a time: more make the program larger than it has to be.
_AT_ONCE = 200
#: With more pairs of a node and a switch than these only the moves to the plan are considered.
_MOST = 40_000

Rows = dict[str, tuple[str | None, ...]]
Table = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Adoption:
    """A wiring that keeps its promise, near to what was found: its slots, the moves to get there, the proof.

    ``bound``: no valid wiring takes fewer new or moved cables, by proof; the moves' number when they are least.
    """

    rows: Rows
    moves: tuple[Move, ...]
    bound: int

    @property
    def proved(self) -> bool:
        """Whether no valid wiring is nearer."""
        return self.bound >= len(self.moves)


class Problem:
    """What was found, as a table of nodes and switches."""

    def __init__(self, cluster: Cluster, wiring: Wiring, found: Rows, broken: frozenset[Nic]) -> None:
        self.cluster, self.wiring, self.found, self.broken = cluster, wiring, found, broken
        self.coverage = Coverage(cluster, wiring)
        self.table: Table = self.coverage.on(found) > 0
        self.plan: Table = self.coverage.on(wiring.nodes) > 0
        #: A new cable counts this much beside one that is pulled out: of equally few new ones the fewest go.
        self.weight = int(self.table.sum()) + 1

    def cables(self, rows: Mapping[str, Sequence[str | None]]) -> list[Cable]:
        """The cables of a cabling."""
        return [
            (Nic(node, slot), switch)
            for node in self.coverage.nodes
            for slot, switch in enumerate(rows[node])
            if switch is not None
        ]

    def finish(self, table: Table, bound: int) -> Adoption:
        """Give each node's switches to its slots: cables that stay keep theirs, new ones take the free ones."""
        rows = dict(self.found)
        for row, node in enumerate(self.coverage.nodes):
            wanted = [name for name, there in zip(self.cluster.switch_names, table[row], strict=True) if there]
            rows[node] = self._slots(node, wanted)
        ports = {switch.name: switch.free for switch in self.cluster.switches}
        moves = least_moves(self.cables(self.found), self.cables(rows), ports)
        return Adoption(rows, tuple(moves), bound)

    def _slots(self, node: str, wanted: list[str]) -> tuple[str | None, ...]:
        kept: set[str] = set()
        slots: list[str | None] = []
        for switch in self.found[node]:
            stays = switch is not None and switch in wanted and switch not in kept
            slots.append(switch if stays else None)
            if stays and switch is not None:
                kept.add(switch)
        fresh = [switch for switch in wanted if switch not in kept]
        # A slot whose NIC works and, if it can be, has a cable in the wrong place; a broken NIC last.
        free = [slot for slot, switch in enumerate(slots) if switch is None]
        free.sort(key=lambda slot: (Nic(node, slot) in self.broken, self.found[node][slot] is None, slot))
        planned = self.wiring.nodes[node]
        for switch in fresh:
            own = [slot for slot in free[: len(fresh)] if planned[slot] == switch]
            slot = own[0] if own else free[0]
            free.remove(slot)
            slots[slot] = switch
        return tuple(slots)


def adopt(
    cluster: Cluster, wiring: Wiring, found: Rows, broken: frozenset[Nic], patience: float = PATIENCE
) -> Adoption:
    """The valid wiring nearest to what was found.

    `found`: the switch of each slot of each node, None where no cable works; `broken`: NICs that are not to be used
    if it can be helped. The wiring is the plan, by the names that the switches bear: it is what is known to be valid.
    """
    problem = Problem(cluster, wiring, found, broken)
    table = problem.table
    fits = all(len(set(filter(None, row))) == len([name for name in row if name]) for row in found.values())
    if fits and not (problem.coverage.required & ~_shares(table)).any():
        return Adoption(dict(found), (), 0)
    near = _near(problem)
    best, bound = _search(problem, patience) if table.size <= _MOST and patience > 0 else (None, 0)
    answers = [problem.finish(each, bound) for each in (best, near) if each is not None]
    return min(answers, key=lambda answer: len(answer.moves))


def _near(problem: Problem) -> Table:
    """The plan, with every node left as it was found whose moves are not needed: valid, and near to the least."""
    table, ports = problem.plan.copy(), np.array([switch.free for switch in problem.cluster.switches])
    required = problem.coverage.required | problem.coverage.required.T
    for row in np.flatnonzero((problem.plan != problem.table).any(axis=1)).tolist():
        tried = table.copy()
        tried[row] = problem.table[row]
        alone = required[row] & ~(tried @ tried[row])
        if not alone.any() and (tried.sum(axis=0) <= ports).all():
            table = tried
    return table


def _shares(table: Table) -> Table:
    on = table.astype(np.float32)
    shared: Table = on @ on.T > 0.5
    return shared


def _search(problem: Problem, patience: float) -> tuple[Table | None, int]:
    """The optimum and its cost; without the optimum in time, None and a lower bound."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

    deadline = time.monotonic() + patience
    model, x, cost = _model(problem)
    required = problem.coverage.required
    bound = 0
    pairs = np.argwhere(required & ~_shares(problem.table))
    while True:
        for a, b in pairs[:_AT_ONCE].tolist():
            _share(model, x, a, b)
        model.minimize(cost)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_time_in_seconds = max(deadline - time.monotonic(), 0.1)
        status = solver.solve(model)
        if status != cp_model.OPTIMAL:
            return None, max(bound, int(solver.best_objective_bound) // problem.weight)
        bound = round(solver.objective_value) // problem.weight
        table = np.array([[solver.boolean_value(cell) for cell in row] for row in x], dtype=np.bool_)
        pairs = np.argwhere(required & ~_shares(table))
        if not len(pairs):
            return table, bound


def _model(
    problem: Problem,
) -> tuple[cp_model.CpModel, list[list[cp_model.IntVar]], cp_model.LinearExprT]:
    """Nodes on switches within NICs and ports; the cost is the new cables, and a broken NIC that has to be replaced."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - as above

    model = cp_model.CpModel()
    nodes, switches = problem.coverage.nodes, problem.cluster.switches
    x = [[model.new_bool_var(f"{node} {switch.name}") for switch in switches] for node in nodes]
    terms: list[cp_model.LinearExprT] = []
    weight = problem.weight
    for row, node in enumerate(nodes):
        slots = len(problem.found[node])
        bad = sum(Nic(node, slot) in problem.broken for slot in range(slots))
        repairs = model.new_int_var(0, bad, f"{node} repairs")
        model.add(sum(x[row]) <= slots - bad + repairs)
        terms += [1 - cell if there else weight * cell for cell, there in zip(x[row], problem.table[row], strict=True)]
        terms.append(weight * repairs)
    for column, switch in enumerate(switches):
        model.add(sum(row[column] for row in x) <= switch.free)
    for row_cells, row_there in zip(x, problem.table, strict=True):
        for cell, there in zip(row_cells, row_there, strict=True):
            model.add_hint(cell, bool(there))
    return model, x, sum(terms)


def _share(model: cp_model.CpModel, x: list[list[cp_model.IntVar]], a: int, b: int) -> None:
    """Let two nodes share a switch."""
    both = []
    for one, other in zip(x[a], x[b], strict=True):
        meet = model.new_bool_var("")
        model.add_implication(meet, one)
        model.add_implication(meet, other)
        both.append(meet)
    model.add_bool_or(both)
