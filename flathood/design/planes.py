# SPDX-License-Identifier: Apache-2.0
"""Constructions from projective planes: points are switches, lines are groups of nodes, and two lines always meet.

A plane of order q has q² + q + 1 points and as many lines of q + 1 points, so nodes with q + 1 NICs cover each other
however many of them a line stands for (a blow-up); `bounds` says when that is the best there is. With fewer switches
some points are left out, and with them the lines through them (a truncation: a plane without one point is the dual of
an affine plane). The triangle is the plane of order 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product

import numpy as np
import numpy.typing as npt

from flathood.design.blowup import group_sizes, nodes_of
from flathood.design.families import Family, small_families
from flathood.design.request import Counts, Design, Request

_Element = tuple[int, ...]
_TRIALS = 3  # orders of the switches that are tried, the widest first and two by chance


def prime_power(q: int) -> tuple[int, int] | None:
    """The prime p and exponent k with q = p**k, or None.

    >>> prime_power(9), prime_power(6), prime_power(13)
    ((3, 2), None, (13, 1))

    """
    if q < 2:
        return None
    p = next((d for d in range(2, math.isqrt(q) + 1) if q % d == 0), q)
    k = round(math.log(q, p))
    return (p, k) if p**k == q else None


@lru_cache(maxsize=32)
def projective_plane(q: int) -> Family:
    """Which points are on which lines of the plane over the field of q elements, bool[lines, points].

    Points and lines are the vectors of length three up to a factor, in lexicographic order; a point is on a line when
    their product is zero. Raises ValueError when q is no prime power.

    >>> plane = projective_plane(2).astype(int)  # the Fano plane
    >>> (plane @ plane.T == 1 + 2 * np.eye(7)).all()
    np.True_

    """
    if q == 1:
        return ~np.eye(3, dtype=np.bool_)
    add, multiply = _field(q)
    vectors = np.array([v for v in product(range(q), repeat=3) if next((x for x in v if x), 0) == 1])
    terms = multiply[vectors[:, None, :], vectors[None, :, :]]
    product_ = add[add[terms[..., 0], terms[..., 1]], terms[..., 2]]
    return np.asarray(product_ == 0)


def orders(nics: int) -> list[int]:
    """The orders of the planes over fields whose lines have at most so many points, and 1, the largest first.

    >>> orders(7)
    [5, 4, 3, 2, 1]

    """
    return [q for q in range(nics - 1, 0, -1) if q == 1 or prime_power(q)]


def most_on_plane(order: int, ports: int) -> int:
    """No plane of this order holds more nodes, each line any number, on switches of so many ports.

    Let ports = k(q + 1) + r. A multiple of q + 1 is filled by k nodes a line. Else let s be the free ports of each
    point, S their sum and T the nodes. Counting the load of the points of a line l gives q x(l) + T, so the free ports
    of every line are S modulo q, and S is r modulo q + 1. Take a point without free ports (without one, remove a free
    port everywhere, which leaves r - 1): S is the sum over its q + 1 lines, of which each has at least S mod q, so
    S = (q + 1)(S mod q) + qj with j = -r modulo q + 1, and S >= q(q + 1 - r). With that many it is attained if
    k >= q - r, see `plane_sizes`.

    >>> [most_on_plane(4, ports) for ports in (30, 31, 32, 33, 34)]
    [126, 127, 132, 137, 142]

    """
    k, r = divmod(ports, order + 1)
    return k * (order * order + order + 1) + (order * order - (order - r) * (order + 1) if r else 0)


def plane_sizes(order: int, ports: int) -> Counts | None:
    """Nodes of each line of `projective_plane` that reach `most_on_plane`; None when there are too few ports for it.

    All free ports are at one point: its lines have k + r - q nodes, all others k + 1.
    """
    k, r = divmod(ports, order + 1)
    lines = projective_plane(order)
    if not r:
        return np.full(len(lines), k, dtype=np.int64)
    return np.where(lines[:, 0], k + r - order, k + 1) if k + r >= order else None


def constructions(request: Request, rng: np.random.Generator) -> Iterator[tuple[str, Design]]:
    """Every construction that fits the request and covers all pairs, with its name.

    All nodes on one switch, and on as many as hold them all; the planes, the largest order first; the small families.
    """
    whole = np.flatnonzero(request.ports >= request.nodes)
    if len(whole):
        design = np.zeros((request.nodes, request.switches), dtype=np.bool_)
        design[:, whole] = np.arange(len(whole)) < request.nics[:, None]
        yield "all nodes on the same switches", design
    for order in orders(int(request.usable_nics.min())):
        planned = _on_plane(request, order, rng)
        if planned is not None:
            yield f"plane of order {order}" if order > 1 else "triangle", planned
    for name, family in small_families(int(request.usable_nics.max())):
        if family.shape[1] <= request.switches:
            planned = _blow_up(request, family)
            if planned is not None:
                yield name, planned


def _field(q: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The tables of addition and multiplication of the field of q elements, int64[q, q] each.

    Elements are polynomials over the integers modulo p, numbered by their coefficients; multiplication is modulo the
    first monic polynomial of degree k by which the tables become a field's: no product of non-zeros is zero.
    """
    power = prime_power(q)
    if power is None:
        raise ValueError(f"{q} is no prime power: no plane of this order can be made from a field")
    p, k = power
    elements = list(product(range(p), repeat=k))  # highest coefficient first
    number = {element: index for index, element in enumerate(elements)}
    add = np.array(
        [[number[tuple((x + y) % p for x, y in zip(a, b, strict=True))] for b in elements] for a in elements]
    )
    for tail in elements:
        multiply = np.array([[number[_times(a, b, tail, p)] for b in elements] for a in elements])
        if multiply[1:, 1:].all():
            return add, multiply
    raise AssertionError(f"the field of {q} elements exists")  # Galois


def _times(a: _Element, b: _Element, tail: _Element, p: int) -> _Element:
    """The product of two polynomials modulo x**k + tail, coefficients modulo p."""
    result = [0] * len(a)
    for factor in a:
        lead, result = result[0], [*result[1:], 0]  # times x; x**k is -tail
        result = [(x - lead * t + factor * y) % p for x, t, y in zip(result, tail, b, strict=True)]
    return tuple(result)


def _on_plane(request: Request, order: int, rng: np.random.Generator) -> Design | None:
    """The blow-up of a plane or of what is left of it on the switches there are; None when no sizes were found."""
    plane = projective_plane(order)
    points = plane.shape[1]
    widest = np.sort(request.ports)[::-1][:points]
    if len(widest) == points and widest[0] == widest[-1]:  # all orders of the switches are the same
        if request.nodes > most_on_plane(order, int(widest[0])):
            return None
        return _blow_up(request, plane, plane_sizes(order, int(widest[0])))
    for trial in range(_TRIALS):
        design = _blow_up(request, plane[:, rng.permutation(points)] if trial else plane)
        if design is not None:
            return design
    return None


def _blow_up(request: Request, family: Family, known: Counts | None = None) -> Design | None:
    """Nodes dealt out to the sets, the widest switches taken for the family's; known sizes may be given."""
    points = family.shape[1]
    widest = np.argsort(-request.ports, kind="stable")[:points]
    ports = np.zeros(points, dtype=np.int64)  # a point without a switch has no ports: its sets stay empty
    ports[: len(widest)] = request.ports[widest]
    sizes = group_sizes(family, ports, request.nics, known)
    if sizes is None:
        return None
    design = np.zeros((request.nodes, request.switches), dtype=np.bool_)
    design[:, widest] = family[nodes_of(family, sizes, request.nics)][:, : len(widest)]
    return design
