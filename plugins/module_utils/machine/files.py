# SPDX-License-Identifier: GPL-3.0-or-later
"""A role's files on this machine: what is there, what differs, and one whole file at a time put in place.

Every function takes ``root``, the directory that stands for ``/``: the tests' scratch directory or the real root.
"""

from __future__ import annotations

import glob
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

REAL_ROOT = Path("/")


@dataclass(frozen=True)
class Wanted:
    """A file as the plan wants it; ``content`` is None when the controller knows it to be right already."""

    path: str
    mode: int
    content: bytes | None


@dataclass(frozen=True)
class Change:
    """One file that differs: bytes and mode before and after; None is a file that is not there."""

    path: str
    before: bytes | None
    after: bytes | None
    mode_before: int | None
    mode_after: int | None


def signature(content: bytes, mode: int) -> str:
    """Mode and SHA-256: what the controller and a machine compare instead of the bytes."""
    return f"{mode:04o} {hashlib.sha256(content).hexdigest()}"


def on(root: Path, path: str) -> Path:
    """Where the absolute ``path`` is below ``root``."""
    return root / path.lstrip("/")


def signatures(root: Path, globs: list[str]) -> dict[str, str]:
    """Path → signature of every file that the globs match; a symbolic link has one that never fits."""
    found = {}
    for pattern in globs:
        for name in glob.glob(str(on(root, pattern))):  # noqa: PTH207 - patterns are absolute
            path = Path(name)
            mode = path.lstat().st_mode
            plain = stat.S_ISREG(mode)
            if plain or stat.S_ISLNK(mode):
                key = "/" + str(path.relative_to(root))
                found[key] = signature(path.read_bytes(), stat.S_IMODE(mode)) if plain else "no plain file"
    return dict(sorted(found.items()))


def changes(root: Path, wanted: list[Wanted], globs: list[str]) -> list[Change]:
    """List what must change so that the wanted files are there and nothing else is where the globs point."""
    found = []
    for file in wanted:
        before, mode = _read(on(root, file.path))
        after = before if file.content is None else file.content
        if (before, mode) != (after, file.mode):
            found.append(Change(file.path, before, after, mode, file.mode))
    keep = {file.path for file in wanted}
    for path in signatures(root, globs):
        if path not in keep:
            before, mode = _read(on(root, path))
            found.append(Change(path, before, None, mode, None))
    return found


def apply(root: Path, change: Change) -> None:
    """Make one change, all of it or nothing: a reader, a crash or a full disk never meets half a file."""
    target = on(root, change.path)
    if change.after is None or change.mode_after is None:
        target.unlink()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".flathood", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(change.after)
            stream.flush()
            os.fchmod(stream.fileno(), change.mode_after)
            os.fchown(stream.fileno(), 0, 0)
            os.fsync(stream.fileno())
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def undo(root: Path, done: list[Change]) -> None:
    """Put back what was there before these changes."""
    for change in done:
        apply(root, Change(change.path, change.after, change.before, change.mode_after, change.mode_before))


def keep_original(root: Path, path: str, suffix: str) -> str | None:
    """Copy a file aside once, before its first replacement; the copy's path when it was made just now."""
    copy = path + suffix
    content, mode = _read(on(root, path))
    if content is None or mode is None or os.path.lexists(on(root, copy)):
        return None
    apply(root, Change(copy, None, content, None, mode))
    return copy


def _read(path: Path) -> tuple[bytes | None, int | None]:
    """Bytes and mode of a file; a symbolic link counts as its own kind of file, with the bytes it leads to."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return None, None
    if stat.S_ISLNK(mode):
        return (path.read_bytes() if path.exists() else b""), 0o120777
    return path.read_bytes(), stat.S_IMODE(mode)
