# SPDX-License-Identifier: Apache-2.0
"""How good a design is: the figures of the KLAT2 paper (section 6.1), its profile's, and one quality of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from flathood.design.bounds import mean_bound, profile_bound
from flathood.design.request import Counts, Design, Request

#: Nearer to 1 than rounding errors of sums over 1,024 x 1,024 pairs can be.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Evaluation:
    """The figures of one design; bandwidths in links, latency in switches on the way.

    Attributes:
        pairs: unordered pairs of nodes.
        uncovered: pairs that share no switch, and would cross the uplink.
        least: fewest switches that a pair shares.
        mean: switches that a pair shares on average, the paper's pairwise bandwidth.
        mean_bound: no design of this hardware has a larger mean.
        histogram: pairs that share 0, 1, 2, … switches.
        profile_mean: the mean over pairs weighted by the profile.
        profile_bound: no design that covers all pairs has a larger profile mean.
        bisection_best: the paper's best case: every NIC busy.
        bisection_conservative: the paper's conservative bound: nodes times the mean.
        latency: switches on the way between two nodes on average; 3 through the uplink.
        throughput: share of a link's rate at which all nodes can send the profile's traffic at once (a node's demand
            is 1 on average), when each pair splits its own evenly over the switches that it shares; 0: some pair of
            the profile shares none.
        throughput_bound: what the NICs of the most demanding node allow.
        fill: ports in use on each switch.
        quality: 0 … 1: (profile mean / its bound) x (throughput / its bound); 0 while any pair is uncovered.

    """

    pairs: int
    uncovered: int
    least: int
    mean: float
    mean_bound: float
    histogram: tuple[int, ...]
    profile_mean: float
    profile_bound: float
    bisection_best: float
    bisection_conservative: float
    latency: float
    throughput: float
    throughput_bound: float
    fill: tuple[int, ...]
    quality: float

    @property
    def optimal(self) -> bool:
        """Whether this is proved the best there is: every figure that the quality is made of meets its bound."""
        return self.quality >= 1 - _ROUNDING

    def report(self) -> dict[str, Any]:
        """The figures as plain data, in a fixed order; fractions cut to eight digits, as the paper prints its own."""
        return {
            "quality": figure(self.quality),
            "optimal": self.optimal,
            "pairs": self.pairs,
            "uncovered": self.uncovered,
            "shared": {
                "least": self.least,
                "mean": figure(self.mean),
                "mean_bound": figure(self.mean_bound),
                "histogram": list(self.histogram),
                "profile_mean": figure(self.profile_mean),
                "profile_bound": figure(self.profile_bound),
            },
            "bisection": {"best": figure(self.bisection_best), "conservative": figure(self.bisection_conservative)},
            "latency": figure(self.latency),
            "throughput": {"even_split": figure(self.throughput), "bound": figure(self.throughput_bound)},
            "fill": list(self.fill),
        }


def figure(value: float) -> float:
    """A figure cut, not rounded, to eight digits, as the paper prints them.

    >>> figure(9 / 7), figure(72 / 7)
    (1.28571428, 10.28571428)

    """
    return math.floor(value * 1e8 + 1e-3) / 1e8


def shared_switches(design: Design) -> Counts:
    """How many switches each pair shares, int64[n, n]; a node's own NICs are on the diagonal."""
    links = design.astype(np.float32)  # exact: counts stay far below 2**24, and this is a matrix product of BLAS
    return (links @ links.T).astype(np.int64)


def link_loads(request: Request, design: Design) -> npt.NDArray[np.float64]:
    """Traffic on each cable, float64[n, switches], when each pair splits its own evenly over its shared switches."""
    split = request.weights / np.maximum(shared_switches(design), 1)
    return np.where(design, split @ design, 0.0)


def evaluate(request: Request, design: Design) -> Evaluation:
    """Every figure of a design.

    >>> from flathood.design.profiles import traffic
    >>> hexa = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=bool)
    >>> request = Request(np.full(6, 2), np.full(3, 4), traffic("all-to-all", 6), "all-to-all")
    >>> [getattr(evaluate(request, hexa), name) for name in ("least", "mean", "histogram", "optimal")]
    [1, 1.2, (0, 12, 3), True]

    """
    n = request.nodes
    shared = shared_switches(design)
    counts = np.bincount(shared[np.triu_indices(n, 1)], minlength=1)
    pairs = n * (n - 1) // 2
    uncovered = int(counts[0]) if pairs else 0
    mean = float(counts @ np.arange(len(counts))) / pairs if pairs else 0.0
    total = float(request.weights.sum())
    profile_mean = float((request.weights * shared).sum()) / total if total else 0.0
    throughput, throughput_bound = _throughput(request, design, shared)
    best_mean, best_profile = mean_bound(request), profile_bound(request)
    quality = _share(profile_mean, best_profile) * _share(throughput, throughput_bound)
    return Evaluation(
        pairs=pairs,
        uncovered=uncovered,
        least=int(np.flatnonzero(counts)[0]) if pairs else 0,
        mean=mean,
        mean_bound=best_mean,
        histogram=tuple(int(count) for count in counts) if pairs else (),
        profile_mean=profile_mean,
        profile_bound=best_profile,
        bisection_best=float(design.sum()),
        bisection_conservative=n * mean,
        latency=(1.0 * (pairs - uncovered) + 3.0 * uncovered) / pairs if pairs else 0.0,
        throughput=throughput,
        throughput_bound=throughput_bound,
        fill=tuple(int(ports) for ports in design.sum(axis=0)),
        quality=0.0 if uncovered else quality,
    )


def _throughput(request: Request, design: Design, shared: Counts) -> tuple[float, float]:
    demand = request.weights.sum(axis=1)
    if not demand.any():
        return 1.0, 1.0
    bound = 1 / float((demand / request.usable_nics).max())
    if (shared[request.weights > 0] == 0).any():
        return 0.0, bound
    return 1 / float(link_loads(request, design).max()), bound


def _share(value: float, bound: float) -> float:
    return min(1.0, value / bound) if bound else 1.0
