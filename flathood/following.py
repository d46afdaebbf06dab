# SPDX-License-Identifier: Apache-2.0
"""Which task of a playbook is at work, shown on stderr while it runs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

_TASK = re.compile(r"^TASK \[(.*)\] \**$")
_DONE = re.compile(r"^(?:ok|changed|fatal|skipping|failed): \[")


def follow(output: Iterable[str], *, quiet: bool = False) -> list[str]:
    """Show each task that Ansible prints, and how many machines are done with it; every line that was read."""
    lines = []
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        TextColumn("{task.completed:.0f}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), disable=quiet) as progress:
        current = progress.add_task("Start Ansible")
        for line in output:
            lines.append(line)
            if match := _TASK.match(line):
                progress.update(current, total=progress.tasks[-1].completed)
                current = progress.add_task(match[1])
            elif _DONE.match(line):
                progress.advance(current)
    return lines
