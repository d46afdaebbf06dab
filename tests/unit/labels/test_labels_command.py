# SPDX-License-Identifier: Apache-2.0
"""flathood labels: what it writes and says, and how it answers to what is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from flathood.bench import labels as measured
from flathood.cli.labels import labels
from flathood.labels import PAPERS
from tests.unit.labels.conftest import ROOT

HEXA = str(ROOT / "inventories/hexa")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(labels, arguments, env={"COLUMNS": "80"})


def test_all_formats_then_nothing_changed(tmp_path: Path) -> None:
    arguments = (HEXA, "--output", str(tmp_path / "out"), "--paper", "avery-l7163")
    first = run(*arguments)
    assert first.exit_code == 0
    assert first.output.splitlines()[0] == "hexa: 11 labels on 1 page (avery-l7163: 14 of 99.1 x 38.1 mm on A4)"
    count = len(list((tmp_path / "out").iterdir()))
    assert f"{count} files, {count} changed" in first.output
    assert f"{count} files, 0 changed" in run(*arguments).output


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    result = run(HEXA, "--output", str(tmp_path), "--format", "text", "--only", "a, head")
    assert result.exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["reprint.txt"]


def test_text_for_this_terminal(tmp_path: Path) -> None:
    assert run(HEXA, "--output", "-", "--only", "head,b").output == "b     0=R red:2  1=G green:2\nhead  0=W white:4\n"
    assert "\nCables to get\n" in run(HEXA, "--output", "-").output


def test_the_figure_in_the_documentation_is_current(tmp_path: Path) -> None:
    arguments = ["--only", "k00", "--paper", "dymo-99012", "--format", "svg"]
    assert run(str(ROOT / "inventories/klat2"), *arguments, "--output", str(tmp_path)).exit_code == 0
    again = f"make it again: bin/flathood labels inventories/klat2 {' '.join(arguments)}, and copy reprint-01.svg"
    assert (tmp_path / "reprint-01.svg").read_bytes() == (ROOT / "docs/figures/label.svg").read_bytes(), again


def test_labels_that_are_too_small_for_a_code_are_told(tmp_path: Path) -> None:
    result = run(HEXA, "--output", str(tmp_path), "--format", "pdf", "--paper", "38x21")
    assert "too small for a QR code of that address (7 labels)" in result.output


def test_papers_are_listed_with_their_sizes() -> None:
    lines = run("--papers").output.splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list(PAPERS)
    assert max(map(len, lines)) <= 80
    assert "avery-5163         10 of 101.6 x 50.8 mm on US Letter" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--paper", "7163"), "did you mean avery-l7163?"),
        (("--format", "pdf,docx"), "'docx' is no format: write some of pdf,svg,text"),
        (("--only", "a,zz"), "hexa has no machine or switch called zz"),
        (("--skip", "-1"), "-1 is not in the range x>=0"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_written(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    result = run(HEXA, "--output", str(tmp_path / "out"), *arguments)
    assert result.exit_code != 0
    told = result.output + str(result.exception)
    assert message in " ".join(told.split())
    assert not (tmp_path / "out").exists()


def test_the_benchmark_makes_everything() -> None:
    row = measured.work(13)
    assert row["labels"] == 13 + 1 + 13 + 1
    assert row["written_bytes"] > 0
