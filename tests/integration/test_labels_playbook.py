# SPDX-License-Identifier: Apache-2.0
"""playbooks/labels.yml by real Ansible, before anybody knows a MAC: check mode, a run, one that changes nothing."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "hexa").mkdir()
    for name in ("cluster.yml", "wiring.yml"):
        shutil.copy(ROOT / "inventories/hexa" / name, tmp_path / "hexa")
    return tmp_path


def play(folder: Path, *options: str, **variables: object) -> subprocess.CompletedProcess[str]:
    given = json.dumps({"labels_directory": str(folder / "labels"), **variables})
    command = [
        Path(sys.executable).parent / "ansible-playbook",
        "playbooks/labels.yml",
        "-i",
        folder / "hexa",
        "-e",
        given,
    ]
    return subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)


def test_check_then_run_then_nothing(folder: Path) -> None:
    check = play(folder, "--check", "--diff")
    assert check.returncode == 0, check.stdout + check.stderr
    assert "changed=1" in check.stdout
    assert "+a     0=R red:1  1=G green:1" in check.stdout
    assert not (folder / "labels").exists()
    assert "changed=1" in play(folder).stdout
    written = {path.name: path.read_bytes() for path in (folder / "labels").iterdir()}
    assert {"labels.pdf", "sheets.pdf", "diagram.svg", "labels.txt", "labels-01.svg"} <= set(written)
    assert "changed=0" in play(folder).stdout
    assert {path.name: path.read_bytes() for path in (folder / "labels").iterdir()} == written


def test_what_is_wrong_is_told_before_anything_is_written(folder: Path) -> None:
    wrong = play(folder, labels_only=["a", "zz"])
    assert wrong.returncode != 0
    assert "hexa has no machine or switch called zz" in wrong.stdout
    assert not (folder / "labels").exists()
