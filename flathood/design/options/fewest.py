# SPDX-License-Identifier: Apache-2.0
"""How few switches of one width can do, and what no network of so many switches can do better."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from flathood.design.bounds import most_nodes

#: The traffic of each node, float64[n]: the sums of the profile's rows.
Demands = npt.NDArray[np.float64]


def fewest_switches(nodes: int, nics: int, ports: int, most: int) -> tuple[int, str] | None:
    """A lower bound on the switches that let every pair of nodes share one, and its theorem.

    Args:
        nodes: how many nodes.
        nics: NICs of each node.
        ports: ports for nodes of each switch.
        most: how many switches to think of at most.

    Returns:
        The bound, or None when no number up to `most` is possible.

    >>> fewest_switches(8, 3, 4, 99), fewest_switches(64, 4, 31, 99), fewest_switches(128, 6, 24, 99)
    ((6, 'Schönheim 1964'), (7, 'Schönheim 1964'), None)

    """
    if nodes <= ports:
        return 1, "counting"
    if ports < 2:
        return None
    # Schönheim, "On coverings", Pacific Journal of Mathematics 14 (1964): a node meets ports - 1 others on each of its
    # switches, so it is on so many of them; that counts the cables.
    each = math.ceil((nodes - 1) / (ports - 1))
    if each > nics:
        return None
    switches, theorem = math.ceil(nodes * each / ports), "Schönheim 1964"
    while switches <= most:
        bound = most_nodes(min(nics, switches), ports, switches)
        if bound.most >= nodes:
            return switches, theorem
        switches, theorem = switches + 1, bound.theorem
    return None


def most_throughput(demands: Demands, nics: int, cables: int) -> float:
    """No network of so many cables in all has a larger throughput, in links; see `throughput`.

    To send t times its demand d a node needs at least t x d cables, a whole number, and has at most so many NICs.

    >>> most_throughput(np.ones(4), 3, 11)
    2.0

    """
    demands = demands[demands > 0]
    if not len(demands):
        return float(nics)
    # The throughput is largest where some node's cables are just enough.
    steps = np.unique(np.arange(1, nics + 1)[:, None] / demands[None, :])
    steps = steps[steps <= nics / demands.max() * (1 + 1e-12)]
    low, high = 0, len(steps)
    while low < high:
        middle = (low + high) // 2
        if np.ceil(steps[middle] * demands - 1e-9).sum() <= cables:
            low = middle + 1
        else:
            high = middle
    return float(steps[low - 1]) if low else 0.0
