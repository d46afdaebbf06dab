# SPDX-License-Identifier: Apache-2.0
"""Traffic as a fluid: max-min fair rates over links of fixed capacity, and how long transfers take at these rates.

Max-min fair means that nobody's rate can be made larger but by making one smaller that is no larger itself (D.
Bertsekas, R. Gallager, Data Networks, 2nd ed., section 6.5.2); TCP connections with like delays come near to it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from flathood.predict.links import Indices, Routes

Numbers = npt.NDArray[np.float64]
Split = Literal["even", "shared"]
#: Rates closer than this, as a part, are the same rate.
_SAME = 1e-9


def max_min(capacity: Numbers, links: Indices) -> Numbers:
    """The max-min fair rate of each flow, float64[flows], in the capacity's unit.

    ``capacity``: float64[links]. ``links``: intp[flows, most], the links that each flow crosses; the number of all
    links for "none". Progressive filling: in each round every link that holds all its flows tighter than any other
    link does gets its flows their final rate. A link of no capacity gives rate 0.

    >>> max_min(np.array([1.0, 2.0]), np.array([[0, 2], [0, 1], [1, 2]])).tolist()
    [0.5, 0.5, 1.5]
    """
    rates = np.zeros(len(links))
    left = np.append(capacity, np.inf)
    waiting = np.arange(len(links))
    while len(waiting):
        rows = links[waiting]
        count = np.bincount(rows.ravel(), minlength=len(left))
        share = np.divide(left, count, out=np.full(len(left), np.inf), where=count > 0)
        held = share[rows]
        least = held.min(axis=1)
        lowest = np.full(len(left), np.inf)
        np.minimum.at(lowest, rows.ravel(), np.repeat(least, rows.shape[1]))
        tight = lowest >= share * (1 - _SAME)
        tight[-1] = False  # no link at all
        final = (tight[rows] & (held <= (least * (1 + _SAME))[:, None])).any(axis=1)
        rates[waiting[final]] = least[final]
        taken = np.bincount(rows[final].ravel(), weights=np.repeat(least[final], rows.shape[1]), minlength=len(left))
        left = np.maximum(left - taken, 0)
        waiting = waiting[~final]
    return rates


def durations(
    capacity: Numbers, routes: Routes, sizes: Numbers, split: Split = "shared", tolerance: float = 0.001
) -> Numbers:
    """Seconds until each transfer is done when all start at once, float64[transfers]; inf where nothing flows.

    ``capacity``: bytes/s of each link. ``sizes``: bytes of each transfer. ``split``: how a transfer with several
    pieces is dealt out: ``shared``, each piece takes what it can (MPTCP); ``even``, all are of one size from the
    start (Open MPI over like links). Whoever ends frees its links for the others. Ends closer together than
    ``tolerance``, as a part of the time until the next, are taken for one: that bounds the error, and the work.
    """
    if split == "even":
        ways = np.bincount(routes.owner, minlength=routes.transfers)
        pieces = Routes(routes.links, np.arange(len(routes.owner)), len(routes.owner))
        each = durations(capacity, pieces, sizes[routes.owner] / ways[routes.owner], "shared", tolerance)
        whole = np.zeros(routes.transfers)
        np.maximum.at(whole, routes.owner, each)
        return whole
    links = routes.links[:, (routes.links < len(capacity)).any(axis=0)]  # few routings use all columns
    ends = np.where(sizes > 0, np.inf, 0.0)
    left, now = sizes.astype(np.float64), 0.0
    alive = sizes[routes.owner] > 0
    while alive.any():
        owner = routes.owner[alive]
        rates = np.bincount(owner, weights=max_min(capacity, links[alive]), minlength=routes.transfers)
        until = np.divide(left, rates, out=np.full(routes.transfers, np.inf), where=rates > 0)
        step = float(until.min())
        if step == np.inf:
            break
        done = until <= step * (1 + tolerance)
        now += step
        ends[done] = now
        left = np.where(done, 0, left - rates * step)
        alive &= left[routes.owner] > 0
    return ends
