# SPDX-License-Identifier: Apache-2.0
# Compiled code has its state in arguments and local variables, and numba's tuples of arrays have no type in words.
# ruff: noqa: ANN401, PLR0912, PLR0913, PLR0915, PLR0917
"""The compiled inner loops of the search by chance; import this late, as it brings numba with it.

All work in place on a design, uint8[nodes, switches], and draw from numba's own generator (`seed` it first). No step on
the way breaks a limit: a cable moves to a free port, or two nodes exchange the ends of one cable each, or closed sets
of connections change places, as in the KLAT2 paper, section 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

_Bits = npt.NDArray[np.uint8]
_Counts = npt.NDArray[np.int64]
_Floats = npt.NDArray[np.float64]

_LOOKS = 512  # steps between two looks for problem spots, and some more for each node, as a look costs more then
_POWER = 16  # of the power mean that stands for the largest load, so that relieving any loaded cable counts


@njit(cache=True)
def seed(number: int) -> None:
    """Begin a row of chances."""
    np.random.seed(number)


@njit(cache=True)
def _plug(node: int, switch: int, change: int, tables: Any) -> None:
    """Plug (change 1) or unplug (-1) a cable in all tables but the list of a node's own switches."""
    on, members, place, loads, shared = tables
    if change < 0:
        loads[switch] -= 1
        last = members[switch, loads[switch]]
        members[switch, place[node, switch]] = last
        place[last, switch] = place[node, switch]
        on[node, switch] = 0
    for x in range(loads[switch]):
        other = members[switch, x]
        shared[node, other] += change
        shared[other, node] += change
    if change > 0:
        place[node, switch] = loads[switch]
        members[switch, loads[switch]] = node
        loads[switch] += 1
        on[node, switch] = 1


@njit(cache=True)
def _gain(node: int, source: int, target: int, partner: int, tables: Any, prices: Any) -> float:
    """What the pairs gain when a node goes from source (-1: an idle NIC) to target, and its partner the other way."""
    on, members, _, loads, shared = tables
    weights, cover, worth, cables = prices
    gain = float(cables[node, target])
    if source >= 0:
        gain -= float(cables[node, source])
    if partner >= 0:
        gain += float(cables[partner, source] - cables[partner, target])
    for x in range(loads[target]):
        other = members[target, x]
        if other == partner or (source >= 0 and on[other, source]):
            continue
        count = shared[node, other]
        gain += weights[node, other] * worth[count]
        if count == 0:
            gain += cover[node, other]
        if partner >= 0:
            count = shared[partner, other]
            gain -= weights[partner, other] * worth[count - 1]
            if count == 1:
                gain -= cover[partner, other]
    if source < 0:
        return gain
    for x in range(loads[source]):
        other = members[source, x]
        if other == node or on[other, target]:
            continue
        count = shared[node, other]
        gain -= weights[node, other] * worth[count - 1]
        if count == 1:
            gain -= cover[node, other]
        if partner >= 0:
            count = shared[partner, other]
            gain += weights[partner, other] * worth[count]
            if count == 0:
                gain += cover[partner, other]
    return gain


@njit(cache=True)
def _spots(shared: npt.NDArray[np.int32], cover: _Floats, spots: npt.NDArray[np.int32]) -> int:
    """List the nodes that lack a switch with some node they should share one with; how many there are."""
    count = 0
    for node in range(len(shared)):
        for other in range(len(shared)):
            if node != other and shared[node, other] == 0 and cover[node, other] > 0:
                spots[count] = node
                count += 1
                break
    return count


