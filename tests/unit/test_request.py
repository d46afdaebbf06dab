# SPDX-License-Identifier: Apache-2.0
"""What a request asks for: which pairs must share a switch in each mode, and which designs fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flathood.design.profiles import traffic
from flathood.design.request import Request
from flathood.spec import load_cluster
from flathood.spec.rules import DesignRules, Mode

INVENTORIES = Path(__file__).parents[2] / "inventories"

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


def test_what_is_not_to_be_used_is_left_out_and_put_back() -> None:
    kept = np.zeros((4, 3), dtype=bool)
    kept[3, 1] = True
    wanted = replace(RING, keep=kept)
    small = wanted.without_unused()
    assert small.nics.tolist() == [1, 2, 2]
    assert small.ports.tolist() == [2, 3]
    assert small.weights.tolist() == RING.weights[np.ix_([0, 1, 3], [0, 1, 3])].tolist()
    assert small.keep is not None
    assert small.keep.tolist() == [[False, False], [False, False], [False, True]]
    design = np.array([[True, False], [True, True], [False, True]])
    whole = wanted.with_unused(design)
    assert wanted.fits(whole)
    assert [tuple(cable) for cable in np.argwhere(whole).tolist()] == [(0, 0), (1, 0), (1, 1), (3, 1)]
    assert replace(RING, nics=np.ones(4), ports=np.ones(3)).without_unused().nodes == 4


def test_the_rules_of_a_cluster(tmp_path: Path) -> None:
    text = (
        (INVENTORIES / "hexa/cluster.yml").read_text().replace('"#2e7d32", ports: 4', '"#2e7d32", ports: 4, taken: 1')
    )
    path = tmp_path / "cluster.yml"
    path.write_text(text + "profile: ring\ndesign: {mode: sparse, keep: {a: [red], c: [blue]}, without: [b]}\n")
    cluster = load_cluster(path)
    wanted = Request.of(cluster)
    assert wanted.mode == "sparse"
    assert wanted.nics.tolist() == [2, 0, 2, 2, 2, 2]
    assert wanted.ports.tolist() == [4, 3, 4]
    assert wanted.keep is not None
    assert np.argwhere(wanted.keep).tolist() == [[0, 0], [2, 2]]
    assert wanted.weights[1].sum() == wanted.weights[:, 1].sum() == 0
    assert wanted.weights.sum() == pytest.approx(5)
    others = Request.of(cluster, rules=DesignRules(without=("red",)))
    assert others.ports.tolist() == [0, 3, 4]
    assert others.keep is None
    assert others.mode == "universal"
