# SPDX-License-Identifier: Apache-2.0
"""Constructions from projective planes: points are switches, lines are groups of nodes, and two lines always meet.

A plane of order q has q² + q + 1 points and as many lines of q + 1 points, so nodes with q + 1 NICs cover each other
however many of them a line stands for (a blow-up); `bounds` says when that is the best there is. With fewer switches
some points are left out, and with them the lines through them (a truncation).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import numpy.typing as npt

from flathood.design.request import Counts, Design, Request

_Element = tuple[int, ...]
_ROUNDS = 400  # of the search for group sizes; the known tight cases need a few dozen


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


def projective_plane(q: int) -> npt.NDArray[np.bool_]:
    """Which points are on which lines of the plane over the field of q elements, bool[lines, points].

    Points and lines are the vectors of length three up to a factor, in lexicographic order; a point is on a line when
    their product is zero. Raises ValueError when q is no prime power.

    >>> plane = projective_plane(2).astype(int)  # the Fano plane
    >>> (plane @ plane.T == 1 + 2 * np.eye(7)).all()
    np.True_

    """
    add, multiply = _field(q)
    vectors = np.array([v for v in product(range(q), repeat=3) if next((x for x in v if x), 0) == 1])
    terms = multiply[vectors[:, None, :], vectors[None, :, :]]
    product_ = add[add[terms[..., 0], terms[..., 1]], terms[..., 2]]
    return np.asarray(product_ == 0)


def constructions(request: Request, rng: np.random.Generator) -> Iterator[tuple[str, Design]]:
    """Every blow-up that fits the request and covers all pairs, with its name; the largest order first."""
    most = int(request.usable_nics.min()) - 1
    for order in range(most, 0, -1):
        if order > 1 and prime_power(order) is None:
            continue
        plane = projective_plane(order) if order > 1 else ~np.eye(3, dtype=bool)
        for trial in range(3):
            design = _blow_up(request, plane, rng, shuffle=trial > 0)
            if design is not None:
                yield f"plane of order {order}" if order > 1 else "triangle", design
                break


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


def _blow_up(
    request: Request, plane: npt.NDArray[np.bool_], rng: np.random.Generator, *, shuffle: bool
) -> Design | None:
    """Nodes dealt out to the lines so that no switch is overfull; None when no such sizes were found."""
    points = plane.shape[1]
    widest = np.argsort(-request.ports, kind="stable")[:points]
    ports = np.zeros(points, dtype=np.int64)  # a point without a switch has no ports: its lines stay empty
    ports[: len(widest)] = request.ports[widest]
    order = rng.permutation(points) if shuffle else np.arange(points)
    lines = plane[:, order].astype(np.int64)
    sizes = _group_sizes(lines, ports, request.nodes, rng)
    if sizes is None:
        return None
    design = np.zeros((request.nodes, request.switches), dtype=np.bool_)
    design[:, widest] = np.repeat(lines[:, : len(widest)], sizes, axis=0)
    return design


def _group_sizes(lines: Counts, ports: Counts, nodes: int, rng: np.random.Generator) -> Counts | None:
    """How many nodes each line stands for, so that no point has more than its ports; None when not found.

    A tabu search over the integer program: one node at a time goes from one line to another, to the least sum of
    squared excess, never straight back.
    """
    usable = ~(lines[:, ports == 0]).any(axis=1)
    places = np.flatnonzero(usable)
    if not len(places):
        return None
    sizes = np.zeros(len(lines), dtype=np.int64)
    sizes[places] = nodes // len(places)
    sizes[places[: nodes % len(places)]] += 1
    tabu = np.zeros(len(lines), dtype=np.int64)
    steps = lines[None, places, :] - lines[places, None, :]  # [from, to, point]
    for round_ in range(_ROUNDS):
        load = sizes @ lines
        if (load <= ports).all():
            return sizes
        cost = (np.maximum(load + steps - ports, 0) ** 2).sum(axis=2) + rng.random((len(places), len(places)))
        cost[sizes[places] == 0] = np.inf
        cost[:, tabu[places] > round_] = np.inf
        np.fill_diagonal(cost, np.inf)
        source, target = divmod(int(np.argmin(cost)), len(places))
        if not np.isfinite(cost[source, target]):
            continue
        sizes[places[source]] -= 1
        sizes[places[target]] += 1
        tabu[places[source]] = round_ + 3
    return None
