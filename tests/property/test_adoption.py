# SPDX-License-Identifier: Apache-2.0
"""The valid wiring nearest to what was found, held against all wirings of small clusters."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.nearest import Found, nearest

_NODES, _SWITCHES, _NICS, _PORTS = 4, 3, 2, 3
#: All rows of a node with two NICs.
_ROWS = [row for row in product((False, True), repeat=_SWITCHES) if sum(row) <= _NICS]
_TABLES = np.array(list(product(_ROWS, repeat=_NODES)), dtype=np.bool_)


@st.composite
def cablings(draw: st.DrawFn) -> Found:
    """What may be found in a small cluster: any table, any NICs broken, any cables beside another one."""
    table = np.array([draw(st.sampled_from(_ROWS)) for _ in range(_NODES)], dtype=np.bool_)
    spare = _NICS - table.sum(axis=1)
    broken = np.array([draw(st.integers(0, int(free))) for free in spare])
    twice = [draw(st.integers(0, int(free - bad))) if row.any() else 0
             for row, free, bad in zip(table, spare, broken, strict=True)]  # fmt: skip
    required = np.triu(np.array([[draw(st.booleans()) for _ in range(_NODES)] for _ in range(_NODES)]), 1)
    return Found(table, table, required, _NICS - broken, broken, np.array(twice), np.full(_SWITCHES, _PORTS))


def _least(found: Found) -> int | None:
    """The fewest moves to any valid table, by trying all."""
    valid = [table for table in _TABLES if (table.sum(axis=0) <= found.ports).all() and not len(found.uncovered(table))]
    return min((found.cost(table) for table in valid), default=None)


@settings(max_examples=40, deadline=None)
@given(cablings())
def test_no_valid_wiring_of_a_small_cluster_takes_fewer_moves(found: Found) -> None:
    table, bound = nearest(found, None, 60)
    least = _least(found)
    assert (table is None) == (least is None)
    if table is not None:
        assert (found.cost(table), bound) == (least, least)
        assert not len(found.uncovered(table))
        assert (table.sum(axis=0) <= found.ports).all()
        assert (table.sum(axis=1) <= _NICS).all()
