# SPDX-License-Identifier: Apache-2.0
"""Search by the operator's own function: small changes where it marks problem spots, kept when it likes them no less.

The other engines know the project's own quality; this one begins where they end and asks the function (see `judge`).
"""

from __future__ import annotations

import time

import numpy as np

from flathood.design.engine import Answer, Budget, Tell
from flathood.design.judge import Judge, Judgement
from flathood.design.objective import shared_switches
from flathood.design.planes import constructions
from flathood.design.request import Design, Request

_ROUNDS = 4_000
_MOST_ROUNDS = 10_000_000  # also with seconds to spare, the loop is bounded
_MARKED = 0.8  # of the changes begin at a problem spot, by its mark; the others anywhere, so that none is out of reach
_ADDED = 0.5  # of the changes at a node with a free NIC give it a cable


class JudgedSearch:
    """One judgement a round: two cables change places, one moves to a free port, or a free NIC gets one."""

    name = "judged"

    def suits(self, request: Request) -> bool:
        """Requests that come with a function."""
        return request.judge is not None

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Improve the start or, without one, a construction, see `engine.Engine`.

        Where neither covers the required pairs there is nothing to judge.
        """
        judge = request.judge
        rng = np.random.default_rng(budget.seed)
        if start is None:
            start = next((design for _, design in constructions(request, rng) if request.fits(design)), None)
        if judge is None or start is None or (request.required & (shared_switches(start) == 0)).any():
            return Answer(start, self.name)
        end = None if budget.seconds is None else time.monotonic() + budget.seconds
        climb = _Climb(request, judge, start, rng)
        for _ in range(budget.rounds or (_MOST_ROUNDS if end else _ROUNDS)):
            if climb.now.quality >= 1 or (end and time.monotonic() >= end):
                break
            if climb.step():
                tell(climb.design, self.name)
        return Answer(climb.design, self.name)


class _Climb:
    """A walk that never goes down."""

    def __init__(self, request: Request, judge: Judge, start: Design, rng: np.random.Generator) -> None:
        self.request, self.judge, self.rng = request, judge, rng
        self.design = start.copy()
        self.now: Judgement = judge(request, start)
        self.loose = np.ones_like(start) if request.keep is None else ~request.keep

    def step(self) -> bool:
        """Try one change; whether it made the design better."""
        changed = self._changed()
        if changed is None:
            return False
        then = self.judge(self.request, changed)
        if then.quality < self.now.quality:
            return False
        better = then.quality > self.now.quality
        self.design, self.now = changed, then
        return better

    def _changed(self) -> Design | None:
        """A neighbor of the design that keeps to all limits; None: this draw has none."""
        node, switch = self._spot()
        changed = self.design.copy()
        free = np.flatnonzero((self.design.sum(axis=0) < self.request.ports) & ~self.design[node])
        if len(free) and self.design[node].sum() < self.request.nics[node] and self.rng.random() < _ADDED:
            changed[node, self.rng.choice(free)] = True
            return changed
        if not (self.design & self.loose)[node, switch]:
            return None
        partners = np.argwhere(self.design & self.loose & ~self.design[node] & ~self.design[:, [switch]])
        if not len(free) + len(partners):
            return None
        nodes = [node]
        changed[node, switch] = False
        pick = int(self.rng.integers(len(free) + len(partners)))
        if pick < len(free):
            changed[node, free[pick]] = True
        else:
            other, its = partners[pick - len(free)]
            changed[other, its], changed[other, switch], changed[node, its] = False, True, True
            nodes.append(int(other))
        links = changed.astype(np.float32)
        covered = links[nodes] @ links.T > 0
        return changed if (covered | ~self.request.required[nodes]).all() else None

    def _spot(self) -> tuple[int, int]:
        """The cable to change: one that the function marks, by its mark, or any."""
        marks = np.where(self.design & self.loose, self.now.spots, 0.0)
        total = marks.sum()
        if total > 0 and self.rng.random() < _MARKED:
            place = int(self.rng.choice(marks.size, p=(marks / total).ravel()))
            return place // marks.shape[1], place % marks.shape[1]
        cables = np.argwhere(self.design)
        node, switch = cables[self.rng.integers(len(cables))] if len(cables) else (0, 0)
        return int(node), int(switch)