@njit(cache=True)
def anneal(
    on: _Bits,
    kept: _Bits,
    ports: _Counts,
    nics: _Counts,
    prices: Any,
    fill: float,
    plug: float,
    steps: int,
    hot: float,
    cold: float,
) -> None:
    """Simulated annealing from a design that fits; leaves the best design that it met.

    Args:
        on: uint8[n, switches], the design.
        kept: uint8[n, switches], cables that stay.
        ports: int64[switches].
        nics: int64[n].
        prices: float64[n, n] the worth of a pair's traffic, float64[n, n] the worth of its first switch,
            float64[switches + 2] what each further switch is worth of the traffic, float64[n, switches] the worth of
            each cable itself.
        fill: what an unequal fill of the switches costs.
        plug: what an idle NIC is worth when it is plugged.
        steps: how many changes are tried.
        hot: the first temperature.
        cold: the last one.

    """
    n, switches = on.shape
    place = np.full((n, switches), -1, np.int32)
    members = np.empty((switches, n), np.int32)
    loads = np.zeros(switches, np.int64)
    shared = np.zeros((n, n), np.int32)
    mine = np.empty((n, switches), np.int32)
    degree = np.zeros(n, np.int64)
    tables = (on, members, place, loads, shared)
    for node in range(n):
        for switch in range(switches):
            if on[node, switch]:
                _plug(node, switch, 1, tables)
                mine[node, degree[node]] = switch
                degree[node] += 1
    spots, marked = np.empty(n, np.int32), 0
    best, gained, most, here = on.copy(), 0.0, 0.0, False  # here: this is the best, not copied yet
    looks = _LOOKS + 8 * n
    heat, cooling = hot, (cold / hot) ** (looks / steps)
    for step in range(steps):
        if step % looks == 0:
            marked = _spots(shared, prices[1], spots)
            heat *= cooling
        node = spots[np.random.randint(marked)] if marked and np.random.random() < 0.5 else np.random.randint(n)
        choices = degree[node] + (degree[node] < nics[node])
        target = np.random.randint(switches)
        if choices == 0 or on[node, target] or ports[target] == 0:
            continue
        slot = np.random.randint(choices)
        source = mine[node, slot] if slot < degree[node] else -1
        if source >= 0 and kept[node, source]:
            continue
        partner = -1
        if loads[target] >= ports[target] or (source >= 0 and np.random.random() < 0.5):
            if source < 0 or loads[target] == 0:
                continue
            partner = members[target, np.random.randint(loads[target])]
            if on[partner, source] or kept[partner, target]:
                continue
        gain = _gain(node, source, target, partner, tables, prices)
        if source < 0:
            gain += plug - fill * (loads[target] + 0.5)
        elif partner < 0:
            gain -= fill * (loads[target] - loads[source] + 1)
        if gain < 0 and np.random.random() >= np.exp(gain / heat):
            continue
        if here and gain < 0:
            best[:] = on
            here = False
        if source >= 0:
            _plug(node, source, -1, tables)
            mine[node, slot] = target
        else:
            mine[node, degree[node]] = target
            degree[node] += 1
        if partner >= 0:
            _plug(partner, target, -1, tables)
            _plug(partner, source, 1, tables)
            for x in range(degree[partner]):
                if mine[partner, x] == target:
                    mine[partner, x] = source
                    break
        _plug(node, target, 1, tables)
        gained += gain
        if gained > most + 1e-9:
            most = gained
            here = True
    if not here:
        on[:] = best


@njit(cache=True)
def _shift(node: int, other: int, sign: float, on: _Bits, weights: _Floats, loads: _Floats) -> None:
    """Take a pair's traffic off its cables (sign -1), or put it on them, split evenly."""
    count = 0
    for switch in range(on.shape[1]):
        count += on[node, switch] & on[other, switch]
    for switch in range(on.shape[1]):
        if on[node, switch] and on[other, switch]:
            loads[node, switch] += sign * weights[node, other] / count
            loads[other, switch] += sign * weights[node, other] / count


@njit(cache=True)
def _change(node: int, source: int, target: int, partner: int, on: _Bits, weights: _Floats, loads: _Floats) -> None:
    """Move a node's cable from source to target and its partner's back, and the traffic with them."""
    for sign in (-1.0, 1.0):
        for end in (node, partner):
            for other in range(len(on)):
                if end >= 0 and other != end and weights[end, other] > 0 and not (end == partner and other == node):
                    _shift(end, other, sign, on, weights, loads)
        if sign < 0:
            on[node, source], on[node, target] = 0, 1
            if partner >= 0:
                on[partner, source], on[partner, target] = 1, 0


