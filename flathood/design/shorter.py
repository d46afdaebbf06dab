# SPDX-License-Identifier: Apache-2.0
"""Shorter cables: for nothing, by giving the parts of a design to other switches and nodes, or for bandwidth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from flathood.design.engine import Budget
from flathood.design.objective import evaluate, shared_switches
from flathood.design.request import Design, Request
from flathood.design.tradeoff import Front, Measure, Spot, explore, renamed

Metres = npt.NDArray[np.float64]

_SAME = 1e-6  # metres
_TURNS = 50  # switches and nodes in turn; each turn shortens, so that a few are enough


def shorter_as_good(request: Request, metres: Metres, design: Design) -> Design:
    """A design with the same figures whose cables are together no longer, and mostly shorter.

    Switches take each other's parts where ports allow, and nodes do where all pairs weigh the same. Each of the two is
    an assignment problem, solved in turns until neither shortens any more; cables that must stay forbid both.

    Args:
        request: what the design is made of.
        metres: float64[n, switches], the length of each possible cable.
        design: bool[n, switches].

    """
    here = design
    if request.keep is not None:
        return here
    for _ in range(_TURNS):
        before = total(metres, here)
        here = renamed(request, metres, here)
        if request.even and request.judge is None:
            here = _exchanged(request, metres, here)
        if total(metres, here) > before - _SAME:
            break
    same = evaluate(request, here).quality >= evaluate(request, design).quality - 1e-9
    return here if same and total(metres, here) < total(metres, design) - _SAME else design


def by_length(
    front: Front, metres: Metres, start: Design, budget: Budget, tell: Callable[[int], None] = lambda _: None
) -> list[Spot]:
    """The front of worth against metres of cable, the shortest first; every NIC keeps a cable.

    Args:
        front: an empty one, from `length_front`.
        metres: float64[n, switches], the length of each possible cable.
        start: a design that fits and covers what is required.
        budget: of the search.
        tell: called with the number of designs on the front, now and then.

    """
    front.offer(start)
    start = shorter_as_good(front.request, metres, start)
    front.home = start
    explore(front, start, metres, budget, tell)
    for spot in front.spots():
        front.offer(shorter_as_good(front.request, metres, spot.design))
    return front.spots()


def length_front(request: Request, metres: Metres, measure: Measure) -> Front:
    """An empty front of worth by a measure against metres; its home is wherever the search for it starts."""
    nowhere = np.zeros((request.nodes, request.switches), dtype=np.bool_)
    return Front(request, nowhere, lambda design: total(metres, design), measure)


def total(metres: Metres, design: Design) -> float:
    """Metres of all cables of a design, in whole centimetres."""
    return round(float(metres[design].sum()), 2)


def _exchanged(request: Request, metres: Metres, design: Design) -> Design:
    """The same design with its nodes in the places where their cables are shortest, among nodes with enough NICs."""
    cost = metres @ design.T.astype(np.float64)
    fits = request.nics[:, None] >= design.sum(axis=1)[None, :]
    cost = np.where(fits, cost, cost.max() * len(cost) + 1)
    place, row = linear_sum_assignment(cost)
    moved: Design = design[row[np.argsort(place)]]
    return moved if request.fits(moved) and not _uncovers(request, moved) else design


def _uncovers(request: Request, design: Design) -> bool:
    return bool((request.required & (shared_switches(design) == 0)).any())
