# SPDX-License-Identifier: Apache-2.0
"""Takes a lab away, whole or in pieces: it looks for what is there and trusts no note of what was made."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flathood.errors import FlathoodError
from flathood.lab import cabling, cgroups, host, paths, state
from flathood.lab.errors import LabError
from flathood.lab.lock import hold

_PATIENCE = 10.0


@contextmanager
def locked(lab: str, what: str, patience: float) -> Iterator[None]:
    """Hold the lab's lock; afterwards take away the folders that are empty then."""
    try:
        with hold(paths.lab_lock(lab), what, patience):
            yield
    finally:
        for folder in (paths.LABS, paths.RUN, paths.DISKS, paths.DISKS.parent):
            with suppress(OSError):  # not empty: something of another lab
                folder.rmdir()


def remains(lab: str) -> bool:
    """Whether anything of the lab is on this machine."""
    folders = (paths.lab_run(lab), paths.DISKS / lab, paths.lab_cgroup(lab))
    return any(folder.exists() for folder in folders) or bool(_namespaces(lab))


def known(lab: str) -> bool:
    """Whether there is anything to take down: remains, or somebody who is just making the lab or died of it."""
    return remains(lab) or paths.lab_lock(lab).exists()


def clear(lab: str) -> None:
    """End the lab's processes, delete its namespaces, disks, keys and state; any number of times.

    The caller holds the lab's lock. Only processes in the lab's own control group are ended.
    """
    cgroups.end(paths.lab_cgroup(lab))
    cabling.remove_namespaces(_namespaces(lab))
    _delete(paths.DISKS / lab)
    _delete(paths.lab_run(lab))
    host.give_back()


def _namespaces(lab: str) -> list[str]:
    """The lab's namespaces, without those that other labs' states claim."""
    claimed = []
    for other in state.labs():
        if other == lab:
            continue
        try:
            found = state.load(other)
        except FlathoodError:
            continue
        if found is not None:
            names = (paths.FABRIC, *found.planned.by_name)
            claimed += [paths.namespace(other, name) for name in names]
    return cabling.namespaces_of(lab, claimed)


def _delete(folder: Path) -> None:
    """Delete a folder; a dead machine's mounts may hold it for a moment longer."""
    deadline = time.monotonic() + _PATIENCE
    while folder.exists():
        try:
            shutil.rmtree(folder)
        except FileNotFoundError:
            continue
        except OSError as error:
            if time.monotonic() > deadline:
                raise LabError(f"{folder}: cannot be deleted: {error}") from None
            time.sleep(0.1)
