# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: the named ones against their definition, files and mixes, and what is wrong in them told."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from flathood.design.profiles import SHAPES, from_text, name_of, traffic
from flathood.errors import InvalidInput


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("n", [1, 2, 3, 6, 8, 12, 13, 64])
def test_every_named_profile_is_symmetric_and_sums_to_the_nodes(name: str, n: int) -> None:
    weights = traffic(name, n)
    assert weights.shape == (n, n)
    assert (weights == weights.T).all()
    assert (weights >= 0).all()
    assert not weights.diagonal().any()
    alone = n == 1 or (name == "bit-reversal" and n == 2)
    assert weights.sum() == pytest.approx(0 if alone else n)


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


def test_bit_reversal_swaps_ranks_with_their_mirror() -> None:
    def mirror(rank: int) -> int:
        return int(f"{rank:04b}"[::-1], 2)

    weights = traffic("bit-reversal", 13)
    for i, j in itertools.combinations(range(13), 2):
        assert (weights[i, j] > 0) == (mirror(i) == j)


@pytest.mark.parametrize(("name", "lengths"), [("stencil2d", (3, 5)), ("stencil3d", (2, 3, 4))])
def test_a_stencil_has_every_neighbor_on_a_grid_with_borders(name: str, lengths: tuple[int, ...]) -> None:
    places = list(itertools.product(*map(range, lengths)))
    weights = traffic(name, len(places))
    for i, j in itertools.combinations(range(len(places)), 2):
        near = max(abs(a - b) for a, b in zip(places[i], places[j], strict=True)) == 1
        assert (weights[i, j] > 0) == near


@pytest.mark.parametrize(
    ("text", "profile"),
    [
        ("torus3d", "torus3d"),
        ("mine.judge:halo", {"function": "mine.judge:halo"}),
        ("/x/t.csv", {"file": "/x/t.csv"}),
        ("/x/run.2.0.prof", {"trace": "/x/run.2"}),
    ],
)
def test_a_profile_on_a_command_line(text: str, profile: object) -> None:
    assert from_text(text) == profile


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
        [{"profile": {"function": "a:b"}, "weight": 1}],
        {"trace": "cfd", "ranks": "random"},
        {"function": "no colon"},
        {"function": "a:b", "traffic": {"function": "a:b"}},
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
