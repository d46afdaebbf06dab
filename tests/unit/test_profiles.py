# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: the named ones against their definition, files and mixes, and what is wrong in them told."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from flathood.design.profiles import SHAPES, name_of, traffic
from flathood.errors import InvalidInput


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 12, 13, 64])
def test_every_named_profile_is_symmetric_and_sums_to_the_nodes(name: str, n: int) -> None:
    weights = traffic(name, n)
    assert weights.shape == (n, n)
    assert (weights == weights.T).all()
    assert (weights >= 0).all()
    assert not weights.diagonal().any()
    assert weights.sum() == pytest.approx(n if n > 1 else 0)


@pytest.mark.parametrize(("name", "neighbors"), [("ring", 2), ("torus2d", 4), ("torus3d", 6), ("hypercube", 6)])
def test_neighbors_of_64(name: str, neighbors: int) -> None:
    assert set((traffic(name, 64) > 0).sum(axis=1)) == {neighbors}


def test_torus3d_is_the_torus_4_4_4() -> None:
    weights = traffic("torus3d", 64)
    places = list(itertools.product(range(4), repeat=3))
    for i, j in itertools.combinations(range(64), 2):
        steps = sorted(min((a - b) % 4, (b - a) % 4) for a, b in zip(places[i], places[j], strict=True))
        assert (weights[i, j] > 0) == (steps == [0, 0, 1])


def test_hypercube_joins_ranks_that_differ_in_one_bit() -> None:
    weights = traffic("hypercube", 6)
    assert {(i, j) for i, j in itertools.combinations(range(6), 2) if weights[i, j]} == {
        (0, 1), (0, 2), (0, 4), (1, 3), (1, 5), (2, 3), (4, 5),
    }  # fmt: skip


def test_a_file_is_made_symmetric_without_its_diagonal(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("9, 4, 0\n0, 9, 1\n0, 1, 9\n")
    weights = traffic({"file": "t.csv"}, 3, tmp_path)
    assert weights == pytest.approx(np.array([[0, 2, 0], [2, 0, 1], [0, 1, 0]]) / 2)


def test_a_mix_weighs_normalised_parts(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("0,1e300,0\n1e300,0,0\n0,0,0\n")
    mix = [{"profile": {"file": "t.csv"}, "weight": 2}, {"profile": "ring", "weight": 1}]
    assert traffic(mix, 3, tmp_path) == pytest.approx(
        (2 * traffic({"file": "t.csv"}, 3, tmp_path) + traffic("ring", 3)) / 3
    )
    assert name_of(mix) == "2 t.csv + 1 ring"


@pytest.mark.parametrize(
    "profile",
    [
        "tours",
        None,
        7,
        {},
        {"file": 3},
        {"file": "t.csv", "n": 3},
        [],
        ["ring"],
        [{"profile": "ring", "weight": 0}],
        [{"profile": "ring", "weight": float("nan")}],
        [{"profile": "ring", "weight": True}],
        [{"profile": [{"profile": "ring", "weight": 1}], "weight": 1}],
    ],
)
def test_what_is_no_profile_is_refused(profile: object) -> None:
    with pytest.raises(InvalidInput, match="is no profile: use all-to-all, ring"):
        traffic(profile, 4)


def test_all_problems_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("0,1\n1,x,0\n-1,0,0\nnan,0,0\n")
    with pytest.raises(InvalidInput) as caught:
        traffic({"file": "t.csv"}, 3, tmp_path)
    assert [(problem.line, problem.message) for problem in caught.value.problems] == [
        (0, "4 rows for 3 nodes: the matrix needs a row a node, in the order of cluster.yml"),
        (1, "2 numbers for 3 nodes"),
        (2, "not a number: could not convert string to float: 'x'"),
        (3, "a weight is a finite number, 0 or more"),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file"),
        (b"\xff\xfe", "cannot be read: 'utf-8' codec"),
        (b"1,0\n0,1\n", "all weights between different nodes are 0"),
    ],
)
def test_files_that_are_no_matrix(tmp_path: Path, text: bytes | None, message: str) -> None:
    if text is not None:
        (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(InvalidInput, match=message):
        traffic({"file": "t.csv"}, 2, tmp_path)
