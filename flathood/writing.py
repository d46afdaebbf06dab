# SPDX-License-Identifier: Apache-2.0
"""Writing files whole or not at all, one writer at a time, with text that every YAML reader takes the same way."""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flathood.errors import Conflict

# Text that no YAML 1.1 or 1.2 reader takes for a number, a date, a boolean or null once the words below are excluded.
_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_/-]*")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])


def scalar(text: str | None) -> str:
    """One value as YAML: plain where every reader (1.1 or 1.2) takes it for the same text, else in double quotes.

    >>> [scalar(text) for text in ("red", "no", "1e3", "#c62828", None)]
    ['red', '"no"', '"1e3"', '"#c62828"', 'null']
    """
    if text is None:
        return "null"
    return text if _SAFE.fullmatch(text) and text.lower() not in _WORDS else json.dumps(text)


def flow_list(texts: Iterable[str | None]) -> str:
    """A list on one line: `[red, blue, null]`."""
    return "[" + ", ".join(map(scalar, texts)) + "]"


def header(path: Path) -> str:
    """The comment lines that a file begins with (an editor's schema line, a licence), to be kept in a rewrite."""
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    kept = 0
    while kept < len(lines) and lines[kept].startswith("#"):
        kept += 1
    return "".join(lines[:kept])


def save(path: Path, text: str) -> bool:
    """Make the file hold exactly this text; True when it had to be written.

    The new bytes are complete on disk under a temporary name in the same folder before they take the file's place, so
    a reader, a crash or a full disk never meets half a file. The file's mode is kept; a symbolic link is followed.
    """
    target = path.resolve()
    data = text.encode()
    if target.exists() and target.read_bytes() == data:
        return False
    mode = target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask()
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            os.fchmod(stream.fileno(), mode)
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).replace(target)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the one right to read, change and write a file; raises Conflict when somebody else has it.

    The lock is on the folder, not on the file, as `save` puts a new file in the old one's place. The kernel frees it
    when the process ends, however it ends.
    """
    folder = os.open(path.resolve().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            message = f"{path}: another flathood command is changing it: wait until that is done, then try again"
            raise Conflict(message, path) from error
        yield
    finally:
        os.close(folder)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
