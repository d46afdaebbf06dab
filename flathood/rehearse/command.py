# SPDX-License-Identifier: Apache-2.0
"""Runs a long program: all that it says goes to a log, what it is busy with is told as it goes."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flathood.lab.progress import Note
from flathood.playbook import CHECKOUT

#: Lines kept for a message about a failure.
TAIL = 25
#: Seconds that an interrupted program has to clear up after itself.
_PATIENCE = 15.0
_TASK = re.compile(r"^(?:TASK|RUNNING HANDLER) \[(.+?)\] \**$")
_RECAP = re.compile(r"^(\S+)\s+: ok=(\d+)\s+changed=(\d+)\s+unreachable=(\d+)\s+failed=(\d+)")


@dataclass(frozen=True)
class Recap:
    """What Ansible counts for one machine at the end: numbers of tasks."""

    ok: int
    changed: int
    unreachable: int
    failed: int


@dataclass(frozen=True)
class Outcome:
    """How a program ended, where its output is, the last lines of it, and Ansible's count for each machine."""

    code: int
    log: Path
    tail: tuple[str, ...]
    recap: dict[str, Recap]

    @property
    def changed(self) -> int:
        """Tasks that changed something, over all machines."""
        return sum(count.changed for count in self.recap.values())

    @property
    def last_words(self) -> tuple[str, ...]:
        """The lines to show of a failure: from the summary callback's heading on where there is one, else the tail."""
        headings = [number for number, line in enumerate(self.tail) if line.startswith("SUMMARY ***")]
        return self.tail[headings[-1] + 1 :] if headings else self.tail

    @property
    def lost(self) -> tuple[str, ...]:
        """Machines that were unreachable or on which a task failed."""
        return tuple(name for name, count in self.recap.items() if count.unreachable or count.failed)


def run(
    argv: Sequence[str],
    log: Path,
    note: Note,
    environment: Mapping[str, str],
    step: re.Pattern[str] = _TASK,
) -> Outcome:
    """Run `argv` in the checkout, to its end; `note` is told what it begins, by default each of Ansible's tasks.

    The program ends with this process, however that ends: a rehearsal that was killed leaves nothing at work behind.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    recap: dict[str, Recap] = {}
    with (
        log.open("w", encoding="utf-8") as file,
        subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *argv],
            cwd=CHECKOUT,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        ) as program,
    ):
        try:
            for line in program.stdout or ():
                file.write(line)
                lines = [*lines[1 - TAIL :], line.rstrip()]
                if task := step.match(line):
                    note(task[1])
                elif count := _RECAP.match(line):
                    recap[count[1]] = Recap(*(int(number) for number in count.groups()[1:]))
            code = program.wait()
        except BaseException:
            _end(program)
            raise
    return Outcome(code, log, tuple(lines), recap)


def _end(program: subprocess.Popen[str]) -> None:
    """Ask the program to stop, then make it."""
    program.terminate()
    try:
        program.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        program.kill()
