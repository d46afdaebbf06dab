# SPDX-License-Identifier: Apache-2.0
"""What a request asks for: which pairs must share a switch in each mode, and which designs fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flathood.design.profiles import traffic
from flathood.design.request import Mode, Request

RING = Request(np.array([1, 2, 0, 2]), np.array([2, 3, 0]), traffic("ring", 4), "ring")


@pytest.mark.parametrize(
    ("mode", "pairs"),
    [("universal", [(0, 1), (0, 3), (1, 3)]), ("sparse", [(0, 1), (0, 3)]), ("fractional", [])],
)
def test_required_pairs(mode: Mode, pairs: list[tuple[int, int]]) -> None:
    required = replace(RING, mode=mode).required
    assert (required == required.T).all()
    assert [tuple(pair) for pair in np.argwhere(np.triu(required)).tolist()] == pairs


def test_kept_cables_are_part_of_what_fits() -> None:
    kept = np.zeros((4, 3), dtype=bool)
    kept[0, 0] = True
    wanted = replace(RING, keep=kept)
    assert wanted.fits(kept)
    assert not wanted.fits(np.zeros((4, 3), dtype=bool))


@pytest.mark.parametrize(
    "cables",
    [[(0, 0), (0, 1)], [(0, 0), (1, 0), (3, 0)], [(2, 0)], [(1, 2)]],
    ids=["more than the NICs", "more than the ports", "a node not to be used", "a switch not to be used"],
)
def test_what_does_not_fit(cables: list[tuple[int, int]]) -> None:
    design = np.zeros((4, 3), dtype=bool)
    design[tuple(np.transpose(cables))] = True
    assert not RING.fits(design)
