# SPDX-License-Identifier: Apache-2.0
"""Making the wiring of an option: a construction, and then a search where the throughput has not met its bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from flathood.design.bounds import Impossible
from flathood.design.designer import NotFound, search
from flathood.design.engine import Budget
from flathood.design.objective import evaluate
from flathood.design.options.fewest import most_throughput
from flathood.design.planes import constructions
from flathood.design.request import Design, Request
from flathood.design.throughput import concurrent


@dataclass(frozen=True, eq=False)
class Made:
    """A wiring in which every pair of nodes shares a switch.

    Attributes:
        design: bool[nodes, switches].
        engine: what made it.
        throughput: of the profile, in links, split over shared switches in the best way (see `throughput`).
        mean: switches that a pair shares on average.

    """

    design: Design
    engine: str
    throughput: float
    mean: float


_SAME = 1e-6  # a linear program's solution is this exact
#: The largest linear program: a front takes a hundred, and larger ones take seconds each. See `throughput.concurrent`.
_MOST_SHARES = 20_000
#: Makes a wiring for a request, thoroughly or only what needs no search; None: none was found.
Make = Callable[[Request, bool], Made | None]


def maker(seed: int = 0, rounds: int = 1) -> Make:
    """What makes wirings, with this seed; rounds of search as in `engine.Budget`, 0 for no search at all.

    Models of switch that differ only in rate and price have the same wirings, which are made once: so what this gives
    is for requests of the same nodes and traffic.
    """
    known: dict[tuple[bytes, bytes, bool], Made | None] = {}

    def make(request: Request, thorough: bool) -> Made | None:
        key = request.nics.tobytes(), request.ports.tobytes(), thorough
        if key not in known:
            known[key] = _make(request, seed, rounds if thorough else 0)
        return known[key]

    return make


def _make(request: Request, seed: int, rounds: int) -> Made | None:
    best = None
    sure = list(constructions(request, np.random.default_rng(seed)))
    if sure:
        # An even split tells which is best well enough; the linear program is then solved once.
        engine, design = max(sure, key=lambda named: evaluate(request, named[1]).throughput)
        best = _made(request, design, engine)
    if not rounds or (best is not None and best.throughput >= _bound(request) - _SAME):
        return best
    try:
        found = search(request, Budget(seed, None, rounds))
    except (Impossible, NotFound):
        return best
    if found.interrupted:
        raise KeyboardInterrupt  # of the whole front, not of this search alone
    other = _made(request, found.best.design, found.best.engine)
    return other if best is None or other.throughput > best.throughput else best


def _bound(request: Request) -> float:
    cables = min(int(request.usable_nics.sum()), int(request.usable_ports.sum()))
    return most_throughput(request.weights.sum(axis=1), int(request.usable_nics.max()), cables)


def _made(request: Request, design: Design, engine: str) -> Made:
    mean = evaluate(request, design).mean
    return Made(design, engine, concurrent(request, design, _MOST_SHARES).t, mean)
