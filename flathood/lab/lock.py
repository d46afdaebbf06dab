# SPDX-License-Identifier: Apache-2.0
"""Locks that name their holder, end with it however it ends, and leave no file behind."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flathood.errors import Conflict


@contextmanager
def hold(path: Path, what: str, patience: float = 0.0) -> Iterator[None]:
    """Hold the lock `path` for the body, which does `what`; wait at most `patience` seconds for it.

    Raises Conflict, which names the holder's process and what it does. The kernel frees the lock when the holder
    dies; the file is unlinked at the end, so whoever gets the lock has to make sure that it got the file of that name.
    """
    deadline = time.monotonic() + patience
    while (handle := _try(path)) is None:
        if time.monotonic() >= deadline:
            raise _held(path)
        time.sleep(0.1)
    try:
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()} {what}\n".encode())
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)


def _try(path: Path) -> int | None:
    """An open, locked file that `path` names, or None: held by somebody, or replaced meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except FileNotFoundError:  # the last lab took the folder away just now
        return None
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(handle).st_ino == path.stat().st_ino:
            return handle
    os.close(handle)
    return None


def _held(path: Path) -> Conflict:
    try:
        pid, _, what = path.read_text().strip().partition(" ")
        holder = int(pid)
    except (OSError, ValueError):  # between its lock and its first write
        return Conflict(f"{path}: held by another process that has just started; try again")
    return Conflict(f"process {holder} is busy with it ({what}): wait for it to finish, or end it; lock {path}", holder)
