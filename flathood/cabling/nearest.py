# SPDX-License-Identifier: Apache-2.0
"""The valid table of nodes and switches that takes the fewest moves from the one that was found, with its proof.

A move makes one new cable at most and takes one away at most, so the moves are no fewer than the new cables, and no
fewer than those that go. A pair that shares no switch gets one only by a new cable at one of its two nodes: the least
vertex cover of the graph of such pairs is a bound too, and a good one, since a slip leaves a star of pairs around one
node. So the nodes of a cover are wired anew with all others left as they are, which is a small problem; when that takes
as many moves as the cover has nodes, the proof is complete. Only where it takes more does an integer program over all
nodes decide whether anything lies between. Its pairs are put in as solutions fail them (a cutting plane method).

Time is counted as the solver's own deterministic work: the same cabling gives the same answer on a busy machine.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

Table = npt.NDArray[np.bool_]
_Counts = npt.NDArray[np.int64]

#: Violated pairs that are put in at a time: more make the program larger than it has to be.
_AT_ONCE = 200


@dataclass(frozen=True)
class Found:
    """What was found, n nodes and s switches.

    ``table``, ``plan``: bool[n, s], who is on which switch, as found and by plan. ``required``: bool[n, n], upper
    triangle: pairs that must share a switch. ``working``, ``broken``: int[n], NICs of each node that work and that do
    not. ``double``: int[n], cables of a node in a switch where it has another. ``ports``: int[s], for nodes.
    """

    table: Table
    plan: Table
    required: Table
    working: _Counts
    broken: _Counts
    double: _Counts
    ports: _Counts

    def uncovered(self, table: Table) -> npt.NDArray[np.int64]:
        """The pairs, int[k, 2], that must share a switch and do not."""
        return np.argwhere(self.required & ~shares(table))

    def cost(self, table: Table) -> int:
        """The least number of moves that can lead to a table."""
        gone = int((self.table & ~table).sum() + self.double.sum())
        return max(int((table & ~self.table).sum()), gone)


@dataclass
class _Budget:
    """Deterministic seconds that are left."""

    left: float

    def solve(self, model: cp_model.CpModel) -> tuple[cp_model.CpSolver, bool, bool]:
        """Whether the optimum is known, and whether it is proved that there is no solution."""
        from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 1
        solver.parameters.max_deterministic_time = max(self.left, 0.01)
        status = solver.solve(model)
        self.left -= solver.deterministic_time
        return solver, status == cp_model.OPTIMAL, status == cp_model.INFEASIBLE


def shares(table: Table) -> Table:
    """Which nodes share a switch, bool[n, n]."""
    on = table.astype(np.float32)
    shared: Table = on @ on.T > 0.5
    return shared


def nearest(found: Found, known: Table | None, patience: float) -> tuple[Table | None, int]:
    """A valid table at the fewest moves, and how many no valid table can be below.

    `known`: a valid table, if there is one; it is given back when nothing nearer is found. `patience`: deterministic
    seconds for all of the search, which take about as long as seconds do.
    """
    budget = _Budget(patience)
    cover = _cover(found, budget)
    bound = max(len(cover), int(found.double.sum()))
    free = {*cover, *np.flatnonzero(found.double).tolist()}
    best = known
    table, _ = _Program(found, free).run(budget)
    if table is not None and (best is None or found.cost(table) <= found.cost(best)):
        best = table
    if best is not None and found.cost(best) <= bound:
        return best, bound
    most = None if best is None else found.cost(best) - 1
    table, proved = _Program(found, range(len(found.table)), bound, most).run(budget)
    return (best if table is None else table), max(bound, proved)


def _cover(found: Found, budget: _Budget) -> list[int]:
    """A least set of nodes with one of each uncovered pair in it, of those that are not as planned if it can be."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - as above

    pairs = found.uncovered(found.table).tolist()
    model = cp_model.CpModel()
    chosen = {node: model.new_bool_var("") for node in sorted({node for pair in pairs for node in pair})}
    for a, b in pairs:
        model.add_bool_or(chosen[a], chosen[b])
    strange = (found.plan != found.table).any(axis=1)
    model.minimize(sum((len(chosen) + 1 - int(strange[node])) * cell for node, cell in chosen.items()))
    solver, optimal, _ = budget.solve(model)
    return [node for node, cell in chosen.items() if solver.boolean_value(cell)] if optimal else []


