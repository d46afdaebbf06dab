# SPDX-License-Identifier: Apache-2.0
"""The local search by itself, without a population: annealing from the start or from random designs, each polished."""

from __future__ import annotations

import time

import numpy as np

from flathood.design.engine import Answer, Budget, Tell
from flathood.design.evolve import Individual, Task, anneal, polish, random_design
from flathood.design.objective import evaluate
from flathood.design.request import Design, Request

_ROUNDS = 4
_MOST_ROUNDS = 100_000  # also with seconds to spare, the loop is bounded
_GENTLE = 0.2  # the heat that leaves a start standing


class LocalSearch:
    """One design a round, the first of them from the start; later rounds search longer."""

    name = "local"

    def suits(self, request: Request) -> bool:
        """Any request."""
        return request.nodes > 0

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Look for the best design, see `engine.Engine`; it uses one process whatever the jobs."""
        began = time.monotonic()
        task = Task(request)
        best: Individual | None = None if start is None else task.individual(start)
        for number in range(budget.rounds or (_ROUNDS if budget.seconds is None else _MOST_ROUNDS)):
            rng = np.random.default_rng([budget.seed, number])
            first = start is not None and number == 0
            begin = start if start is not None and first else random_design(request, rng)
            found = task.individual(polish(task, anneal(task, begin, rng, number, _GENTLE if first else 1.0), rng))
            if best is None or found.score > best.score:
                best = found
                tell(best.design, self.name)
            out_of_time = budget.seconds is not None and time.monotonic() - began >= budget.seconds
            if out_of_time or evaluate(request, best.design).optimal:
                break
        return Answer(None if best is None else best.design, self.name)
