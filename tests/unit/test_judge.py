# SPDX-License-Identifier: Apache-2.0
"""The operator's own function: how it is found, what it may return, and what is told when it does not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from flathood.design.judge import BadJudge, Judge
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
