# SPDX-License-Identifier: Apache-2.0
"""One YAML file: what it says as plain data, and where it says it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from flathood.errors import InvalidInput, Problem
from flathood.parsing import Builder, KeyPath
from flathood.text import decode, read_bytes

__all__ = ["Document", "KeyPath", "kind", "parse", "read"]


@dataclass(frozen=True)
class Document:
    """What one file says: ``data`` is made of dict, list, str, int, float, bool and None."""

    file: str
    raw: bytes
    data: Any
    lines: dict[KeyPath, int] = field(repr=False)

    def line(self, path: KeyPath) -> int:
        """Line of a key or item, counted from 1; of what encloses it when it has none (a key that is missing)."""
        path = self.place(path)
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)

    def problem(self, path: KeyPath, message: str) -> Problem:
        """A problem at one key or item of this file."""
        path = self.place(path)
        return Problem(self.file, self.line(path), ".".join(str(step) for step in path), message)

    def place(self, path: KeyPath) -> KeyPath:
        """A path as the file has it: without the item's number where one mapping stands in place of a list of one."""
        steps: list[str | int] = []
        inside = self.data
        for step in path:
            if isinstance(inside, dict) and isinstance(step, int):
                continue
            steps.append(step)
            if isinstance(inside, dict):
                inside = inside.get(str(step))
            elif isinstance(inside, list) and isinstance(step, int) and step < len(inside):
                inside = inside[step]
        return tuple(steps)


def read(path: Path) -> Document:
    """Read one YAML file whose top is a mapping.

    Raises InvalidInput when it cannot be read, is too large, is not UTF-8, is no YAML, holds a duplicate key, a tag,
    a key that is no text, more than one document, or anything but a mapping at its top.
    """
    document = parse(str(path), read_bytes(path))
    if not isinstance(document.data, dict):
        message = f"holds {kind(document.data)}, expected a mapping (lines of `key: value`)"
        raise InvalidInput([Problem(document.file, 0, "", message)])
    return document


def parse(file: str, raw: bytes) -> Document:
    """Read YAML with anything at its top but nothing; `file` is what problems are reported against."""
    return Document(file, raw, *Builder(file, decode(file, raw)).build())


def kind(value: object) -> str:
    """What a value is, in plain words, for messages."""
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true or false"
    return "text" if isinstance(value, str) else "a number"
