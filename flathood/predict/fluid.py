# SPDX-License-Identifier: Apache-2.0
"""Traffic as a fluid: max-min fair rates over links of fixed capacity, and how long transfers take at these rates.

Max-min fair means that nobody's rate can be made larger but by making one smaller that is no larger itself (D.
Bertsekas, R. Gallager, Data Networks, 2nd ed., section 6.5.2); TCP connections with like delays come near to it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from flathood.predict.links import Indices, Routes

Numbers = npt.NDArray[np.float64]
#: Rates closer than this, as a part, are the same rate.
_SAME = 1e-9


class Order(NamedTuple):
    """Which transfers wait for which, and how long each then takes until its first byte flows.

    ``later``, ``sooner``: intp[pairs], the transfer ``later[i]`` begins when ``sooner[i]`` is done, each pair told
    once. ``delay``: float64[transfers], seconds.
    """

    later: Indices
    sooner: Indices
    delay: Numbers


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
    capacity: Numbers, routes: Routes, sizes: Numbers, tolerance: float = 0.001, order: Order | None = None
) -> Numbers:
    """Seconds until each transfer is done, float64[transfers]; inf where nothing flows. All start at once but by order.

    ``capacity``: bytes/s of each link. ``sizes``: bytes of each transfer; one of none needs no piece. Each piece of a
    transfer takes what it can (MPTCP). Whoever ends frees its links for the others. Ends closer together than
    ``tolerance``, as a part of the time until the next, are taken for one: that bounds the error, and the work.

    >>> two = Routes(np.array([[0, 1, 1, 1], [0, 1, 1, 1]]), np.array([0, 1]), 2)
    >>> durations(np.array([10.0]), two, np.array([10.0, 10.0])).tolist()
    [2.0, 2.0]
    >>> after = Order(np.array([1]), np.array([0]), np.zeros(2))
    >>> durations(np.array([10.0]), two, np.array([10.0, 10.0]), order=after).tolist()
    [1.0, 2.0]
    """
    order = order or _no_order(routes)
    links = routes.links[:, (routes.links < len(capacity)).any(axis=0)]  # few routings use all columns
    ends = np.full(routes.transfers, np.inf)
    left, now = sizes.astype(np.float64), 0.0
    needs = np.bincount(order.later, minlength=routes.transfers)
    begin = np.where(needs == 0, order.delay, np.inf)
    while True:
        flowing = (begin <= now) & (ends == np.inf)
        alive = flowing[routes.owner] & (left[routes.owner] > 0)
        owner = routes.owner[alive]
        rates = np.bincount(owner, weights=max_min(capacity, links[alive]), minlength=routes.transfers)
        until = np.divide(left, rates, out=np.full(routes.transfers, np.inf), where=rates > 0)
        until[flowing & (left <= 0)] = 0
        step = min(float(until.min(initial=np.inf)), float((begin[begin > now] - now).min(initial=np.inf)))
        if step == np.inf:
            return ends
        done = until <= step * (1 + tolerance)
        now += step
        ends[done] = now
        left = np.where(done, 0, left - rates * step)
        np.subtract.at(needs, order.later[done[order.sooner]], 1)
        free = (needs == 0) & (begin == np.inf)
        begin[free] = now + order.delay[free]


def durations_even(
    capacity: Numbers, routes: Routes, sizes: Numbers, tolerance: float = 0.001, order: Order | None = None
) -> Numbers:
    """As `durations`, but all pieces of a transfer are of one size from the start (Open MPI over like links)."""
    pieces, order = _in_pieces(routes, order or _no_order(routes))
    ways = np.bincount(routes.owner, minlength=routes.transfers)
    each = np.append(sizes[routes.owner] / ways[routes.owner], np.zeros(routes.transfers))
    return durations(capacity, pieces, each, tolerance, order)[len(routes.owner) :]


def _no_order(routes: Routes) -> Order:
    nobody: Indices = np.zeros(0, dtype=np.intp)
    return Order(nobody, nobody, np.zeros(routes.transfers))


def _in_pieces(routes: Routes, order: Order) -> tuple[Routes, Order]:
    """Each piece as a transfer of its own, and after them each transfer as one of no bytes that needs its pieces."""
    pieces = len(routes.owner)
    by_owner = np.argsort(routes.owner, kind="stable")
    ways = np.bincount(routes.owner, minlength=routes.transfers)
    first = np.cumsum(ways) - ways
    count = ways[order.later]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    waiting = by_owner[np.repeat(first[order.later], count) + within]
    # What has no piece, as it has no byte, waits itself.
    bare = count == 0
    later = np.concatenate([pieces + routes.owner, waiting, pieces + order.later[bare]])
    sooner = np.concatenate([np.arange(pieces), pieces + np.repeat(order.sooner, count), pieces + order.sooner[bare]])
    delay = np.concatenate([order.delay[routes.owner], np.where(ways > 0, 0.0, order.delay)])
    everything = pieces + routes.transfers
    return Routes(routes.links, np.arange(pieces), everything), Order(later, sooner, delay)
