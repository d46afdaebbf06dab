# SPDX-License-Identifier: Apache-2.0
"""Files of one JSON object a line that are only ever appended to, each line on disk before what it is about is done."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from flathood.errors import FlathoodError, InvalidInput, Problem


def lines(path: Path) -> Iterator[tuple[int, Any]]:
    """The whole lines of a journal with their numbers, from 1; none where there is no file. Raises InvalidInput.

    A last line that a crash has cut short is none: what it was to say has not been done.
    """
    if not path.exists():
        return
    for number, line in enumerate(path.read_bytes().split(b"\n")[:-1], 1):
        try:
            yield number, json.loads(line)
        except ValueError as error:
            raise edited(path, number, error) from error


def edited(path: Path, number: int, error: Exception) -> InvalidInput:
    """What to raise for a line that makes no sense."""
    message = f"is no line of this journal ({error}): was it edited? Put it back from a backup"
    return InvalidInput([Problem(str(path), number, "", message)])


def append(path: Path, said: Mapping[str, Any]) -> None:
    """Append a line; back when it is on disk. It takes the place of one that a crash has cut short."""
    line = json.dumps({"at": round(time.time(), 3), **said}).encode() + b"\n"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            size = os.fstat(handle).st_size
            if size and os.pread(handle, 1, size - 1) != b"\n":
                os.ftruncate(handle, os.pread(handle, size, 0).rfind(b"\n") + 1)
            os.write(handle, line)
            os.fsync(handle)
        finally:
            os.close(handle)
        sync(path.parent)
    except OSError as error:
        raise FlathoodError(f"{path}: cannot be written: {error.strerror}") from error


def sync(folder: Path) -> None:
    """Have a folder's names on disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
