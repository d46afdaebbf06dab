# SPDX-License-Identifier: Apache-2.0
"""The named patterns of traffic: who talks to whom on a ring, a torus, a cube, a grid, by the numbers of the nodes.

Tori and grids are as near to cubes as n's factors allow, the longest side last, so that neighbors in the last side
are neighbors in number; a side of length two has one link, not two.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.float64]


def sides(n: int, dimensions: int) -> tuple[int, ...]:
    """Find the sides of the torus of n nodes, ascending: the factors of n with the least sum.

    >>> sides(64, 3), sides(128, 3), sides(13, 2)
    ((4, 4, 4), (4, 4, 8), (1, 13))

    """
    if dimensions == 1:
        return (n,)
    splits = [(a, *sides(n // a, dimensions - 1)) for a in range(1, math.isqrt(n) + 1) if n % a == 0]
    return min((tuple(sorted(split)) for split in splits), key=lambda split: (sum(split), split))


def _links(n: int, ends: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> Matrix:
    weights = np.zeros((n, n))
    weights[ends, others] = weights[others, ends] = 1
    np.fill_diagonal(weights, 0)
    return weights


def _all_to_all(n: int) -> Matrix:
    return np.ones((n, n)) - np.eye(n)


def _torus(dimensions: int) -> Callable[[int], Matrix]:
    def shape(n: int) -> Matrix:
        ranks = np.arange(n).reshape(sides(n, dimensions))
        nexts = [np.roll(ranks, -1, axis).ravel() for axis in range(dimensions)]
        return _links(n, np.tile(ranks.ravel(), dimensions), np.concatenate(nexts))

    return shape


def _hypercube(n: int) -> Matrix:
    """Join ranks that differ in one bit; where n is no power of two, the corners from n on are missing."""
    ranks = np.arange(n)
    others = np.concatenate([ranks ^ (1 << bit) for bit in range(max(n - 1, 1).bit_length())])
    ends = np.tile(ranks, len(others) // n)
    return _links(n, ends[others < n], others[others < n])


def _bit_reversal(n: int) -> Matrix:
    """Join each rank to the one with its bits in reverse, as a fast Fourier transform reorders its data.

    As many bits as n - 1 has; a rank that is its own reverse has no partner, nor has one whose partner is n or more.
    """
    bits = max(n - 1, 1).bit_length()
    ranks = np.arange(n)
    others = np.zeros_like(ranks)
    for bit in range(bits):
        others |= (ranks >> bit & 1) << (bits - 1 - bit)
    inside = others < n
    return _links(n, ranks[inside], others[inside])


def _stencil(dimensions: int) -> Callable[[int], Matrix]:
    """Every neighbor on a grid that has borders, the diagonal ones too: 8 of them on a plane, 26 in space."""

    def shape(n: int) -> Matrix:
        lengths = sides(n, dimensions)
        places = np.indices(lengths).reshape(dimensions, n)
        weights = np.zeros((n, n))
        for step in itertools.product((-1, 0, 1), repeat=dimensions):
            there = places + np.array(step)[:, None]
            inside = ((there >= 0) & (there < np.array(lengths)[:, None])).all(axis=0)
            weights[np.flatnonzero(inside), np.ravel_multi_index(tuple(there[:, inside]), lengths)] = 1
        np.fill_diagonal(weights, 0)
        return weights

    return shape


#: Every named profile: its weights for n nodes, before they are normalised.
SHAPES: dict[str, Callable[[int], Matrix]] = {
    "all-to-all": _all_to_all,
    "ring": _torus(1),
    "torus2d": _torus(2),
    "torus3d": _torus(3),
    "hypercube": _hypercube,
    "bit-reversal": _bit_reversal,
    "stencil2d": _stencil(2),
    "stencil3d": _stencil(3),
}
