# SPDX-License-Identifier: Apache-2.0
"""Every broken input of tests/corpus gives exactly the message beside it, and nothing is written.

Each case is a folder that holds the broken file or files and `expected.txt`; what it does not hold is taken from
inventories/hexa. After a change of wording: `FLATHOOD_ACCEPT=1 pytest tests/unit/test_corpus.py`, then read the diff.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood.catalogue import load_catalogue
from flathood.cli.macs import macs
from flathood.errors import InvalidInput
from flathood.inventory import load
from flathood.text import MAX_BYTES

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "corpus"
CASES = sorted(path for path in CORPUS.glob("*/*") if path.is_dir())
LISTS = ("list.csv", "list.yml")


def _folder(case: Path, into: Path) -> None:
    """The cluster's folder of one case: hexa with the case's files in it."""
    for name in ("cluster.yml", "wiring.yml"):
        shutil.copy(ROOT / "inventories" / "hexa" / name, into)
    for path in case.iterdir():
        if path.name != "expected.txt":
            shutil.copy(path, into)


def _message(case: Path) -> str:
    """What an operator reads, in the folder itself so that file names are the same everywhere."""
    if (case / "catalogue.yml").exists():
        with pytest.raises(InvalidInput) as caught:
            load_catalogue(Path("catalogue.yml"))
        return str(caught.value)
    names = [name for name in LISTS if (case / name).exists()]
    if not names:
        with pytest.raises(InvalidInput) as caught:
            load(Path(), need_macs=False)
        return str(caught.value)
    result = CliRunner().invoke(macs, ["import", names[0]])
    assert isinstance(result.exception, InvalidInput), result.output
    assert result.output == ""
    return str(result.exception)


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}/{case.name}")
def test_message_is_the_expected_one_and_nothing_is_written(case, tmp_path, monkeypatch):
    _folder(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    before = _bytes(tmp_path)
    message = _message(case) + "\n"
    assert _bytes(tmp_path) == before
    expected = case / "expected.txt"
    if os.environ.get("FLATHOOD_ACCEPT"):
        expected.write_text(message, encoding="utf-8")
    assert message == expected.read_text(encoding="utf-8")


def test_corpus_is_there():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", ["cluster.yml", "wiring.yml", "macs.yml"])
def test_file_of_10_mb_is_refused_with_its_size_and_the_limit(name, tmp_path, monkeypatch):
    _folder(CORPUS / "cluster" / "empty", tmp_path)
    shutil.copy(ROOT / "inventories" / "hexa" / "cluster.yml", tmp_path)
    (tmp_path / name).write_bytes(b"# padding\n" * 1_000_000)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidInput) as caught:
        load(Path(), need_macs=False)
    size = f"is 10,000,000 bytes; at most {MAX_BYTES:,} (8 MiB) are read: is this the right file?"
    assert f"{name}: {size}" in str(caught.value).splitlines()
