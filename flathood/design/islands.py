# SPDX-License-Identifier: Apache-2.0
"""The genetic search on several islands: a population on each, whose best travels to the next island after each round.

An island is a job for a process of this machine, or of any machine that MPI reaches: under `python -m mpi4py.futures`
the same jobs go to its workers. Where an island is worked on changes nothing of what comes out.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np

from flathood.design.engine import Answer, Budget, Tell
from flathood.design.evolve import Individual, Task, begin, best_of, generation
from flathood.design.objective import evaluate
from flathood.design.request import Design, Request

_ROUNDS = 4
_MOST_ROUNDS = 10_000  # also with seconds to spare, the loop is bounded


@dataclass(frozen=True)
class _Job:
    """One round on one island: number -1 makes its first population, from the start if there is one."""

    request: Request
    population: tuple[Individual, ...]
    start: Design | None
    seed: int
    island: int
    number: int
    seconds: float | None


class Genetic:
    """The engine of this search."""

    name = "genetic"

    def suits(self, request: Request) -> bool:
        """Any request."""
        return request.nodes > 0

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Look for the best design, see `engine.Engine`; a round is a generation on each island."""
        began = time.monotonic()
        rounds = budget.rounds or (_ROUNDS if budget.seconds is None else _MOST_ROUNDS)
        islands: list[tuple[Individual, ...]] = [()] * budget.jobs
        best: Individual | None = None
        with _workers(budget.jobs) as run:
            for number in range(-1, rounds):
                left = None if budget.seconds is None else budget.seconds - (time.monotonic() - began)
                if left is not None and left <= 0 and best is not None:
                    break
                jobs = [
                    _Job(request, population, start, budget.seed, island, number, left)
                    for island, population in enumerate(islands)
                ]
                islands = list(run(_work, jobs))
                now = best_of([individual for population in islands for individual in population])[0]
                if best is None or now.score > best.score:
                    best = now
                    tell(best.design, self.name)
                    if evaluate(request, best.design).optimal:
                        break
                travellers = [population[0] for population in islands]
                islands = [
                    tuple(best_of([*population, travellers[island - 1]])) for island, population in enumerate(islands)
                ]
        return Answer(None if best is None else best.design, self.name)


def _work(job: _Job) -> tuple[Individual, ...]:
    """Do one round; everything that it depends on is in the job."""
    task = Task(job.request)
    rng = np.random.default_rng([job.seed, job.island, job.number + 1])
    if job.number < 0:
        return tuple(begin(task, job.start, rng))
    until = None if job.seconds is None else time.monotonic() + job.seconds
    return tuple(generation(task, list(job.population), rng, job.number, until))


_Run = Callable[[Callable[[_Job], tuple[Individual, ...]], list[_Job]], Iterator[tuple[Individual, ...]]]


@contextmanager
def _workers(jobs: int) -> Iterator[_Run]:
    """What works on jobs: this process, others beside it, or the workers of MPI."""
    if jobs == 1:
        yield map
        return
    executor: Executor
    if "mpi4py.futures" in sys.modules:
        from mpi4py.futures import MPIPoolExecutor  # noqa: PLC0415  # only there is MPI

        executor = MPIPoolExecutor()
    else:
        # Not forked: a progress line may have a thread. Ctrl-C reaches all processes; the first one decides.
        ignore = signal.SIGINT, signal.SIG_IGN
        executor = ProcessPoolExecutor(jobs, get_context("spawn"), signal.signal, ignore)
    try:
        yield executor.map
    finally:
        executor.shutdown(cancel_futures=True)
