# SPDX-License-Identifier: Apache-2.0
"""The local search: simulated annealing over moves that keep every limit, from any design that fits.

A move changes one node's switch for one with a free port, or lets two nodes exchange theirs (the smallest closed set
of connections in the sense of the KLAT2 paper, section 2), or uses a NIC that was idle. So no design on the way is
ever overfull. What is minimised: uncovered pairs before all else, then the profile's shared switches with falling
returns (a pair's second switch is worth more than another's fifth), then unequal fill of the switches.

Every choice is scored exactly, for all moves of a node in three small matrix products, and drawn by its score with
Gumbel noise, which is sampling from the Boltzmann distribution at that temperature. Nodes of uncovered pairs, the
problem spots, are chosen preferentially.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from flathood.design.request import Design, Request

_Floats = npt.NDArray[np.float64]
_FALL = 0.125  # each further switch that a pair shares is worth so much less than the one before
_LEAST = 0.0625  # but never less than this
_COLD = 0.02  # the last temperature, in units of the heaviest pair's weight
_GRAIN = 2.0**-12  # weights are multiples of this, so that sums are exact and every machine takes the same way
_LOOKS = 256  # moves between looks for problem spots


@dataclass(frozen=True)
class Effort:
    """How long to search, and what for besides shared switches.

    ``steps`` moves are tried. ``fill_weight`` says how much an unequal fill of the switches costs: 1 makes up for the
    larger mean of shared switches that it brings under all-to-all traffic, above that equal fills win. ``heat`` is the
    first temperature, in units of the heaviest pair's weight: 1 forgets the start, 0.1 keeps most of it.
    """

    steps: int
    fill_weight: float = 1.0
    heat: float = 1.0


@dataclass(frozen=True)
class _Move:
    """Node ``node`` leaves ``source`` (None: an idle NIC) for ``target``; ``partner`` goes the other way if given."""

    node: int
    source: int | None
    target: int
    partner: int | None
    gain: float


class _State:
    """A design with all that makes the score of a move cheap; ``cost`` is followed move by move."""

    def __init__(self, request: Request, design: Design, fill_weight: float) -> None:
        self.request = request
        n = request.nodes
        self.on = design.astype(np.float64)
        self.loads = self.on.sum(axis=0)
        self.idle = request.usable_nics - design.sum(axis=1)
        mean = request.weights.sum() / (n * (n - 1))
        self.weights = np.round(request.weights / (mean or 1) / _GRAIN) * _GRAIN  # 1 on average over the pairs
        self.heaviest = float(self.weights.max(initial=1.0))
        self.first = 2 * self.heaviest + 2 * fill_weight  # covering a pair outweighs any one other gain
        self.fill_weight = fill_weight
        self.worth = np.maximum(1 - _FALL * np.arange(request.switches + 2), _LEAST)  # of one switch more
        self.shared = self.on @ self.on.T
        np.fill_diagonal(self.shared, 0)
        self.up, self.down = np.empty((n, n)), np.empty((n, n))
        self._refresh(np.arange(n))

    @property
    def uncovered(self) -> int:
        """Pairs that share no switch."""
        n = len(self.shared)
        return (int((self.shared == 0).sum()) - n) // 2

    def cost(self) -> float:
        """What the search minimises; only ever compared between designs of one search."""
        total = np.cumsum(self.worth)
        counts = self.shared.astype(np.int64)
        value = np.where(counts > 0, total[np.maximum(counts - 1, 0)], 0) * self.weights
        missing = self.first * (self.uncovered + self.idle.sum())
        return float(missing - value.sum() / 2 + self.fill_weight / 2 * (self.loads**2).sum())

    def moves(self, node: int, rng: np.random.Generator, heat: float) -> _Move | None:
        """Draw a move of one node; its partner, where the target has no free port, is drawn the same way."""
        on = self.on[node] > 0
        up, down = self.up[node], self.down[node]
        gain_on, gain_off = up @ self.on, down @ self.on
        both = self.on.T @ ((up + down)[:, None] * self.on)
        mine, others = np.flatnonzero(on), np.flatnonzero(~on)
        if not len(others):
            return None
        gains = gain_off[mine, None] + gain_on[None, others] - both[np.ix_(mine, others)]
        free = self.loads[others] < self.request.ports[others]
        fill = np.where(free, self.fill_weight * (self.loads[others] - self.loads[mine, None] + 1), 0)
        table = gains - fill
        if self.idle[node]:
            alone = gain_on[others] - np.where(free, self.fill_weight * (self.loads[others] + 0.5), 0) + self.first
            table = np.vstack([table, alone])
        pick = int(np.argmax(table + heat * rng.gumbel(size=table.shape)))
        row, column = divmod(pick, len(others))
        source = int(mine[row]) if row < len(mine) else None
        target, gain = int(others[column]), float(table[row, column])
        move = _Move(node, source, target, None, gain)
        return move if free[column] else self._exchange(move, rng, heat)

    def _exchange(self, move: _Move, rng: np.random.Generator, heat: float) -> _Move | None:
        """Find a move's partner: a node on the target that is not on the source."""
        node, source, target = move.node, move.source, move.target
        leaving = self.on[:, target] > 0
        if source is not None:
            leaving &= self.on[:, source] == 0
        partners = np.flatnonzero(leaving)
        if not len(partners):
            return None
        here = self.on[:, target]
        if source is None:  # the partner's NIC falls idle
            back = self.down[partners] @ here - self.up[partners, node] - self.first
        else:
            there = self.on[:, source]
            back = self.up[partners] @ (there * (1 - here)) + self.down[partners] @ (here * (1 - there))
            back -= 2 * self.up[partners, node]  # each counted the other as met; they meet as often as before
        pick = int(np.argmax(back + heat * rng.gumbel(size=len(partners))))
        return replace(move, partner=int(partners[pick]), gain=move.gain + float(back[pick]))

    def apply(self, move: _Move) -> None:
        """Make a move."""
        changed = [move.node]
        self._go(move.node, move.source, move.target)
        if move.partner is not None:
            self._go(move.partner, move.target, move.source)
            changed.append(move.partner)
        rows = self.on[changed] @ self.on.T
        self.shared[changed] = rows
        self.shared[:, changed] = rows.T
        self.shared[changed, changed] = 0
        self._refresh(np.array(changed))

    def _go(self, node: int, source: int | None, target: int | None) -> None:
        if source is not None:
            self.on[node, source] = 0
            self.loads[source] -= 1
        if target is not None:
            self.on[node, target] = 1
            self.loads[target] += 1
        self.idle[node] += (source is not None) - (target is not None)

    def _refresh(self, nodes: npt.NDArray[np.intp]) -> None:
        counts = self.shared[nodes].astype(np.int64)
        weights = self.weights[nodes]
        up = weights * self.worth[counts] + self.first * (counts == 0)
        down = -weights * self.worth[np.maximum(counts - 1, 0)] - self.first * (counts == 1)
        down[counts == 0] = 0
        for table, rows in ((self.up, up), (self.down, down)):
            rows[np.arange(len(nodes)), nodes] = 0
            table[nodes] = rows
            table[:, nodes] = rows.T


