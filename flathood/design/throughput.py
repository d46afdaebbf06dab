# SPDX-License-Identifier: Apache-2.0
"""Concurrent throughput: how much of a profile's traffic fits at once when every pair splits its own in the best way.

A linear program. Unordered pair p with traffic w sends the share x[p, s] of it through each switch s that its nodes
share; the shares of a pair add up to 1; the load of a cable is the sum of w x over the pairs that use it; the largest
load is made as small as can be, and its inverse is the throughput. A cable carries both directions at once and the
profile is symmetric, so the mean of a solution and its mirror is a solution: one direction stands for both. Switches
do not block, so a node's NIC and its port are one limit: the cable. A pair that shares one switch has no choice and
is a constant load, which leaves few variables: klat2's all-to-all traffic has about 1,800.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from flathood.design.objective import cable_loads, shared_switches, throughput_bound
from flathood.design.profiles import Matrix
from flathood.design.request import Design, Request
from flathood.errors import FlathoodError

#: The largest linear program that is solved, in shares of pairs; see `concurrent`.
MOST_SHARES = 200_000
_SAME = 1e-7  # the solver's own tolerance
_Numbers = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Throughput:
    """What a design carries of a profile, as a multiple of its demands; a node's demand is one link on average.

    Attributes:
        t: this much fits: a split of the traffic exists.
        limit: no split over this design's shared switches carries more; equals t when the linear program was solved.
        bound: no design of the same hardware carries more.
        method: "linear program"; or "even split" where that was too large: then t is what an even split carries, and
            limit is what the cables of the most loaded node, or all cables together, allow.

    """

    t: float
    limit: float
    bound: float
    method: str

    @property
    def exact(self) -> bool:
        """Whether t is the most that this design carries."""
        return self.limit - self.t <= _SAME * self.limit


def concurrent(request: Request, design: Design, most_shares: int = MOST_SHARES) -> Throughput:
    """The largest t such that t times the profile's demands fit at once, over shared switches only.

    t is 0 when a pair of the profile shares no switch, 1 when the profile has no traffic. A program of more than
    ``most_shares`` variables is not solved: then t and limit enclose the answer, which is a point all the same where
    an even split meets its limit. (All-to-all traffic of 1,024 nodes with 5 NICs on a plane of order 4 has 122,000
    variables and takes seconds.)

    Raises FlathoodError when the solver gives up.

    >>> from flathood.design.profiles import traffic
    >>> pair = Request(np.full(2, 3), np.full(3, 2), traffic("all-to-all", 2), "all-to-all")
    >>> concurrent(pair, np.ones((2, 3), dtype=bool)).t
    3.0

    """
    small = request.without_unused()
    if small is not request:
        design = design[np.ix_(request.used, request.ports > 0)]
    bound, shared = throughput_bound(small), shared_switches(design)
    if not small.weights.any():
        return Throughput(1.0, 1.0, 1.0, "linear program")
    if (shared[small.weights > 0] == 0).any():
        return Throughput(0.0, 0.0, bound, "linear program")
    loads = cable_loads(small.weights, design, shared)
    even, least = float(loads.max()), _least_load(small.weights, design, shared)
    if even - least <= _SAME * even:
        return Throughput(1 / even, 1 / even, bound, "even split")
    choice = small.weights * (shared > 1)
    if int((shared * (choice > 0)).sum()) // 2 > most_shares:
        return Throughput(1 / even, 1 / least, bound, "even split")
    best = min(even, _solve(choice, design, cable_loads(small.weights - choice, design, shared)))
    return Throughput(1 / best, 1 / best, bound, "linear program")


def _least_load(weights: Matrix, design: Design, shared: npt.NDArray[np.int64]) -> float:
    """What the most loaded cable carries at least, however the pairs split.

    A node's traffic over its cables, all traffic over all cables, and what has no other way.
    """
    demand, cables = weights.sum(axis=1), design.sum(axis=1)
    talks = demand > 0
    forced = cable_loads(weights * (shared == 1), design, shared)
    return float(max((demand[talks] / cables[talks]).max(), demand.sum() / cables.sum(), forced.max()))


def _solve(weights: Matrix, design: Design, fixed: _Numbers) -> float:
    """The least largest load of a cable, given the traffic that has a choice and the loads of what has none."""
    from scipy.optimize import linprog  # noqa: PLC0415 - takes longer to import than most evaluations
    from scipy.sparse import csr_array  # noqa: PLC0415 - as above

    first, second = np.nonzero(np.triu(weights, 1))
    pair, switch = np.nonzero(design[first] & design[second])
    cable = np.full(design.shape, -1)
    cable[design] = np.arange(design.sum())
    shares, cables = len(pair), int(design.sum())
    column = np.arange(shares)
    amount = weights[first, second][pair]
    # The last column is the largest load: every cable's load is at most that.
    rows: _Indices = np.concatenate([cable[first[pair], switch], cable[second[pair], switch], np.arange(cables)])
    columns: _Indices = np.concatenate([column, column, np.full(cables, shares)])
    values: _Numbers = np.concatenate([amount, amount, np.full(cables, -1.0)])
    # SciPy's type stubs know dense matrices only, its documentation sparse ones as well.
    loads: Any = csr_array((values, (rows, columns)), shape=(cables, shares + 1))
    whole: Any = csr_array((np.ones(shares), (pair, column)), shape=(len(first), shares + 1))
    result = linprog(
        np.append(np.zeros(shares), 1.0),
        A_ub=loads,
        b_ub=-fixed[design],
        A_eq=whole,
        b_eq=np.ones(len(first)),
        method="highs",
    )
    if result.x is None or result.status != 0:
        raise FlathoodError(f"the throughput's linear program was not solved: {result.message}")
    # The split that was found, held to the sums, tells the load: the solver's own figure is right but for a tolerance.
    split = np.clip(result.x[:shares], 0, None)
    split /= np.bincount(pair, split, minlength=len(first))[pair]
    carried = np.bincount(rows[: 2 * shares], np.tile(amount * split, 2), minlength=cables)
    return float((carried + fixed[design]).max())
