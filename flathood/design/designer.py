# SPDX-License-Identifier: Apache-2.0
"""The designer: from a request to the best wiring its engines find, with what is proved of it.

The engines take their turns, each from the best design so far: constructions, which cost nothing; exact search, where
no construction covers the pairs and the problem is small enough; then the search by chance. What every engine gives is
judged here, by one measure.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from flathood.design.bounds import Bound, Impossible, require_possible
from flathood.design.engine import Answer, Budget, Engine, Proof
from flathood.design.engines import AUTO, ENGINES, EXACT, TURNS
from flathood.design.objective import Evaluation, evaluate, shared_switches
from flathood.design.request import Design, Request
from flathood.errors import FlathoodError

_TELLS = 0.2  # seconds between two signs of life
_SAME = 1e-9  # figures nearer than this are the same: machines add in different orders


class NotFound(FlathoodError):
    """No design that covers the required pairs was found, and none of the bounds says that there is none."""


@dataclass(frozen=True)
class Candidate:
    """A design with its figures and the engine that made it."""

    design: Design
    evaluation: Evaluation
    engine: str
    rank: tuple[float, ...]

    @classmethod
    def of(cls, request: Request, design: Design, engine: str) -> Candidate:
        """Judge a design.

        What counts, in this order: required pairs without a switch; in fractional mode the traffic of the covered
        pairs; the profile's mean of shared switches, and then its throughput; other pairs without a switch. Where all
        pairs weigh the same the mean says only how unequal the fills of the switches are: there the product of the two
        counts. Where an operator's function gives a quality, that is what counts.
        """
        evaluation = evaluate(request, design)
        shared = shared_switches(design) > 0
        missing = int((request.required & ~shared).sum()) // 2
        covered = float((request.weights * shared).sum()) if request.mode == "fractional" else 0.0
        if request.judge is not None:
            worth: tuple[float, ...] = (evaluation.quality,)
        elif request.even:
            worth = (evaluation.profile_mean * evaluation.throughput,)
        else:
            worth = (evaluation.profile_mean, evaluation.throughput)
        return cls(design, evaluation, engine, (-missing, covered, *worth, -evaluation.uncovered))

    @property
    def missing(self) -> int:
        """Pairs that must share a switch and do not."""
        return int(-self.rank[0])

    def better_than(self, other: Candidate | None) -> bool:
        """Whether this is better beyond rounding."""
        if other is None:
            return True
        for mine, its in zip(self.rank, other.rank, strict=True):
            if abs(mine - its) > _SAME:
                return mine > its
        return False


@dataclass(frozen=True)
class Progress:
    """What a search tells while it runs: pairs that are still missing, seconds since it began, the best quality."""

    engine: str
    missing: int
    best: float
    seconds: float


@dataclass(frozen=True)
class Turn:
    """What one engine came to: the quality of its answer (None: no design) and the seconds that it took."""

    engine: str
    quality: float | None
    missing: int | None
    seconds: float
    proof: Proof | None


@dataclass(frozen=True)
class Found:
    """The result of a search: the best design, the engines' turns, and whether Ctrl-C ended it early."""

    best: Candidate
    turns: tuple[Turn, ...]
    proof: Proof | None
    interrupted: bool = False


def search(
    request: Request,
    budget: Budget | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
    engine: str = AUTO,
) -> Found:
    """Find the best design in which every required pair shares a switch.

    Args:
        request: the hardware, the traffic and the rules.
        budget: seed, rounds, seconds and jobs; default: seed 0, each engine's own number of rounds.
        progress: called a few times a second at most.
        engine: the one to ask, by its name; "auto": those that suit the request, one after the other.

    Returns:
        The best design found; it fits the request and covers the required pairs. The search ends early when it is
        proved optimal. Ctrl-C ends it with the best such design so far.

    Raises:
        Impossible: a bound or an exhaustive search says that there is none.
        NotFound: none was met.
        FlathoodError: the engine asked for does not suit the request.
        KeyboardInterrupt: Ctrl-C before any was met.

    """
    small = request.without_unused()
    if small.mode == "universal":
        require_possible(small)
    run = _Run(small, budget or Budget(), progress, engine)
    interrupted = False
    try:
        run.go()
    except KeyboardInterrupt:
        run.keep()
        if run.best is None or run.best.missing:
            raise
        interrupted = True
    if run.best is None or run.best.missing:
        raise NotFound(_not_found(small, run))
    best = replace(run.best, design=request.with_unused(run.best.design))
    return Found(best, tuple(run.turns), run.proof, interrupted)


