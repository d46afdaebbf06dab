# SPDX-License-Identifier: Apache-2.0
"""How good a design is: the figures of the KLAT2 paper (section 6.1), its profile's, and one quality of both."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from flathood.design.bounds import mean_bound, profile_bound
from flathood.design.profiles import Matrix
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
        throughput_bound: no design of this hardware carries more, however pairs split their traffic.
        served: share of the profile's traffic that is between nodes which share a switch.
        fill: ports in use on each switch.
        quality: 0 … 1: (profile mean / its bound) x (throughput / its bound), or what the operator's function says;
            0 while a pair is uncovered that must not be. In fractional mode: share of the traffic that is served x
            (profile mean / its bound) x (throughput of what is served / its bound).

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
    served: float
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
            "served": figure(self.served),
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
    return cable_loads(request.weights, design, shared_switches(design))


def cable_loads(weights: Matrix, design: Design, shared: Counts) -> npt.NDArray[np.float64]:
    """The same, float64[n, switches], of any traffic float64[n, n] and with `shared_switches` known."""
    return np.where(design, weights / np.maximum(shared, 1) @ design, 0.0)


def evaluate(request: Request, design: Design) -> Evaluation:
    """Every figure of a design.

    >>> from flathood.design.profiles import traffic
    >>> hexa = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=bool)
    >>> request = Request(np.full(6, 2), np.full(3, 4), traffic("all-to-all", 6), "all-to-all")
    >>> [getattr(evaluate(request, hexa), name) for name in ("least", "mean", "histogram", "optimal")]
    [1, 1.2, (0, 12, 3), True]

    """
    fill = design.sum(axis=0)
    small = request.without_unused()
    if small is not request:
        design = design[np.ix_(request.used, request.ports > 0)]
    n, weights = small.nodes, small.weights
    shared = shared_switches(design)
    counts = np.bincount(shared[np.triu_indices(n, 1)], minlength=1)
    pairs = n * (n - 1) // 2
    uncovered = int(counts[0]) if pairs else 0
    mean = float(counts @ np.arange(len(counts))) / pairs if pairs else 0.0
    total = float(weights.sum())
    profile_mean = float((weights * shared).sum()) / total if total else 0.0
    served = float(weights[shared > 0].sum()) / total if total else 1.0
    rate, bound = even_rate(weights, design, shared), throughput_bound(small)
    whole = not (shared[weights > 0] == 0).any()
    best_mean, best_profile = mean_bound(small), profile_bound(small)
    if small.judge is not None:
        quality = small.judge(small, design).quality
    else:
        quality = (served if small.mode == "fractional" else 1.0) * _share(profile_mean, best_profile)
        quality *= _share(rate, bound)
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
        throughput=rate if whole else 0.0,
        throughput_bound=bound,
        served=served,
        fill=tuple(int(ports) for ports in fill),
        quality=0.0 if (small.required & (shared == 0)).any() else quality,
    )


def even_rate(weights: Matrix, design: Design, shared: Counts) -> float:
    """The largest multiple of the traffic that fits when each pair splits its own evenly over its shared switches.

    Pairs that share none are left out. 1 where there is no traffic left.

    Args:
        weights: float64[n, n], in links.
        design: bool[n, switches].
        shared: int64[n, n], see `shared_switches`.

    """
    load = float(cable_loads(weights, design, shared).max(initial=0))
    return 1 / load if load else 1.0


def throughput_bound(request: Request) -> float:
    """The largest multiple of the profile's traffic that any design could carry, all cables at their rate.

    A node sends no more than its NICs do, and all nodes together no more than all cables do, of which there are no
    more than NICs, nor than ports. In links for a demand of 1 on average; 1 where there is no traffic.
    """
    demand = request.weights.sum(axis=1)
    if not demand.any():
        return 1.0
    cables = min(int(request.usable_nics.sum()), int(request.usable_ports.sum()))
    talks = demand > 0
    node = float((request.usable_nics[talks] / demand[talks]).min())
    return min(node, cables / float(demand.sum()))


def _share(value: float, bound: float) -> float:
    return min(1.0, value / bound) if bound else 1.0
