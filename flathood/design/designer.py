# SPDX-License-Identifier: Apache-2.0
"""The designer: from a request to the best wiring it finds, with what is proved of it.

Rounds of a construction or a random start, local search and polish; the best by quality wins. Each round draws from a
generator of its own, seeded by the seed and the round's number, so the same seed and rounds give the same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from flathood.design.anneal import Effort, anneal, random_design
from flathood.design.bounds import require_possible
from flathood.design.objective import Evaluation, evaluate, shared_switches
from flathood.design.planes import constructions
from flathood.design.polish import polish
from flathood.design.request import Design, Request
from flathood.errors import FlathoodError

_ROUNDS = 4
_MOST_ROUNDS = 100_000  # also with seconds to spare, the loop is bounded
_GENTLE = 0.1  # the heat that leaves a construction standing
_SEARCH, _POLISH = "local search", "polish"


class NotFound(FlathoodError):
    """No design that covers all pairs was found, and none of the bounds says that there is none."""


@dataclass(frozen=True)
class Limits:
    """How long to look: a number of rounds, or rounds until the seconds are over (then the machine's speed counts)."""

    seed: int = 0
    rounds: int = _ROUNDS
    seconds: float | None = None

    def __post_init__(self) -> None:
        """Refuse what is no limit."""
        if self.seed < 0:
            raise FlathoodError(f"seed {self.seed}: use a whole number from 0 up")
        if self.rounds < 1:
            raise FlathoodError(f"rounds {self.rounds}: use a whole number from 1 up")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise FlathoodError(f"seconds {self.seconds}: use a number above 0")


@dataclass(frozen=True)
class Candidate:
    """A design with its figures and the engines that made it."""

    design: Design
    evaluation: Evaluation
    engine: str

    def better_than(self, other: Candidate | None) -> bool:
        """Whether this covers more pairs, or as many with a better quality (beyond rounding)."""
        if other is None:
            return True
        mine, its = self.evaluation, other.evaluation
        if mine.uncovered != its.uncovered:
            return mine.uncovered < its.uncovered
        return mine.quality > its.quality + 1e-9


@dataclass(frozen=True)
class Progress:
    """What a search tells while it runs."""

    round: int
    rounds: int | None
    engine: str
    uncovered: int
    best: float
    seconds: float


@dataclass(frozen=True)
class Found:
    """The result of a search; ``rounds`` completed, ``interrupted`` by Ctrl-C after that."""

    best: Candidate
    rounds: int
    interrupted: bool


def search(
    request: Request,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Found:
    """Find the best design in which every pair shares a switch.

    Args:
        request: the hardware and the traffic.
        limits: seed and rounds, or seconds; default: seed 0 and four rounds.
        progress: called a few times a second.

    Returns:
        The best candidate: it fits the hardware and covers all pairs. It is proved optimal when its evaluation says
        so, and the search ends early then. Ctrl-C ends the search with the best covering design so far.

    Raises:
        Impossible: a bound forbids that every pair shares a switch.
        NotFound: no such design was met.
        KeyboardInterrupt: Ctrl-C before any covering design was met.

    """
    limits = limits or Limits()
    require_possible(request)
    run = _Run(request, limits, progress)
    try:
        run.go()
    except KeyboardInterrupt:
        run.keep()
        if run.best is None or run.best.evaluation.uncovered:
            raise
        return Found(run.best, run.rounds, interrupted=True)
    if run.best is None or run.best.evaluation.uncovered:
        left = run.best.evaluation.uncovered if run.best else "all"
        raise NotFound(
            f"no wiring was found in which every pair of nodes shares a switch ({left} pairs left over after "
            f"{run.rounds} rounds), and no bound says that there is none: give the search more --seconds or another "
            "--seed, or the cluster a few more ports, switches or NICs"
        )
    return Found(run.best, run.rounds, interrupted=False)


class _Run:
    """One search: what is best so far survives an interrupt at any point."""

    def __init__(self, request: Request, limits: Limits, progress: Callable[[Progress], None]) -> None:
        self.request, self.limits, self.progress = request, limits, progress
        self.best: Candidate | None = None
        self.rounds = 0
        self.began = time.monotonic()
        n = request.nodes
        self.steps = min(20_000, 200 * n + 400)
        self.polish_steps = min(20_000, 320 * n, 100_000_000 // (n * n))
        self.told = 0.0
        self.met: tuple[Design, str] | None = None  # the best of the local search that is running

    def go(self) -> None:
        starts = self._starts()
        while True:
            rng = np.random.default_rng([self.limits.seed, self.rounds])
            engine, start, heat = next(starts)
            self._offer(start, engine)
            if self._over():
                return
            label = f"{engine}, {_SEARCH}" if engine else _SEARCH
            tell = partial(self._tell, engine=label)
            found = anneal(self.request, start, rng, Effort(self.steps, heat=heat), tell)
            if self._offer(found, label):
                self._offer(polish(self.request, found, rng, self.polish_steps), f"{label}, {_POLISH}")
            self.rounds += 1
            if self._over():
                return

    def keep(self) -> None:
        """Take what the local search had when it was interrupted."""
        if self.met is not None:
            self._offer(*self.met)

    def _starts(self) -> Iterator[tuple[str, Design, float]]:
        """Every construction that fits, left standing at first; then random designs without end."""
        rng = np.random.default_rng([self.limits.seed, _MOST_ROUNDS])
        for name, design in constructions(self.request, rng):
            yield name, design, _GENTLE
        while True:
            yield "", random_design(self.request, rng), 1.0

    def _offer(self, design: Design, engine: str) -> bool:
        """Keep a design if it is the best so far; whether it covers all pairs."""
        candidate = Candidate(design, evaluate(self.request, design), engine or "random")
        if candidate.better_than(self.best):
            self.best = candidate
        return not candidate.evaluation.uncovered

    def _over(self) -> bool:
        done = self.best is not None and self.best.evaluation.optimal
        limit = self.limits.seconds
        if limit is None:
            return done or self.rounds >= self.limits.rounds
        return done or self.rounds >= _MOST_ROUNDS or self._seconds() >= limit

    def _seconds(self) -> float:
        return time.monotonic() - self.began

    def _tell(self, design: Design, engine: str) -> None:
        self.met = design, engine
        now = self._seconds()
        if now - self.told < 0.2:
            return
        self.told = now
        uncovered = int((shared_switches(design) == 0).sum()) // 2
        best = self.best.evaluation.quality if self.best else 0.0
        total = None if self.limits.seconds is not None else self.limits.rounds
        self.progress(Progress(self.rounds + 1, total, engine, uncovered, best, now))
