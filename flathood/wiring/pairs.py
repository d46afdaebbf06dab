# SPDX-License-Identifier: Apache-2.0
"""Pairs of nodes that share no switch: whose traffic would have to cross the uplink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from flathood.spec.known import several

_ROWS = 1024  # of the shared-switch table at a time: 8,192 nodes then need 32 MiB, not 256


def apart(nodes: Mapping[str, Sequence[str | None]]) -> str:
    """How many pairs share no switch, and the first of them, in words; empty when each pair shares one.

    >>> apart({"a": ["red"], "b": ["red", None], "c": ["blue"]})
    '2 pairs of nodes share no switch: a with c and b with c'

    """
    names = list(nodes)
    count, first = 0, list[str]()
    for row, other in _rows(list(nodes.values())):
        count += other.size
        first += [f"{names[row]} with {names[column]}" for column in other[: max(0, 6 - len(first))]]
    if not count:
        return ""
    what = f"{count:,} pairs of nodes share" if count > 1 else "1 pair of nodes shares"
    return f"{what} no switch: {several(first, count)}"


def _rows(nodes: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Each node that has partners after it with no common switch, with the numbers of those."""
    number: dict[str, int] = {}
    for switches in nodes:
        for switch in switches:
            if switch is not None:
                number.setdefault(switch, len(number))
    on = np.zeros((len(nodes), max(1, len(number))), dtype=np.float32)
    for row, switches in enumerate(nodes):
        on[row, [number[switch] for switch in switches if switch is not None]] = 1
    for start in range(0, len(nodes), _ROWS):
        shared = on[start : start + _ROWS] @ on.T
        for row in map(int, np.flatnonzero((shared == 0).any(axis=1))):
            after = np.flatnonzero(shared[row, start + row + 1 :] == 0) + start + row + 1
            if after.size:
                yield start + row, after
