# SPDX-License-Identifier: Apache-2.0
"""Control groups (version 2): every process of a lab is in one, so that ending a lab needs no search for processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from flathood.lab import paths
from flathood.lab.errors import LabError
from flathood.lab.run import run

#: Longest time that killed processes may take to be gone, seconds.
_PATIENCE = 20.0


def mount() -> None:
    """Mount our own view of the hierarchy; any number of times."""
    if not paths.CGROUP_MOUNT.is_mount():
        paths.CGROUP_MOUNT.mkdir(parents=True, exist_ok=True)
        run(("mount", "-t", "cgroup2", "-o", "nosuid,nodev,noexec", "cgroup2", str(paths.CGROUP_MOUNT)))
    paths.CGROUPS.mkdir(exist_ok=True)


def unmount() -> None:
    """Take our view away; only when no lab is left."""
    if paths.CGROUP_MOUNT.is_mount():
        with suppress(OSError):
            paths.CGROUPS.rmdir()
        run(("umount", str(paths.CGROUP_MOUNT)))
    with suppress(OSError):
        paths.CGROUP_MOUNT.rmdir()


def processes(group: Path) -> list[int]:
    """Processes in a group and below it."""
    return sorted({int(line) for file in _procs(group) for line in _lines(file)})


def busy(group: Path) -> bool:
    """Whether a group or one below it holds a process."""
    return "populated 1" in _lines(group / "cgroup.events")


def kill(group: Path) -> None:
    """End every process in a group, at once and without asking (cgroup.kill, or one by one before Linux 5.14)."""
    deadline = time.monotonic() + _PATIENCE
    while busy(group):
        if time.monotonic() > deadline:
            raise LabError(f"{group}: processes {processes(group)} do not end when killed")
        try:
            (group / "cgroup.kill").write_text("1")
        except OSError:
            for pid in processes(group):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def end(group: Path) -> None:
    """End every process in a group, and the group; a process that joins it meanwhile is ended as well."""
    deadline = time.monotonic() + _PATIENCE
    while group.is_dir():
        kill(group)
        try:
            for folder, _, _ in os.walk(group, topdown=False):
                Path(folder).rmdir()
        except OSError as error:
            if time.monotonic() > deadline:
                raise LabError(f"{group}: cannot be removed: {error}") from None
            time.sleep(0.02)


def _procs(group: Path) -> Iterator[Path]:
    for folder, _, _ in os.walk(group):
        yield Path(folder) / "cgroup.procs"


def _lines(file: Path) -> list[str]:
    """The lines of a file that may vanish while it is read."""
    try:
        return file.read_text().splitlines()
    except OSError:
        return []
