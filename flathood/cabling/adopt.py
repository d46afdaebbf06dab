# SPDX-License-Identifier: Apache-2.0
"""Taking the cabling as it was found: as it is where it keeps the wiring's promise, else after the least moves.

The least moves are found over all nodes and switches, not only over the cables that are wrong, see
`flathood.cabling.nearest`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from flathood.cabling.impact import Coverage
from flathood.cabling.moves import Cable, Move, least_moves
from flathood.cabling.nearest import Found, Table, nearest, shares
from flathood.cabling.picture import Nic
from flathood.spec import Cluster
from flathood.wiring.model import Wiring

#: The solver's deterministic seconds for the optimum (0: none); then the best that is known is given, with its bound.
PATIENCE = 5.0
#: With more pairs of a node and a switch than these only the moves to the plan are considered.
_MOST = 40_000

Rows = dict[str, tuple[str | None, ...]]


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

    def cables(self, rows: Mapping[str, Sequence[str | None]]) -> list[Cable]:
        """The cables of a cabling."""
        return [
            (Nic(node, slot), switch)
            for node in self.coverage.nodes
            for slot, switch in enumerate(rows[node])
            if switch is not None
        ]

    def numbers(self) -> Found:
        """The same for the search."""
        slots = {node: self.found[node] for node in self.coverage.nodes}
        broken = np.array([sum(Nic(node, k) in self.broken for k in range(len(row))) for node, row in slots.items()])
        plugged = np.array([sum(switch is not None for switch in row) for row in slots.values()])
        return Found(
            table=self.table,
            plan=self.plan,
            required=self.coverage.required,
            working=np.array([len(row) for row in slots.values()]) - broken,
            broken=broken,
            double=plugged - self.table.sum(axis=1),
            ports=np.array([switch.free for switch in self.cluster.switches]),
        )

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
    if fits and not (problem.coverage.required & ~shares(table)).any():
        return Adoption(dict(found), (), 0)
    near = _near(problem)
    if table.size > _MOST or patience <= 0:
        return problem.finish(near, 0)
    best, bound = nearest(problem.numbers(), near, patience)
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
