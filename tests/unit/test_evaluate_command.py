# SPDX-License-Identifier: Apache-2.0
"""`flathood evaluate`: what it prints of the example clusters, and its JSON against the library."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flathood.cli.main import cli
from flathood.design.objective import evaluate
from flathood.design.request import Request, design_of
from flathood.errors import InvalidInput
from flathood.inventory import load

INVENTORIES = Path(__file__).parents[2] / "inventories"


def printed(*arguments: str) -> str:
    result = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["evaluate", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    return result.stdout


def report(*arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        CliRunner().invoke(cli, ["evaluate", *arguments, "--json"], catch_exceptions=False).stdout
    )
    return found


def rows(text: str) -> dict[str, list[str]]:
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines() if line.startswith("│")]
    return {name: values for name, *values in cells}


def test_the_second_example_of_the_paper() -> None:
    text = printed(str(INVENTORIES / "octet"))
    table = rows(text)
    assert table["mean shared switches"][0] == "1.28571428"
    assert table["bisection, best case"][0] == "24.0"
    assert table["bisection, conservative"][0] == "10.28571428"
    assert table["throughput, best split"] == ["3.0", "3.0"]
    assert "All nodes at once can send 3.0 times the profile's traffic" in text
    # A switch's four nodes lose it: of their six pairs the two twins share two more.
    assert table["switch red"] == ["0", "4", "14.29%", table["switch red"][3]]
    assert "No pair is lost with 0 of 6 switches" in text


def test_json_has_what_the_library_says() -> None:
    folder = INVENTORIES / "klat2"
    found = report(str(folder), "--profile", "torus3d")
    there = load(folder, need_macs=False)
    request, design = Request.of(there.cluster, folder, "torus3d"), design_of(there.wiring, there.cluster)
    assert found["evaluation"] == evaluate(request, design).report()
    assert found["profile"] == "torus3d"
    best = found["throughput"]
    assert found["evaluation"]["throughput"]["even_split"] <= best["best_split"] <= best["limit"] <= best["bound"] == 4
    assert best["exact"]
    assert [loss["switch"] for loss in found["resilience"]["switches"]] == list(there.cluster.switch_names)
    assert len(found["resilience"]["cables"]) == 256
    assert "judge" not in found


def test_a_recording_as_the_profile() -> None:
    trace = Path(__file__).parent / "data" / "traces" / "halo.0.prof"
    assert report(str(INVENTORIES / "octet"), "--profile", str(trace))["profile"].endswith("/halo")


def test_a_function_that_judges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_judge.py").write_text(
        "def judge(request, design):\n    return 0.25, design * [[3, 0, 0]] + design * [[0, 1, 0]]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    arguments = [str(INVENTORIES / "hexa"), "--profile", "own_judge:judge"]
    text = " ".join(printed(*arguments).split())
    assert rows(printed(*arguments))["quality"][0] == "0.25"
    assert "own_judge:judge marks these as problem spots: a on red (3)" in text
    spots = report(*arguments)["judge"]["spots"]
    assert [spot["mark"] for spot in spots] == [3, 3, 3, 3, 1, 1, 1, 1]


def test_a_wiring_tells_its_mode_and_what_it_leaves_out(tmp_path: Path) -> None:
    shutil.copy(INVENTORIES / "hexa" / "cluster.yml", tmp_path)
    rows_of = {"a": "red, green", "b": "red, green", "c": "red, ~", "d": "red, ~", "e": "green, ~", "f": "~, ~"}
    lines = ["cluster: hexa", "nodes:", *(f"  {name}: [{slots}]" for name, slots in rows_of.items())]
    lines += ["design: {mode: fractional, without: [f, blue]}"]
    (tmp_path / "wiring.yml").write_text("\n".join(lines).replace("~", "null"))
    found = report(str(tmp_path))
    assert found["mode"] == "fractional"
    assert found["evaluation"]["pairs"] == 10
    assert found["evaluation"]["uncovered"] == 2
    assert found["evaluation"]["served"] == 0.8
    assert found["evaluation"]["fill"] == [4, 3, 0]
    # 8 of 10 pairs share a switch, 0.9 on average where two switches of four ports allow 1.2; the busiest cable has 3
    # of a node's 4 demands, and 8 ports for 5 nodes allow 1.6.
    assert found["evaluation"]["quality"] == pytest.approx(0.8 * (0.9 / 1.2) * (4 / 3 / 1.6))
    assert found["throughput"]["best_split"] == 0
    assert "Some pairs that talk share no switch" in printed(str(tmp_path))


def test_a_profile_that_is_none() -> None:
    with pytest.raises(InvalidInput, match="'rings' is no profile"):
        CliRunner().invoke(cli, ["evaluate", str(INVENTORIES / "hexa"), "--profile", "rings"], catch_exceptions=False)
