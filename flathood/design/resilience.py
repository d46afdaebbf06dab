# SPDX-License-Identifier: Apache-2.0
"""What is left of a network when any one switch, NIC or cable fails.

A NIC has one cable, so that either fails is the same loss. Pairs that share no switch any more have the uplink left
(three switches, and one port for all), unless one of them has no cable left at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.design.objective import cable_loads, even_rate, shared_switches
from flathood.design.request import Counts, Design, Request


@dataclass(frozen=True)
class Loss:
    """What one failure costs.

    Attributes:
        switch: number of the switch that fails, or that the cable which fails goes to.
        node: number of the cable's node; None: the switch fails.
        cut_off: nodes that had a cable and have none left.
        pairs: unordered pairs of nodes that shared a switch and share none any more.
        traffic: their share of the profile's traffic, 0 … 1.
        throughput: the multiple of the rest of the traffic that fits at once, split evenly (see
            `objective.Evaluation`); 1 where no traffic is left.

    """

    switch: int
    node: int | None
    cut_off: int
    pairs: int
    traffic: float
    throughput: float


@dataclass(frozen=True)
class Resilience:
    """The loss of every switch that has cables, in order, and of every cable, by node and switch."""

    switches: tuple[Loss, ...]
    cables: tuple[Loss, ...]

    @staticmethod
    def worst(losses: tuple[Loss, ...]) -> Loss | None:
        """The loss that costs the most pairs; among those, the most traffic, then throughput. None: of none."""
        return max(losses, key=lambda loss: (loss.cut_off, loss.pairs, loss.traffic, -loss.throughput), default=None)

    @staticmethod
    def slowest(losses: tuple[Loss, ...]) -> Loss | None:
        """The loss that leaves the least throughput; None: of none."""
        return min(losses, key=lambda loss: loss.throughput, default=None)


def resilience(request: Request, design: Design) -> Resilience:
    """What every single failure costs.

    >>> from flathood.design.profiles import traffic
    >>> hexa = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=bool)
    >>> lost = resilience(Request(np.full(6, 2), np.full(3, 4), traffic("all-to-all", 6), "all-to-all"), hexa)
    >>> [loss.pairs for loss in lost.switches], Resilience.worst(lost.cables).pairs
    ([4, 4, 4], 2)

    """
    shared = shared_switches(design)
    used = np.flatnonzero(design.any(axis=0)).tolist()
    return Resilience(
        tuple(_switch(request, design, shared, switch) for switch in used), tuple(_cables(request, design, shared))
    )


def _switch(request: Request, design: Design, shared: Counts, switch: int) -> Loss:
    left = design.copy()
    left[:, switch] = False
    still = shared - np.logical_and.outer(design[:, switch], design[:, switch])
    cut = (shared > 0) & (still == 0)
    np.fill_diagonal(cut, False)
    return Loss(
        switch=switch,
        node=None,
        cut_off=int((design.any(axis=1) & ~left.any(axis=1)).sum()),
        pairs=int(cut.sum()) // 2,
        traffic=_of(request, float(request.weights[cut].sum())),
        throughput=even_rate(request.weights, left, still),
    )


def _cables(request: Request, design: Design, shared: Counts) -> list[Loss]:
    """Every cable's loss, by what changes: only the loads of its node and of the nodes on its switch do."""
    loads = cable_loads(request.weights, design, shared)
    highest = loads.max(axis=1)
    return [
        _cable(request, design, shared, (loads, highest), (int(node), int(switch)))
        for node, switch in np.argwhere(design)
    ]


def _cable(
    request: Request,
    design: Design,
    shared: Counts,
    before: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
    cable: tuple[int, int],
) -> Loss:
    node, switch = cable
    loads, highest = before
    others = np.flatnonzero(design[:, switch])
    others = others[others != node]
    traffic, ways = request.weights[node, others], shared[node, others]
    cut = ways == 1
    # A pair's traffic moves from this switch to the others that it shares, evenly again.
    share = traffic / ways
    more = np.where(cut, 0.0, traffic / np.maximum(ways - 1, 1) - share)[:, None] * (design[others] & design[node])
    more[:, switch] = -share
    mine = loads[node] + more.sum(axis=0)
    elsewhere = highest.copy()
    elsewhere[node] = mine.max()
    elsewhere[others] = (loads[others] + more).max(axis=1)
    most = float(elsewhere.max())
    left = design[node].sum() > 1
    lost = 2 * float(traffic[cut].sum())
    return Loss(
        switch=switch,
        node=node,
        cut_off=0 if left else 1,
        pairs=int(cut.sum()),
        traffic=_of(request, lost),
        throughput=1 / most if most > _NOTHING * float(loads.max()) else 1.0,
    )


#: What is left by rounding where a difference is nothing, as a part of the largest load.
_NOTHING = 1e-12


def _of(request: Request, traffic: float) -> float:
    """Some traffic as a share of the profile's."""
    total = float(request.weights.sum())
    return traffic / total if total else 0.0
