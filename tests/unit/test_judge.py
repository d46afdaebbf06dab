# SPDX-License-Identifier: Apache-2.0
"""The operator's own function: how it is found, what it may return, and what is told when it does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flathood.design.designer import search
from flathood.design.engine import Budget
from flathood.design.judge import BadJudge, Judge
from flathood.design.judged import JudgedSearch
from flathood.design.objective import evaluate
from flathood.design.profiles import judge_of, name_of, traffic
from flathood.design.request import Request
from flathood.errors import InvalidInput

HEXA = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=bool)


def request(judge: Judge | None = None) -> Request:
    return Request(np.full(6, 2), np.full(3, 4), traffic("ring", 6), "ring", judge=judge)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "halo_judge.py").write_text(
        "def judge(request, design):\n    return design[0].sum() / 4, [1, 0, 0, 0, 0, 0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "halo_judge:judge"


def test_a_function_is_imported_and_its_word_is_the_quality(mine: str) -> None:
    profile = {"function": mine, "traffic": "torus2d"}
    judge = judge_of(profile)
    judgement = judge(request(), HEXA)
    assert judgement.quality == 0.5
    assert judgement.spots.tolist() == [[1, 1, 0], *[[0, 0, 0]] * 5]
    assert evaluate(request(judge), HEXA).quality == 0.5
    assert (traffic(profile, 6) == traffic("torus2d", 6)).all()
    assert (traffic({"function": mine}, 6) == traffic("all-to-all", 6)).all()
    assert name_of(profile) == mine
    assert judge_of("ring") is None


def test_a_design_that_misses_pairs_has_no_quality_whatever_the_function_says() -> None:
    design = HEXA.copy()
    design[5] = False
    assert evaluate(request(Judge("mine", lambda *_: (1, None))), design).quality == 0


def test_a_function_cannot_change_the_design() -> None:
    design = HEXA.copy()

    def spoil(_: Request, given: np.ndarray) -> tuple[float, None]:
        given[:] = False
        return 1, None

    Judge("mine", spoil)(request(), design)
    assert (design == HEXA).all()


def near(request: Request, design: np.ndarray) -> tuple[float, np.ndarray]:
    """Wants the pairs (0, 1), (2, 3), … to share as many switches as can be, and marks the nodes that do not."""
    twins = (design[0::2] & design[1::2]).sum(axis=1)
    return twins.sum() / (len(twins) * request.nics.max()), np.repeat(request.nics.max() - twins, 2)


def test_the_designer_searches_by_the_function_where_it_marks_spots() -> None:
    judge = Judge("near", near)
    asked = Request(np.full(12, 3), np.full(9, 6), traffic("ring", 12), "near", mode="fractional", judge=judge)
    start = np.array([np.isin(np.arange(9), np.arange(node, node + 9, 3) % 9) for node in range(12)])
    assert near(asked, start)[0] == 0
    answer = JudgedSearch().solve(asked, start, Budget(rounds=1000), lambda *_: None)
    assert asked.fits(answer.design)
    assert answer.design.sum() == start.sum()
    assert near(asked, answer.design)[0] > 0.9
    again = JudgedSearch().solve(asked, start, Budget(rounds=1000), lambda *_: None)
    assert (again.design == answer.design).all()


def test_every_design_that_is_judged_keeps_the_limits_the_cables_and_the_pairs() -> None:
    seen: list[np.ndarray] = []

    def judge(asked: Request, design: np.ndarray) -> tuple[float, np.ndarray]:
        seen.append(design)
        return 0.5, np.ones(12)

    asked = Request(np.full(12, 4), np.full(9, 7), traffic("all-to-all", 12), "mine", judge=Judge("mine", judge))
    fano = np.array([[(switch - node) % 7 in (0, 1, 3) and switch < 7 for switch in range(9)] for node in range(12)])
    JudgedSearch().solve(asked, fano, Budget(rounds=300), lambda *_: None)
    assert len({design.tobytes() for design in seen}) > 10
    for design in seen:
        assert asked.fits(design)
        assert evaluate(replace(asked, judge=None), design).uncovered == 0
    cables = [int(design.sum()) for design in seen]  # the function likes all alike, so every one is kept
    assert cables == sorted(cables)


def test_a_construction_is_the_start_where_there_is_no_other() -> None:
    asked = request(Judge("mine", lambda *_: (0.5, None)))
    answer = JudgedSearch().solve(asked, None, Budget(rounds=1), lambda *_: None)
    assert evaluate(asked, answer.design).uncovered == 0


def test_the_designer_asks_the_function_last() -> None:
    asked = request(Judge("mine", lambda *_: (0.5, None)))
    assert [turn.engine for turn in search(asked, Budget(rounds=1)).turns][-1] == "judged"
    assert not JudgedSearch().suits(request())


def test_a_cable_that_is_to_stay_stays_whatever_the_function_marks() -> None:
    keep = np.zeros_like(HEXA)
    keep[0, 0] = True

    def judge(_: Request, design: np.ndarray) -> tuple[float, np.ndarray]:
        return 0.5 - 0.1 * design[0, 0], design * np.array([9, 0, 0])

    asked = replace(request(Judge("mine", judge)), keep=keep)
    assert JudgedSearch().solve(asked, HEXA, Budget(rounds=200), lambda *_: None).design[0, 0]
    free = JudgedSearch().solve(replace(asked, keep=None), HEXA, Budget(rounds=200), lambda *_: None)
    assert not free.design[0, 0]
    assert evaluate(asked, free.design).uncovered == 0


def test_a_free_nic_gets_a_cable_where_the_function_likes_it() -> None:
    asked = replace(request(Judge("many", lambda _, design: (design.mean(), None))), nics=np.full(6, 3))
    asked = replace(asked, ports=np.full(3, 5))
    found = JudgedSearch().solve(asked, HEXA, Budget(rounds=100), lambda *_: None).design
    assert asked.fits(found)
    assert found.sum() == 15


def test_a_free_port_is_used_and_no_limit_is_broken() -> None:
    asked = replace(request(), nics=np.full(4, 1), ports=np.array([2, 2, 4]), weights=traffic("ring", 4), mode="sparse")
    asked = replace(asked, weights=np.zeros((4, 4)), judge=Judge("last", lambda _, d: (d[:, 2].mean(), None)))
    start = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]], dtype=bool)
    found = JudgedSearch().solve(asked, start, Budget(rounds=100), lambda *_: None).design
    assert asked.fits(found)
    assert found[:, 2].all()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no_such_module_here:judge", r"no_such_module_here:judge cannot be imported \(ModuleNotFoundError"),
        ("math:judge", r"math:judge cannot be imported \(AttributeError"),
        ("math:pi", "math:pi is no function"),
    ],
)
def test_what_cannot_be_imported(name: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        judge_of({"function": name})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (0.5, "mine returned no pair of a quality and problem spots"),
        (("good", None), "mine returned no pair"),
        ((1.5, None), "mine returned the quality 1.5: it must be from 0 to 1"),
        ((float("nan"), None), "the quality nan"),
        ((0.5, [1, 2]), "problem spots that are not 6 x 3 or 6 finite numbers"),
        ((0.5, -HEXA.astype(float)), "problem spots that are not"),
        ((0.5, [np.inf] * 6), "problem spots that are not"),
    ],
)
def test_what_is_no_judgement(answer: object, message: str) -> None:
    with pytest.raises(BadJudge, match=message):
        Judge("mine", lambda *_: answer)(request(), HEXA)


def test_a_function_that_fails() -> None:
    with pytest.raises(BadJudge, match="mine failed: ZeroDivisionError: division by zero"):
        Judge("mine", lambda *_: 1 / 0)(request(), HEXA)
