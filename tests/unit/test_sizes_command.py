# SPDX-License-Identifier: Apache-2.0
"""`flathood sizes`: its columns, its files, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from click.testing import CliRunner, Result

from flathood.cli.sizes import sizes


def run(*arguments: str) -> Result:
    return CliRunner().invoke(sizes, arguments)


def test_most_nodes(tmp_path: Path) -> None:
    target = tmp_path / "sizes.csv"
    result = run("--ports", "32", "--nics", "2-6", "--csv", str(target))
    assert result.exit_code == 0, result.output
    assert "5 of 5 are proved optimal." in result.output
    with target.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["ports", "nics", "max_nodes", "upper_bound", "proof"]
    assert [int(row["max_nodes"]) for row in rows] == [48, 74, 104, 132, 162]


def test_least_ports_with_the_graphs(tmp_path: Path) -> None:
    picture = tmp_path / "sizes.png"
    result = run("--nodes", "1000-1024", "--plot", str(picture), "--json")
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert rows[-1] == {
        "nodes": 1024,
        "nics": 5,
        "min_ports": 244,
        "lower_bound": 244,
        "proof": rows[-1]["proof"],
    }
    assert rows[-1]["proof"].startswith("optimal: Füredi 1981")
    assert picture.read_bytes().startswith(b"\x89PNG")
    before = picture.read_bytes()
    run("--nodes", "1000-1024", "--plot", str(picture), "--json")
    assert picture.read_bytes() == before


def test_what_is_no_size_is_refused() -> None:
    assert "write A-B" in run("--ports", "many").output
    assert "the smaller one first" in run("--ports", "9-3").output
    assert "not both" in run("--ports", "3", "--nodes", "4").output
    assert "leave --ports out" in run("--ports", "3", "--plot", "x.png").output
