# SPDX-License-Identifier: Apache-2.0
"""How good the designer's engines are, each by itself on the same problems.

Told are the seconds until all required pairs share a switch, and what the profile's pairs share in the end.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from flathood.bench.measure import Row
from flathood.design.designer import Candidate
from flathood.design.engine import Budget
from flathood.design.engines import ENGINES
from flathood.design.objective import shared_switches
from flathood.design.profiles import traffic
from flathood.design.request import Design, Request
from flathood.spec.rules import Mode

SECONDS = 10.0


@dataclass(frozen=True)
class Problem:
    """Hardware and traffic, and the mean of shared switches of the profile's pairs that a good design has at least."""

    nodes: int
    ports: int
    nics: int
    switches: int
    profile: str = "all-to-all"
    mode: Mode = "universal"
    target: float = 0.0

    @property
    def request(self) -> Request:
        """The request that it makes."""
        return Request(
            nics=np.full(self.nodes, self.nics),
            ports=np.full(self.switches, self.ports),
            weights=traffic(self.profile, self.nodes),
            profile=self.profile,
            mode=self.mode,
        )


#: Each is known to be possible. The first five are KLAT2: its own nine switches, for several programs.
PROBLEMS = {
    "klat2": Problem(64, 31, 4, 9),
    "klat2 ring": Problem(64, 31, 4, 9, "ring", target=3.80),
    "klat2 torus2d": Problem(64, 31, 4, 9, "torus2d", target=3.26),
    "klat2 torus3d": Problem(64, 31, 4, 9, "torus3d", target=2.98),
    "klat2 hypercube": Problem(64, 31, 4, 9, "hypercube", target=2.99),
    "plane of order 3": Problem(13, 4, 4, 13),
    "104 of 32": Problem(104, 32, 4, 13),
    "128 of 48": Problem(128, 48, 4, 10),
    "1024 sparse": Problem(1024, 64, 8, 128, "torus3d", "sparse"),
}


def pairs(problems: tuple[str, ...], engines: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The problems with the engines that suit each."""
    for problem in problems or PROBLEMS:
        request = PROBLEMS[problem].request
        yield from ((problem, name) for name in engines or ENGINES if ENGINES[name].suits(request))


def work(problem: str, engine: str, seconds: float, jobs: int) -> Row:
    """Let one engine work on one problem for so long; it has seen a small problem before, so that it is compiled."""
    small = replace(PROBLEMS[problem], nodes=7, ports=3, nics=3, switches=7)
    ENGINES[engine].solve(small.request, None, Budget(rounds=1), lambda *_: None)
    request, target = PROBLEMS[problem].request, PROBLEMS[problem].target
    covered: float | None = None
    began = time.perf_counter()

    def tell(design: Design, _: str) -> None:
        nonlocal covered
        if covered is None and not (request.required & (shared_switches(design) == 0)).any():
            covered = time.perf_counter() - began

    answer = ENGINES[engine].solve(request, None, Budget(seconds=seconds, jobs=jobs), tell)
    end = time.perf_counter() - began
    best = None if answer.design is None else Candidate.of(request, answer.design, answer.engine)
    if best and not best.missing and covered is None:
        covered = end
    missing = best.missing if best else int(request.required.sum()) // 2
    return {
        "problem": problem,
        "engine": engine,
        "covered_seconds": f"{missing} left" if covered is None else round(covered, 3),
        "mean": round(best.evaluation.profile_mean, 3) if best else 0.0,
        "target": target or "",
        "quality": round(best.evaluation.quality, 4) if best else 0.0,
    }
