# SPDX-License-Identifier: Apache-2.0
"""How playbooks are run: the command line, at whose head, with which settings, and for how long at most."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from flathood.playbook import CHECKOUT, command, environment, play, start


class Head:
    """A head that says that it was passed by."""

    environment: ClassVar[dict[str, str]] = {"REACH": "by the head", "ANSIBLE_NOCOLOR": "0"}

    def at_head(self, argv: Sequence[str]) -> list[str]:
        return ["env", "AT=head", *argv]


def shown(*names: str) -> list[str]:
    """A program that prints variables and its folder."""
    return [sys.executable, "-c", f"import os; print(*map(os.environ.get, {names!r}), os.getcwd())"]


def test_the_command_line_names_the_playbook_the_inventory_and_what_it_is_told() -> None:
    program, book, *where, told_by, told, limit = command("site", Path("six"), "--check", size=3, names=["a b"])
    assert program.endswith("ansible-playbook")
    assert Path(book).is_file()
    assert (where, told_by, limit) == (["-i", "six"], "-e", "--check")
    assert json.loads(told) == {"size": 3, "names": ["a b"]}
    assert command("site", Path("six"))[-2:] == ["-i", "six"]


def test_it_runs_at_the_head_with_the_checkouts_settings_and_in_plain_text() -> None:
    names = ("AT", "REACH", "ANSIBLE_NOCOLOR", "ANSIBLE_CONFIG", "MORE")
    at_head = f"head by the head 1 {CHECKOUT / 'ansible.cfg'} x {CHECKOUT}\n"
    assert play(shown(*names), Head(), limit=60, settings={"MORE": "x"}).stdout == at_head
    assert play(shown("AT", "REACH"), limit=60).stdout == f"None None {CHECKOUT}\n"
    assert environment(Head()) == os.environ | Head.environment | {"ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg")}


def test_how_it_ends_is_the_callers_affair_and_errors_stand_in_what_it_prints() -> None:
    done = play([sys.executable, "-c", "import sys; print('began', flush=True); sys.exit('no such node')"], limit=60)
    assert (done.returncode, done.stdout) == (1, "began\nno such node\n")


def test_what_takes_too_long_is_ended() -> None:
    with pytest.raises(subprocess.TimeoutExpired):
        play(["sleep", "4244"], limit=0.1)


def test_a_group_of_its_own_can_be_killed_without_the_caller() -> None:
    with start([sys.executable, "-c", "import os; print(os.getpgid(0))"], group=True) as running:
        assert running.communicate() == (f"{running.pid}\n", None)
