# SPDX-License-Identifier: Apache-2.0
"""The last touch: small changes to a design that covers all pairs, held against the very figures that it is judged by.

The local search follows a score that is cheap to update. What counts in the end, the profile's mean and the most
loaded cable, is computed whole here, so this pays for fewer and later moves.
"""

from __future__ import annotations

import numpy as np

from flathood.design.objective import link_loads, shared_switches
from flathood.design.request import Design, Request

_SHARPNESS = 16  # of the power mean that stands for the largest load, so that relieving any loaded cable counts


def polish(request: Request, design: Design, rng: np.random.Generator, steps: int) -> Design:
    """Improve a design that fits and covers all pairs; so does the result, bool[n, switches].

    Each of ``steps`` proposals is a change of one node's switch, or an exchange of two nodes'; kept when no worse.
    """
    best, score = design.copy(), _score(request, design)
    for _ in range(steps):
        other = _proposal(request, best, rng)
        if other is not None:
            value = _score(request, other)
            if value >= score:
                best, score = other, value
    return best


def _score(request: Request, design: Design) -> float:
    shared = shared_switches(design)
    if not shared.all():
        return -1.0
    loads = link_loads(request, design)
    top = float(loads.max())
    if top == 0:
        return 0.0
    peak = top * float(((loads / top) ** _SHARPNESS).sum() ** (1 / _SHARPNESS))
    shares = float((request.weights * shared).sum())
    return round(shares / peak, 9)  # rounding: machines add in different orders


def _proposal(request: Request, design: Design, rng: np.random.Generator) -> Design | None:
    node = int(rng.integers(request.nodes))
    mine, others = np.flatnonzero(design[node]), np.flatnonzero(~design[node])
    if not len(mine) or not len(others):
        return None
    source, target = int(rng.choice(mine)), int(rng.choice(others))
    changed = design.copy()
    changed[node, [source, target]] = False, True
    if changed[:, target].sum() > request.ports[target] or rng.random() < 0.5:
        partners = np.flatnonzero(design[:, target] & ~design[:, source])
        if not len(partners):
            return None
        changed[int(rng.choice(partners)), [source, target]] = True, False
    return changed
