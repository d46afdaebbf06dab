# SPDX-License-Identifier: Apache-2.0
"""The one way to run a playbook of this checkout: on this machine, or at the head of a lab or of virtual machines."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any, Protocol

CHECKOUT = Path(__file__).resolve().parents[1]


class Head(Protocol):
    """From where machines are reached."""

    def at_head(self, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` there."""

    @property
    def environment(self) -> dict[str, str]:
        """Variables for Ansible to reach the machines."""


def program(name: str) -> str:
    """A program of Ansible: this Python's own if it has one, else the first on the PATH."""
    own = Path(sys.executable).with_name(name)
    return str(own) if own.exists() else name


def command(book: str, inventory: Path, /, *options: str, **variables: object) -> list[str]:
    """The command line that runs `playbooks/BOOK.yml` on an inventory.

    ``options``: further words for Ansible; ``variables``: what the playbook is told by its variables' names.
    """
    told = ["-e", json.dumps(variables)] if variables else []
    file = CHECKOUT / "playbooks" / f"{book}.yml"
    return [program("ansible-playbook"), str(file), "-i", str(inventory), *told, *options]


def environment(head: Head | None = None) -> dict[str, str]:
    """The variables of this process, with those for Ansible to take the checkout's settings and to reach machines."""
    reach = head.environment if head else {}
    return os.environ | {"ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg")} | reach


def start(
    argv: Sequence[str],
    head: Head | None = None,
    *,
    settings: dict[str, str] | None = None,
    output: int | IO[Any] = subprocess.PIPE,
    group: bool = False,
) -> subprocess.Popen[str]:
    """Begin a program of Ansible that nobody answers; it prints plain text, errors among it.

    ``settings``: variables beside, or in the place of, those of `environment`. ``group``: in a process group of its
    own, for callers that kill all of it.
    """
    plain = {"ANSIBLE_NOCOLOR": "1", "ANSIBLE_FORCE_COLOR": "0"}
    return subprocess.Popen(
        head.at_head(argv) if head else argv,
        cwd=CHECKOUT,
        env=environment(head) | plain | (settings or {}),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=group,
    )


def play(
    argv: Sequence[str], head: Head | None = None, *, limit: float, settings: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a program of Ansible to its end, whatever that is; TimeoutExpired after ``limit`` seconds."""
    with start(argv, head, settings=settings) as running:
        try:
            text, _ = running.communicate(timeout=limit)
        except BaseException:
            running.kill()
            raise
    return subprocess.CompletedProcess(argv, running.returncode, text)
