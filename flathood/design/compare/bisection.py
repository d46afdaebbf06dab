# SPDX-License-Identifier: Apache-2.0
"""The bisection bandwidth of a tree, exactly: the worst division of its nodes into halves."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from flathood.design.compare.hierarchy import Hierarchy

#: Fewest cut links by how many nodes are on the first side; infinite where no labelling has so many.
_Cuts = npt.NDArray[np.float64]


def tree_bisection(tree: Hierarchy) -> float:
    """The most that the halves of a tree can exchange, divided in the worst way, both directions, in links.

    By the theorem of Ford and Fulkerson (1956) that is the least cut: every switch is put on one of two sides; a link
    between switches of different sides is cut, and so is the link of every node that its switch's side does not suit.
    The nodes may be divided in any way, so only how many are too many on a side counts. The best labelling is found
    from the leaves up, by how many nodes are on the first side.

    >>> from flathood.design.compare.hierarchy import tree
    >>> tree_bisection(tree(8, 4)), tree_bisection(tree(64, 32)), tree_bisection(tree(16, 16))
    (4.0, 4.0, 16.0)

    """
    levels = tree.groups
    n = levels.shape[1]
    tables = [_leaf(int(size)) for size in np.bincount(levels[0])]
    for below, above in pairwise(levels):
        parent = np.zeros(int(below.max()) + 1, dtype=np.int64)
        parent[below] = above
        tables = [
            _joined([table for child, table in enumerate(tables) if parent[child] == number])
            for number in range(int(above.max()) + 1)
        ]
    surplus = np.abs(np.arange(n + 1) - n / 2)
    return float(2 * min((table + surplus).min() for table in tables[0]))


def _leaf(size: int) -> tuple[_Cuts, _Cuts]:
    """The tables of a leaf switch on the first side (all its nodes are there) and on the second (none is)."""
    here, there = np.full(size + 1, np.inf), np.full(size + 1, np.inf)
    here[size] = there[0] = 0
    return here, there


def _joined(children: list[tuple[_Cuts, _Cuts]]) -> tuple[_Cuts, _Cuts]:
    """The tables of a switch with one link to each of its children."""
    sides: list[_Cuts] = []
    for side in (0, 1):
        total: _Cuts = np.zeros(1)
        for child in children:
            total = _sum(total, np.minimum(child[side], child[1 - side] + 1))
        sides.append(total)
    return sides[0], sides[1]


def _sum(one: _Cuts, other: _Cuts) -> _Cuts:
    """The least sums of two tables for every number of nodes that they have together."""
    total = np.full(len(one) + len(other) - 1, np.inf)
    for count in np.flatnonzero(np.isfinite(other)):
        part = total[count : count + len(one)]
        np.minimum(part, one + other[count], out=part)
    return total