class _Run:
    """One search: what is best so far survives an interrupt at any point."""

    def __init__(self, request: Request, budget: Budget, progress: Callable[[Progress], None], engine: str) -> None:
        self.request, self.budget, self.progress, self.wanted = request, budget, progress, engine
        self.best: Candidate | None = None
        self.proof: Proof | None = None
        self.turns: list[Turn] = []
        self.began = time.monotonic()
        self.told = 0.0
        self.met: tuple[Design, str] | None = None  # the best of the engine that is running
        self.running: tuple[Engine, float] | None = None  # that engine, and when it began

    def go(self) -> None:
        for engine in self._engines():
            left = self._left(engine)
            if left is not None and left <= 0:
                return
            self.running = engine, self._seconds()
            start = None if self.best is None else self.best.design
            answer = engine.solve(self.request, start, replace(self.budget, seconds=left), self._tell)
            self._take(*self.running, answer)
            if self.proof or (self.best is not None and self.best.evaluation.optimal):
                return

    def keep(self) -> None:
        """Take what the engine had that was interrupted."""
        if self.running is not None:
            design, label = self.met or (None, "")
            self._take(*self.running, Answer(design, label))

    def _engines(self) -> Iterator[Engine]:
        """The engines in their order; whether it is an engine's turn depends on what those before it gave."""
        if self.wanted != AUTO:
            engine = ENGINES[self.wanted]
            if not engine.suits(self.request):
                raise FlathoodError(f"the {self.wanted} engine does not suit this request: use --engine {AUTO}")
            yield engine
            return
        for name in TURNS:
            if ENGINES[name].suits(self.request) and not (name == EXACT and self._covered()):
                yield ENGINES[name]

    def _covered(self) -> bool:
        """Whether there is nothing left that an exhaustive search for covering designs could add."""
        if self.best is None:
            return False
        every_pair = not self.best.evaluation.uncovered
        return every_pair if self.request.mode == "fractional" else not self.best.missing

    def _left(self, engine: Engine) -> float | None:
        """The seconds that an engine may take: all that are left, half of them where another one follows."""
        if self.budget.seconds is None:
            return None
        left = self.budget.seconds - self._seconds()
        followed = engine.name == EXACT or (self.request.judge is not None and engine.name != TURNS[-1])
        return left / 2 if self.wanted == AUTO and followed else left

    def _take(self, engine: Engine, began: float, answer: Answer) -> None:
        """Judge what an engine gave; raises Impossible when it proves that there is none."""
        seconds = self._seconds() - began
        given = None if answer.design is None else self._offer(answer.design, answer.engine)
        quality, missing = (given.evaluation.quality, given.missing) if given else (None, None)
        self.turns.append(Turn(engine.name, quality, missing, seconds, answer.proof))
        self.met = self.running = None
        if answer.proof and answer.proof.kind == "impossible":
            proved = Bound(self.request.nodes - 1, answer.proof.theorem, answer.proof.because)
            raise Impossible(self.request, [proved], [])
        if given is self.best:
            self.proof = answer.proof

    def _offer(self, design: Design, engine: str) -> Candidate:
        """Keep a design if it is the best so far."""
        candidate = Candidate.of(self.request, design, engine)
        if candidate.better_than(self.best):
            self.best = candidate
        return candidate

    def _tell(self, design: Design, engine: str) -> None:
        self.met = design, engine
        now = self._seconds()
        if now - self.told < _TELLS:
            return
        self.told = now
        missing = int((self.request.required & (shared_switches(design) == 0)).sum()) // 2
        self.progress(Progress(engine, missing, self.best.evaluation.quality if self.best else 0.0, now))

    def _seconds(self) -> float:
        return time.monotonic() - self.began


def _not_found(request: Request, run: _Run) -> str:
    left = f"{run.best.missing} pairs" if run.best else "all pairs"
    pairs = "every pair of nodes shares" if request.mode == "universal" else "every pair of the profile shares"
    ran = ", ".join(turn.engine for turn in run.turns) or "no engine"
    return (
        f"no wiring was found in which {pairs} a switch ({left} left over; searched by: {ran}), and no bound says that "
        "there is none: give the search more --seconds or another --seed, the cluster a few more ports, switches or "
        "NICs, or be content with --mode fractional"
    )
