# SPDX-License-Identifier: Apache-2.0
"""Basic routing: one segment for each pair of nodes, so chosen that NICs and switches carry equal shares.

The choice minimises the sum of the squares of the NICs' loads, where a pair loads one NIC at each of its ends with its
weight in the traffic profile, and among equals the loads of the segments. It starts from every pair spread over all its
segments, then lets one batch of pairs after the other take what is best as things stand. The pairs of a batch have no
node in common (a round of a round-robin tournament), so a batch is a few operations on arrays and yet exact.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from flathood.fabrics.base import Fabric

Matrix = npt.NDArray[np.float64]
Pairs = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]

#: Part of all traffic that is taken to be all-to-all, so that pairs which a profile leaves out are spread too.
BACKGROUND = 0.01
#: A segment's mean load per NIC counts this much beside a NIC's: it decides between equals only.
_TIE = 0.01
#: Batches in one sweep: more are better for small clusters (a batch decides on what it saw before), fewer are faster.
_BATCHES = 4096
_SWEEPS = 4


def weigh(profile: Matrix) -> Matrix:
    """The weights that paths are chosen by: the profile, and a little of all-to-all.

    ``profile`` is float64[n, n], symmetric, its rows 1 on average; so is the result.
    """
    n = len(profile)
    even = (np.ones((n, n)) - np.eye(n)) / max(n - 1, 1)
    return (1 - BACKGROUND) * profile + BACKGROUND * even


def rounds(n: int) -> Iterator[Pairs]:
    """All pairs of n nodes in rounds in which each node is at most once (the circle method).

    >>> [list(zip(a.tolist(), b.tolist())) for a, b in rounds(4)]
    [[(0, 3), (1, 2)], [(1, 3), (0, 2)], [(2, 3), (0, 1)]]
    """
    even = n + n % 2
    half = np.arange(even // 2)
    for turn in range(even - 1):
        a = (turn + half) % (even - 1)
        b = (turn - half) % (even - 1)
        b[0] = even - 1
        real = (a < n) & (b < n)
        yield np.minimum(a, b)[real], np.maximum(a, b)[real]


def choose(fabric: Fabric, weights: Matrix) -> npt.NDArray[np.int16]:
    """The segment of each pair, int16[n, n]: symmetric, one that the fabric allows, -1 on the diagonal.

    A pair that is allowed no segment has -1, too: it talks through the uplink. ``weights`` is float64[n, n],
    symmetric. Deterministic.
    """
    n = len(fabric.attach)
    chosen = np.full((n, n), -1, dtype=np.int16)
    member = _member(fabric)
    nics = np.maximum(member.sum(axis=0), 1)
    size = max(1, -(-n * (n - 1) // 2 // _BATCHES))
    batches = [(a[k : k + size], b[k : k + size]) for a, b in rounds(n) for k in range(0, len(a), size)]
    load = np.zeros(member.shape)
    for a, b in batches:
        allowed = fabric.allowed(a, b)
        ways = np.count_nonzero(allowed, axis=1)
        share = allowed * (weights[a, b] / np.maximum(ways, 1))[:, None]
        load[a] += share
        load[b] += share
    total: npt.NDArray[np.float64] = load.sum(axis=0)
    for sweep in range(_SWEEPS):
        changed = 0
        for a, b in batches:
            allowed, before = fabric.allowed(a, b), chosen[a, b]
            ways = allowed.sum(axis=1)
            weight = np.where(ways, weights[a, b], 0)  # a pair without a segment loads none
            own = allowed * (weight / np.maximum(ways, 1))[:, None] if sweep == 0 else np.zeros(allowed.shape)
            if sweep:
                own[np.arange(len(a)), before] = weight
            cost = load[a] + load[b] - 2 * own + _TIE * (total - 2 * own) / nics
            best = np.where(ways, np.argmin(np.where(allowed, cost, np.inf), axis=1), -1)
            moved = np.zeros(allowed.shape)
            moved[np.arange(len(a)), best] = weight
            moved -= own
            load[a] += moved
            load[b] += moved
            total += 2 * moved.sum(axis=0)
            changed += int(np.count_nonzero(best != before))
            chosen[a, b] = chosen[b, a] = best
        if not changed:
            break
    return chosen


def _member(fabric: Fabric) -> npt.NDArray[np.bool_]:
    member = np.zeros((len(fabric.attach), len(fabric.segments)), dtype=np.bool_)
    nodes, slots = np.nonzero(fabric.usable >= 0)
    member[nodes, fabric.usable[nodes, slots]] = True
    return member
