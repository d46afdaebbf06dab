# SPDX-License-Identifier: Apache-2.0
"""Programs on the lab's machines that say whenever they got on, so that the time they stood still can be told."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from flathood.errors import FlathoodError
from flathood.lab import Lab

#: What all programs begin with, to find and end them by.
MARK = "flathood_bench_progress = 1"
#: What starts them on other machines, by the words that pkill(1) finds it by, but not itself.
_STARTERS = "[o]rted|[h]ydra_pmi_proxy"
#: Seconds that a program may take until it has begun.
_START = 180.0


class Progress:
    """A process that prints a line `on` whenever it got on, and when it did."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: deque[str] = deque(maxlen=5)
        self.moments: list[float] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        if self.process.stdout:
            for line in self.process.stdout:
                if line == "on\n":
                    self.moments.append(time.monotonic())
                else:
                    self.said.append(line)

    def longest(self, begin: float, end: float) -> float:
        """The longest time without progress between two moments, seconds."""
        inside = [moment for moment in self.moments if begin <= moment <= end]
        return max(later - sooner for sooner, later in zip([begin, *inside], [*inside, end], strict=True))

    def since(self, moment: float) -> bool:
        """Whether it got on after a moment."""
        return bool(self.moments) and self.moments[-1] > moment

    def until(self, true: Callable[[], bool], what: str) -> None:
        """Wait for something that it brings about; FlathoodError with its last words when that takes too long."""
        deadline = time.monotonic() + _START
        while not true():
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise FlathoodError(f"bench: {what} has not begun within {_START:.0f} s: {''.join(self.said)}")
            time.sleep(0.1)


@contextmanager
def started(lab: Lab, machine: str, argv: Sequence[str], limit: float) -> Iterator[Progress]:
    """A program that runs on a machine until the end of the block, at most ``limit`` seconds after its start."""
    command = lab.command(machine, argv, _START + limit)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield Progress(process)
        finally:
            end(lab, machine)


def end(lab: Lab, machine: str) -> None:
    """End our programs on a machine, those that hang too."""
    lab.exec(machine, ["pkill", "--signal", "KILL", "--full", f"{MARK.replace('=', '[=]')}|{_STARTERS}"])