@njit(cache=True)
def _harmless(node: int, source: int, target: int, partner: int, on: _Bits, prices: Any) -> bool:
    """Whether a change costs no required pair its last switch, and the traffic and the cables nothing on the whole."""
    weights, cover, cables = prices
    change = float(cables[node, target] - cables[node, source])
    if partner >= 0:
        change += float(cables[partner, source] - cables[partner, target])
    for other in range(len(on)):
        more = np.int64(on[other, target]) - np.int64(on[other, source])
        if more == 0 or other in (node, partner):
            continue
        change += more * weights[node, other]
        if partner >= 0:
            change -= more * weights[partner, other]
        loser = node if more < 0 else partner
        if loser >= 0 and cover[loser, other] > 0:
            count = 0
            for switch in range(on.shape[1]):
                count += on[loser, switch] & on[other, switch]
            if count == 1:
                return False
    return change > -1e-9


@njit(cache=True)
def polish(on: _Bits, kept: _Bits, ports: _Counts, prices: Any, steps: int) -> None:
    """Relieve the most loaded cables by changes that cost no shared switches; each pair splits its traffic evenly.

    Args:
        on: uint8[n, switches], the design.
        kept: uint8[n, switches], cables that stay.
        ports: int64[switches].
        prices: float64[n, n] the traffic, float64[n, n] above 0 where a pair must keep a switch in common,
            float64[n, switches] the worth of each cable itself, as traffic that shares one switch more.
        steps: how many changes are tried.

    """
    n, switches = on.shape
    weights = prices[0]
    loads = np.zeros((n, switches))
    for node in range(n):
        for other in range(node):
            if weights[node, other] > 0:
                _shift(node, other, 1.0, on, weights, loads)
    top = loads.max()
    if top == 0:
        return
    peak = ((loads / top) ** _POWER).sum()
    before = loads.copy()
    for _ in range(steps):
        node, source, target = np.random.randint(n), np.random.randint(switches), np.random.randint(switches)
        if not on[node, source] or on[node, target] or kept[node, source]:
            continue
        partner = -1
        if on[:, target].sum() >= ports[target] or np.random.random() < 0.5:
            partner = np.random.randint(n)
            if not on[partner, target] or on[partner, source] or kept[partner, target]:
                continue
        if not _harmless(node, source, target, partner, on, prices):
            continue
        before[:] = loads
        _change(node, source, target, partner, on, weights, loads)
        then = ((loads / top) ** _POWER).sum()
        if then <= peak:
            peak = then
            continue
        loads[:] = before
        on[node, source], on[node, target] = 1, 0
        if partner >= 0:
            on[partner, source], on[partner, target] = 0, 1


@njit(cache=True)
def cross(on: _Bits, other: _Bits, walks: int) -> None:
    """Give a design closed sets of connections of another one, so that no node and no switch gets a cable more.

    A walk takes a cable of the first at a node, gives its switch one of the other's, takes the next at the node that
    this one ends at, and so on until it is back where it began; what finds no way back is undone.
    """
    n, switches = on.shape
    nodes, ends = np.empty(2 * n * switches, np.int32), np.empty(2 * n * switches, np.int32)
    for _ in range(walks):
        first = np.random.randint(n)
        node, length, closed = first, 0, False
        while length + 1 < len(nodes) and not closed:
            source = _draw(on[node], other[node])
            if source < 0:
                break
            on[node, source] = 0
            nodes[length], ends[length] = node, source
            node = _draw(other[:, source], on[:, source])
            length += 1
            if node < 0:
                break
            on[node, source] = 1
            nodes[length], ends[length] = node, source
            length += 1
            closed = node == first
        if not closed:
            for x in range(length):
                on[nodes[x], ends[x]] ^= 1


@njit(cache=True)
def _draw(these: _Bits, not_those: _Bits) -> int:
    """One of the places that are set in the first and not in the second, at random; -1 where there is none."""
    found, count = -1, 0
    for x in range(len(these)):
        if these[x] and not not_those[x]:
            count += 1
            if np.random.randint(count) == 0:
                found = x
    return found
