# SPDX-License-Identifier: Apache-2.0
"""The local search as an engine: annealing from a start or from random designs, each round polished."""

from __future__ import annotations

import time

import numpy as np

from flathood.design.anneal import Effort, anneal, random_design
from flathood.design.engine import Answer, Budget, Tell
from flathood.design.objective import evaluate
from flathood.design.polish import polish
from flathood.design.request import Design, Request

_ROUNDS = 4
_MOST_ROUNDS = 100_000  # also with seconds to spare, the loop is bounded
_GENTLE = 0.1  # the heat that leaves a start standing


class LocalSearch:
    """Rounds of annealing and polish, the first of them from the start."""

    name = "local"

    def suits(self, request: Request) -> bool:
        """Any request that has no cables to keep."""
        return request.keep is None

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Look for the best design, see `engine.Engine`."""
        began = time.monotonic()
        rounds = budget.rounds or (_MOST_ROUNDS if budget.seconds else _ROUNDS)
        steps = min(20_000, 200 * request.nodes + 400)
        polish_steps = min(20_000, 320 * request.nodes, 100_000_000 // request.nodes**2)
        best, best_quality = start, -1.0 if start is None else evaluate(request, start).quality
        for number in range(rounds):
            rng = np.random.default_rng([budget.seed, number])
            begin, heat = (start, _GENTLE) if start is not None and number == 0 else (random_design(request, rng), 1.0)
            found = anneal(request, begin, rng, Effort(steps, heat=heat), lambda met: tell(met, self.name))
            if not evaluate(request, found).uncovered:
                found = polish(request, found, rng, polish_steps)
            quality = evaluate(request, found).quality
            if quality > best_quality + 1e-9:
                best, best_quality = found, quality
                tell(best, self.name)
            if best_quality >= 1 - 1e-9 or (budget.seconds and time.monotonic() - began >= budget.seconds):
                break
        return Answer(best, self.name)
