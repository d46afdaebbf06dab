# SPDX-License-Identifier: Apache-2.0
"""Fat trees and trees of switches of one width: how many switches and cables they take, and who is below what.

Both have the same leaf switches, with half of the ports for nodes, as in the KLAT2 paper (section 6.1). Above them
the fat tree has as many links as nodes, so any traffic that the nodes can send gets through; the tree has one link from
each switch to one above, which is all that a plain switch can use between two switches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from flathood.design.request import Counts
from flathood.errors import FlathoodError


class NoTree(FlathoodError):
    """Switches of this width are too narrow to build a larger network of."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Switches in levels above the nodes.

    Attributes:
        groups: int64[levels, n], the switch of each level (a pod, in a fat tree) that each node is below; leaves first,
            the last level is one for all.
        switches: how many switches, all levels together.
        cables: how many cables, those of the nodes included.

    """

    groups: Counts
    switches: int
    cables: int

    @property
    def latency(self) -> float:
        """Switches on the way between two nodes on average: 1 below the same leaf, 3 one level up, and so on."""
        n = self.groups.shape[1]
        if n < 2:
            return 0.0
        # Each level at which two nodes are still apart costs two switches more.
        apart = sum(n * n - int((np.bincount(groups) ** 2).sum()) for groups in self.groups)
        return float(1 + 2 * apart / (n * (n - 1)))


def fat_tree(nodes: int, ports: int) -> Hierarchy:
    """The smallest fat tree (folded Clos network) of switches of so many ports with full bandwidth for all nodes.

    Raises NoTree when switches of fewer than four ports would have to be stacked.

    >>> fat_tree(8, 4).switches, fat_tree(16, 4).switches, fat_tree(64, 32).switches  # 16 of 4: k-ary, 5k²/4
    (6, 20, 6)

    """
    half = ports // 2
    levels = _levels(nodes, ports)
    groups = [np.zeros(nodes, dtype=np.int64)]
    for level in range(levels - 1, 0, -1):
        groups.insert(0, _split(groups[0], half**level))
    if levels == 1:
        return Hierarchy(np.array(groups), 1, nodes)
    pods = int(groups[-2].max()) + 1
    below = _pod(levels - 1, math.ceil(nodes / pods), half)
    switches = pods * below.switches + below.tops * math.ceil(below.links / (ports // pods))
    return Hierarchy(np.array(groups), switches, nodes * levels)


def tree(nodes: int, ports: int) -> Hierarchy:
    """The tree with the fat tree's leaves, and above them one link from each switch to the next level's.

    Raises NoTree when switches of fewer than four ports would have to be stacked.

    >>> tree(8, 4).switches, tree(8, 4).cables
    (5, 12)

    """
    if _levels(nodes, ports) == 1:
        return Hierarchy(np.zeros((1, nodes), dtype=np.int64), 1, nodes)
    groups = [_spread(nodes, math.ceil(nodes / (ports // 2)))]
    while (count := int(groups[-1].max()) + 1) > 1:
        # The top switch needs no port for a link up.
        parents = _spread(count, 1 if count <= ports else math.ceil(count / (ports - 1)))
        groups.append(parents[groups[-1]])
    switches = sum(int(level.max()) + 1 for level in groups)
    return Hierarchy(np.array(groups), switches, nodes + switches - 1)


@dataclass(frozen=True)
class _Pod:
    """A part of a fat tree: its switches, how many of them have links up, and how many links each of those has."""

    switches: int
    tops: int
    links: int


def _pod(levels: int, nodes: int, half: int) -> _Pod:
    """A part of so many levels with as many links up as nodes."""
    if levels == 1:
        return _Pod(switches=1, tops=1, links=nodes)
    parts = math.ceil(nodes / half ** (levels - 1))
    below = _pod(levels - 1, math.ceil(nodes / parts), half)
    # The first tops of all parts are joined by switches of their own, so are the second ones, and so on; half of such
    # a switch's ports look down, evenly to all parts.
    joining = math.ceil(below.links / (half // parts))
    links = parts * math.ceil(below.links / joining)
    return _Pod(parts * below.switches + below.tops * joining, below.tops * joining, links)


def _levels(nodes: int, ports: int) -> int:
    """Levels that a fat tree needs: the top switches have all their ports down, those below half of them."""
    half, levels, room = ports // 2, 1, ports
    while room < nodes:
        if half < 2:
            raise NoTree(f"{nodes} nodes on switches of {ports} ports: a tree of those needs at least 4 ports each")
        levels, room = levels + 1, room * half
    return levels


def _spread(count: int, groups: int) -> Counts:
    """So many things dealt out to groups as evenly as can be, in order, int64[count]."""
    return np.arange(count, dtype=np.int64) * groups // count


def _split(groups: Counts, most: int) -> Counts:
    """Every group cut into the fewest even parts of at most so many, numbered on, int64[n]."""
    sizes = np.bincount(groups)
    parts = [_spread(int(size), math.ceil(size / most)) for size in sizes]
    starts = np.cumsum([0, *[int(part.max()) + 1 for part in parts]])
    return np.concatenate([part + start for part, start in zip(parts, starts, strict=False)])