@dataclass
class _Program:
    """The integer program in which the nodes of `free` may be wired anew, at `least` to `most` moves."""

    found: Found
    free: Collection[int]
    least: int = 0
    most: int | None = None
    _cells: dict[tuple[int, int], cp_model.IntVar] = field(default_factory=dict)

    def run(self, budget: _Budget) -> tuple[Table | None, int]:
        """The optimum, or None, and a bound: `most` + 1 where it is proved that there is none."""
        model, moves = self._model()
        pairs = self.found.uncovered(self.found.table)
        bound = self.least
        while True:
            for a, b in pairs[:_AT_ONCE].tolist():
                self._share(model, a, b)
            solver, optimal, impossible = budget.solve(model)
            if impossible and self.most is not None:
                return None, self.most + 1
            if not optimal:
                return None, max(bound, int(solver.best_objective_bound) // self._rank**2)
            bound = solver.value(moves)
            table = self.found.table.copy()
            for place, cell in self._cells.items():
                table[place] = solver.boolean_value(cell)
            pairs = self.found.uncovered(table)
            if not len(pairs):
                return table, bound
            if budget.left <= 0:
                return None, bound

    def _model(self) -> tuple[cp_model.CpModel, cp_model.IntVar]:
        """Nodes on switches within NICs and ports; of equally many moves the fewest repairs, then the fewest pulls."""
        from ortools.sat.python import cp_model  # noqa: PLC0415 - as above

        found, model = self.found, cp_model.CpModel()
        nodes, switches = found.table.shape
        total = cp_model.LinearExpr.sum
        new: list[cp_model.LinearExprT] = []
        gone: list[cp_model.LinearExprT] = [int(found.double.sum())]
        repairs: list[cp_model.LinearExprT] = []
        for node in self.free:
            row = [model.new_bool_var(f"{node} {switch}") for switch in range(switches)]
            mended = model.new_int_var(0, int(found.broken[node]), f"{node} repairs")
            model.add(total(row) <= int(found.working[node]) + mended)
            repairs.append(mended)
            for switch, cell in enumerate(row):
                there = bool(found.table[node, switch])
                (gone if there else new).append(1 - cell if there else cell)
                model.add_hint(cell, there)
                self._cells[node, switch] = cell
        for switch, ports in enumerate(found.ports.tolist()):
            settled = sum(int(found.table[node, switch]) for node in range(nodes) if node not in self.free)
            model.add(total([self._cells[node, switch] for node in self.free]) <= ports - settled)
        largest = self._rank - 1
        moves = model.new_int_var(self.least, largest if self.most is None else self.most, "moves")
        model.add(moves >= total(new))
        model.add(moves >= total(gone))
        model.minimize(moves * self._rank**2 + total(repairs) * self._rank + total(gone))
        return model, moves

    @property
    def _rank(self) -> int:
        """More than all that can go or be repaired."""
        return self.found.table.size + int(self.found.double.sum()) + 1

    def _share(self, model: cp_model.CpModel, a: int, b: int) -> None:
        """Let two nodes share a switch."""
        both: list[cp_model.IntVar] = []
        for switch in range(self.found.table.shape[1]):
            open_cells = [self._cells[node, switch] for node in (a, b) if (node, switch) in self._cells]
            settled = [node for node in (a, b) if (node, switch) not in self._cells]
            if not all(self.found.table[node, switch] for node in settled):
                continue
            if len(open_cells) == 1:
                both += open_cells
                continue
            meet = model.new_bool_var("")
            for cell in open_cells:
                model.add_implication(meet, cell)
            both.append(meet)
        model.add_bool_or(both)
