# SPDX-License-Identifier: Apache-2.0
"""What no design can do better, whatever the effort; each bound with the theorem that gives it.

A node is the set of the switches it is on. When every pair shares a switch these sets pairwise intersect, and giving
each node the weight 1/W (W ports a switch) is a fractional matching of that family, so n <= W x (its fractional
matching number). Most theorems here bound that number:

- Füredi, "Maximum degree and fractional matchings in uniform hypergraphs", Combinatorica 1 (1981) 155-162: for sets
  of at most N elements it is at most N - 1 + 1/N, and at most N - 1 unless the family contains a projective plane of
  order N - 1.
- A family that contains such a plane has no other sets: a set of N points that meets all its lines is a line. How many
  nodes the lines can stand for in whole numbers is `planes.most_on_plane`.
- Such a plane has N² - N + 1 points; none exists of order 6 (Tarry 1900), nor of an order that Bruck and Ryser (1949)
  exclude, nor of order 10 (Lam, Thiel and Swiercz 1989).
- With few switches the number has been computed over all intersecting families on that many points.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from flathood.design.nearest import nearest
from flathood.design.planes import most_on_plane
from flathood.design.request import Counts, Request
from flathood.errors import FlathoodError

#: Switches → the largest fractional matching of any intersecting family on so many points.
FEW_SWITCHES = {
    1: Fraction(1),
    2: Fraction(1),
    3: Fraction(3, 2),
    4: Fraction(5, 3),
    5: Fraction(9, 5),
    6: Fraction(2),
    7: Fraction(7, 3),
    8: Fraction(12, 5),
}


@dataclass(frozen=True)
class Bound:
    """One bound: no design has more nodes than ``most``, by this theorem, for the reason told in ``because``."""

    most: int
    theorem: str
    because: str


class Impossible(FlathoodError):
    """No wiring lets every pair share a switch: the bounds that say so, and the nearest requests that can be wired."""

    def __init__(self, request: Request, broken: list[Bound], nearest: list[str]) -> None:
        self.broken = tuple(broken)
        self.nearest = tuple(nearest)
        lines = [f"{_hardware(request)}: no wiring lets every pair of nodes share a switch."]
        lines += [f"  {bound.because} ({bound.theorem})" for bound in broken]
        lines += [f"  These can be wired: {'; '.join(nearest)}."] if nearest else []
        super().__init__("\n".join(lines))


def plane_excluded(order: int) -> bool:
    """Whether it is proved that no projective plane of this order exists.

    >>> [order for order in range(2, 31) if plane_excluded(order)]
    [6, 10, 14, 21, 22, 30]

    """
    if order == 10:
        return True
    roots = range(math.isqrt(order) + 1)
    return order % 4 in (1, 2) and not any(math.isqrt(order - a * a) ** 2 == order - a * a for a in roots)


def matching_number(nics: int, switches: int | None = None) -> tuple[Fraction, str]:
    """The most nodes per port of a switch, and the theorem, for at most so many NICs a node and so many switches.

    >>> [str(matching_number(nics)[0]) for nics in (1, 2, 3, 4, 7)]
    ['1', '3/2', '7/3', '13/4', '6']

    """
    points = nics * nics - nics + 1
    best, theorem = Fraction(points, nics), "Füredi 1981"
    if nics > 1 and plane_excluded(nics - 1):
        best, theorem = Fraction(nics - 1), f"Füredi 1981; no projective plane of order {nics - 1} exists"
    elif switches is not None and nics > 1 and switches < points:
        best = max(Fraction(nics - 1), Fraction(1))
        theorem = f"Füredi 1981; a plane of order {nics - 1} needs {points} switches"
    if switches in FEW_SWITCHES and FEW_SWITCHES[switches] < best:
        best = FEW_SWITCHES[switches]
        theorem = f"largest fractional matching of an intersecting family on {switches} points"
    return best, theorem


def most_nodes(nics: int, ports: int, switches: int | None = None) -> Bound:
    """The most nodes, when every node has at most so many NICs and every switch at most so many ports.

    >>> most_nodes(5, 244).most, most_nodes(5, 243).most, most_nodes(4, 32, 13).most
    (1024, 1019, 104)

    """
    ratio, theorem = matching_number(nics, switches)
    most = math.floor(ratio * ports)
    if nics > 1 and ratio > nics - 1:  # only a plane's lines can be so many, and these in whole numbers
        whole = max(most_on_plane(nics - 1, ports), (nics - 1) * ports)
        if whole < most:
            most, theorem = whole, f"{theorem}; lines of a plane in whole numbers"
    with_switches = f" and {switches} switches" if switches is not None else ""
    by_family = Bound(
        most,
        theorem,
        f"{_nics(nics)} a node{with_switches} of {ports} ports reach at most {most} nodes",
    )
    by_node = _by_node(nics, ports)
    return min(by_node, by_family, key=lambda bound: bound.most)


def fewest_ports(nodes: int, nics: int, switches: int | None = None) -> int:
    """The least ports for nodes that switches need, as far as the bounds say (a lower bound).

    >>> fewest_ports(1024, 5), fewest_ports(128, 6), fewest_ports(13, 4)
    (244, 26, 4)

    """
    ratio, _ = matching_number(nics, switches)
    ports = max(1, math.ceil(nodes / ratio))
    while most_nodes(nics, ports, switches).most < nodes:
        ports += 1
    return ports


def pair_capacity(request: Request) -> int:
    """The most (ordered pair, switch) incidences: the sum of L(L - 1) over switches of L nodes, int.

    The sum is convex in the loads, so it is largest when the widest switches are filled first (KLAT2 paper, section
    6.1, for switches of one width).
    """
    cables = int(request.usable_nics.sum())
    total = 0
    for ports in sorted(request.usable_ports.tolist(), reverse=True):
        load = min(int(ports), cables)
        total += load * (load - 1)
        cables -= load
    return total


@lru_cache(maxsize=4)  # by identity; searches ask for the same request over and over
def mean_bound(request: Request) -> float:
    """The largest mean number of switches that a pair shares, in links."""
    n = request.nodes
    if n < 2:
        return 0.0
    reach = np.minimum.outer(request.usable_nics, request.usable_nics)
    most = int(reach.sum() - np.trace(reach))
    return min(pair_capacity(request), most) / (n * (n - 1))


@lru_cache(maxsize=4)
def profile_bound(request: Request) -> float:
    """The largest profile-weighted mean of shared switches when every required pair shares at least one, in links.

    A fractional knapsack: every required pair gets one of the `pair_capacity` incidences, what is left goes to the
    heaviest pairs, to each at most the NICs of its poorer node. 0 where there is no traffic.
    """
    n, total = request.nodes, float(request.weights.sum())
    if n < 2 or not total:
        return 0.0
    rows, columns = np.triu_indices(n, 1)
    weights = request.weights[rows, columns]
    sure = request.required[rows, columns]
    room = np.minimum(request.usable_nics[rows], request.usable_nics[columns]) - sure
    spare = max(0, pair_capacity(request) // 2 - int(sure.sum()))
    order = np.argsort(-weights, kind="stable")
    given = np.clip(spare - (np.cumsum(room[order]) - room[order]), 0, room[order])
    return float(2 * (weights @ sure + weights[order] @ given) / total)


def require_possible(request: Request) -> None:
    """Raise Impossible when a bound forbids that every pair shares a switch."""
    broken = _broken(request)
    if broken:
        raise Impossible(request, broken, list(nearest(request, lambda other: not _broken(other))))


def _broken(request: Request) -> list[Bound]:
    return [bound for bound in _bounds(request) if bound.most < request.nodes]


def _by_node(nics: int, ports: int) -> Bound:
    most = 1 + nics * (ports - 1)
    because = f"a node with {_nics(nics)} on switches of {ports} ports meets at most {most - 1} others"
    if ports > 0 and nics * most % ports:  # every NIC of one node more would have to be on a full switch
        most -= 1
        because += f", and the {nics * (most + 1)} NICs of {most + 1} nodes do not fill such switches"
    return Bound(most, "counting", because)


def _bounds(request: Request) -> Iterator[Bound]:
    nics, ports = int(request.usable_nics.max()), int(request.usable_ports.max())
    yield most_nodes(nics, int(request.ports.max()), request.switches)
    widest = np.sort(request.usable_ports)[::-1]
    poorest = int(request.usable_nics.min())
    reach = int((widest[:poorest] - 1).sum())
    if poorest < nics or (widest != ports).any():
        yield Bound(
            1 + reach,
            "counting",
            f"a node with {_nics(poorest)} meets at most {reach} others on the widest switches",
        )
    n, capacity = request.nodes, pair_capacity(request)
    if capacity < n * (n - 1):
        most = (1 + math.isqrt(1 + 4 * capacity)) // 2
        yield Bound(
            most,
            "counting",
            f"all cables together join {capacity // 2} pairs, and {n} nodes are {n * (n - 1) // 2} pairs",
        )


def _nics(count: int) -> str:
    return f"{count} NIC{'' if count == 1 else 's'}"


def _hardware(request: Request) -> str:
    def span(numbers: Counts, what: str) -> str:
        low, high = int(numbers.min()), int(numbers.max())
        return f"{low if low == high else f'{low} to {high}'} {what}{'' if high == 1 else 's'}"

    count = request.switches
    switches = f"{count} switch{'' if count == 1 else 'es'} of {span(request.ports, 'port')}"
    return f"{request.nodes} nodes with {span(request.nics, 'NIC')} on {switches}"