def random_design(request: Request, rng: np.random.Generator) -> Design:
    """A design that fits, without any thought of pairs: each node in turn takes the emptiest switches, ties at random.

    Ports run out before NICs do on some hardware; the nodes that come last then have idle NICs.
    """
    design = np.zeros((request.nodes, request.switches), dtype=np.bool_)
    left = request.ports.astype(np.float64)
    for node in rng.permutation(request.nodes):
        order = np.argsort(-(left + rng.random(request.switches)))[: request.usable_nics[node]]
        order = order[left[order] > 0]
        design[node, order] = True
        left[order] -= 1
    return design


def anneal(
    request: Request,
    start: Design,
    rng: np.random.Generator,
    effort: Effort,
    progress: Callable[[Design], None] = lambda best: None,
) -> Design:
    """Improve a design that fits; the result fits too, and covers all pairs if the search met any design that does.

    Args:
        request: what the design is made of.
        start: bool[n, switches].
        rng: the only source of chance.
        effort: how many moves are tried, and the weight of equal fills.
        progress: called with the best design so far, every few hundred moves.

    Returns:
        The best design met, bool[n, switches].

    """
    if request.nodes < 2:
        return start.copy()
    state = _State(request, start, effort.fill_weight)
    best, best_cost = start.copy(), state.cost()
    cost = best_cost
    spots = np.arange(0)
    for step in range(effort.steps):
        heat = state.heaviest * effort.heat * (_COLD / effort.heat) ** (step / effort.steps)
        if step % _LOOKS == 0:
            spots = np.flatnonzero((state.shared == 0).sum(axis=1) > 1)
            progress(best)
        pool = spots if len(spots) and rng.random() < 0.5 else None
        node = int(rng.choice(pool)) if pool is not None else int(rng.integers(request.nodes))
        move = state.moves(node, rng, heat)
        if move is None or (move.gain < 0 and rng.random() >= np.exp(move.gain / heat)):
            continue
        state.apply(move)
        cost -= move.gain
        if cost < best_cost - 1e-9:
            best, best_cost = state.on > 0, cost
    return best
