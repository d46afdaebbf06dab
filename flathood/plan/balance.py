# SPDX-License-Identifier: Apache-2.0
"""How evenly a choice spreads the traffic, and how evenly any choice at all could.

The port of a switch has the load of the NIC at the other end of its cable, so that what is said of the most loaded NIC
is said of the most loaded switch port, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_matrix

from flathood.fabrics.base import Fabric

Matrix = npt.NDArray[np.float64]

#: Up to so many ways of all pairs together the best choice is worked out where the bound does not settle it.
_SMALL = 600
#: Nodes of the search tree of an exact answer; small cases need some hundred.
_NODES = 20_000


@dataclass(frozen=True)
class Balance:
    """How evenly the pairs are spread, in the profile's units: 1 is the demand of an average node.

    ``nic_most``: the most loaded NIC, and switch port. ``nic_bound``: no choice of one segment for each pair can have
    less. ``proved``: the choice made is at the bound, or the bound is the best choice itself.
    ``segment_most``, ``segment_bound``: the most loaded segment, and the mean.
    """

    nic_most: float
    nic_bound: float
    proved: bool
    segment_most: float
    segment_bound: float


def nic_loads(fabric: Fabric, chosen: npt.NDArray[np.int16], weights: Matrix) -> Matrix:
    """Load of each node's NIC on each segment, float64[nodes, segments]."""
    loads = np.zeros((len(chosen), len(fabric.segments)))
    for segment in range(len(fabric.segments)):
        loads[:, segment] = np.where(chosen == segment, weights, 0).sum(axis=1)
    return loads


def balance(fabric: Fabric, chosen: npt.NDArray[np.int16], weights: Matrix) -> Balance:
    """The most loaded NIC and segment, and what no choice at all can be below; exact for small clusters."""
    loads = nic_loads(fabric, chosen, weights)
    segments = loads.sum(axis=0) / 2
    most, bound, proved = float(loads.max(initial=0)), nic_bound(fabric, weights), True
    if most > bound * (1 + 1e-9):
        best = least(fabric, weights)
        bound, proved = (bound, False) if best is None else (best, True)
    return Balance(
        nic_most=most,
        nic_bound=bound,
        proved=proved,
        segment_most=float(segments.max(initial=0)),
        segment_bound=float(segments.sum() / max(len(segments), 1)),
    )


def nic_bound(fabric: Fabric, weights: Matrix) -> float:
    """A load that some NIC has under any choice.

    The peers that a node reaches only by some set of its NICs load that set, so a NIC of it has at least the mean. As
    pairs are not split, two more things hold: with c NICs, some NIC has q + 1 of the heaviest c * q + 1 of these peers,
    for every q (the pigeonhole bound of scheduling on identical machines), and its load is at least that of the
    lightest q + 1 of them. ``weights`` is float64[n, n], symmetric.
    """
    everyone, most = np.arange(len(weights)), 0.0
    for node in range(len(weights)):
        mine = np.unique(fabric.usable[node][fabric.usable[node] >= 0])
        allowed = fabric.allowed(np.full(len(weights), node), everyone)[:, mine]
        codes = np.where(everyone == node, 0, allowed @ (1 << np.arange(len(mine))))
        order = np.argsort(-weights[node], kind="stable")
        codes, heavy = codes[order], weights[node][order]
        for subset in range(1, 1 << len(mine)):
            inside = heavy[(codes > 0) & (codes & ~subset == 0)]
            if len(inside):
                most = max(most, _pigeonhole(inside, subset.bit_count()))
    return most


def _pigeonhole(loads: npt.NDArray[np.float64], bins: int) -> float:
    """The least that the fullest of some bins can have; ``loads`` from the heaviest to the lightest."""
    total = np.concatenate(([0.0], np.cumsum(loads)))
    last = np.arange(0, len(loads), bins)  # c * q, for q = 0, 1, …
    lightest = total[last + 1] - total[last - np.arange(len(last))]
    return max(float(lightest.max()), float(total[-1]) / bins)


def least(fabric: Fabric, weights: Matrix) -> float | None:
    """The least load of the most loaded NIC that any choice has, as an integer program; None for too large a cluster.

    One variable for each pair and segment that it may use (1: it does), and the load to be made small, to which the
    sum of the weights on each NIC is held.
    """
    ends, others = np.nonzero(np.triu(weights, 1) > 0)
    pair, segment = np.nonzero(fabric.allowed(ends, others))
    ways = len(pair)
    if not ways or ways > _SMALL:
        return None
    column = np.arange(ways)
    nics, row = np.unique(
        np.concatenate((ends[pair], others[pair])) * len(fabric.segments) + np.tile(segment, 2), return_inverse=True
    )
    values = np.concatenate((np.tile(weights[ends, others][pair], 2), np.full(len(nics), -1.0)))
    rows = np.concatenate((row.reshape(-1), np.arange(len(nics))))
    columns = np.concatenate((np.tile(column, 2), np.full(len(nics), ways)))
    held = csr_matrix((values, (rows, columns)), shape=(len(nics), ways + 1))
    used = np.unique(pair)
    once = csr_matrix((np.ones(ways), (np.searchsorted(used, pair), column)), shape=(len(used), ways + 1))
    target = np.append(np.zeros(ways), 1.0)
    found = milp(
        target,
        constraints=[LinearConstraint(held, -np.inf, 0), LinearConstraint(once, 1, 1)],
        integrality=np.append(np.ones(ways), 0),
        bounds=Bounds(0, np.append(np.ones(ways), np.inf)),
        options={"node_limit": _NODES},
    )
    return float(found.fun) if found.status == 0 else None
