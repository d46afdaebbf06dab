# SPDX-License-Identifier: Apache-2.0
"""Writing files whole or not at all, one writer at a time, with text that every YAML reader takes the same way."""

from __future__ import annotations

import fcntl
import json
import os
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pydantic import JsonValue

from flathood.errors import Conflict

# Text that no YAML 1.1 or 1.2 reader takes for a number, a date, a boolean or null once the words below are excluded.
_SAFE = re.compile(r"[A-Za-z_][A-Za-z0-9_/-]*")
_RAW = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null"])


def scalar(text: str | None) -> str:
    """One value as YAML: plain where every reader (1.1 or 1.2) takes it for the same text, else in double quotes.

    >>> [scalar(text) for text in ("red", "no", "1e3", "#c62828", None)]
    ['red', '"no"', '"1e3"', '"#c62828"', 'null']
    """
    if text is None:
        return "null"
    if _SAFE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    # JSON's quotes are YAML's, but YAML also folds these line breaks and forbids these control characters as they are.
    return _RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(text, ensure_ascii=False))


def flow(value: JsonValue) -> str:
    """A value on one line: `[red, blue, null]`, `{weight: 2.5}`; raises ValueError on an infinite number."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalar(key)}: {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    return scalar(value) if isinstance(value, str) else json.dumps(value, allow_nan=False)


def block(value: dict[str, JsonValue], indent: str = "") -> str:
    """A mapping of one line a key; mappings inside it and lists of those are indented, all else stays on its line."""
    lines = []
    for key, item in value.items():
        if isinstance(item, dict) and item:
            lines.append(f"{indent}{scalar(key)}:\n{block(item, indent + '  ')}")
        elif isinstance(item, list) and any(isinstance(each, dict) for each in item):
            lines.append(f"{indent}{scalar(key)}:\n" + "".join(f"{indent}  - {flow(each)}\n" for each in item))
        else:
            lines.append(f"{indent}{scalar(key)}: {flow(item)}\n")
    return "".join(lines)


def header(path: Path) -> str:
    """The comment lines that a file begins with (an editor's schema line, a licence), to be kept in a rewrite."""
    if not path.exists():
        return ""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines(keepends=True)
    kept = 0
    while kept < len(lines) and lines[kept].startswith("#"):
        kept += 1
    return "".join(lines[:kept])


def save(path: Path, content: str | bytes) -> bool:
    """Make the file hold exactly this text, or these bytes; True when it had to be written.

    The new bytes are complete on disk under a temporary name in the same folder before they take the file's place, so
    a reader, a crash or a full disk never meets half a file. The file's mode is kept; a symbolic link is followed.
    """
    target = path.resolve()
    data = content.encode() if isinstance(content, str) else content
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
