# SPDX-License-Identifier: Apache-2.0
"""Reading one YAML file: plain data, and the line of every key and item.

The files are read as YAML 1.2 reads them (core schema: `no`, `on` and `52:54:00:12:34:56` are text, not a boolean or a
number of base 60), because that is what people mean and what editors show. Everything a hostile or broken file could
do is bounded: bytes, depth, number of values after aliases are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from yaml._yaml import CParser

from flathood.errors import InvalidInput, Problem

#: Path of a key or item: mapping keys as text, list places as numbers.
KeyPath = tuple[str | int, ...]

#: Most bytes of one file. A macs.yml of 8,192 nodes with four NICs each is about 3 MiB.
MAX_BYTES = 8 * 1024 * 1024
#: Most values (scalars, lists and mappings, aliases followed); 8 MiB of honest text has fewer.
MAX_VALUES = 2_000_000
MAX_DEPTH = 32

# YAML 1.2.2 section 5.1 (c-printable), without the surrogates that UTF-8 cannot hold anyway.
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
# YAML 1.2.2 section 10.3.2 (core schema).
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {
    text: value for value, word in ((True, "true"), (False, "false")) for text in (word, word.title(), word.upper())
}
_INT = re.compile(r"[-+]?[0-9]{1,100}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")


def core_scalar(text: str) -> str | int | float | bool | None:
    """The value of a plain (unquoted) scalar by the YAML 1.2 core schema; octal, hex, .inf and .nan stay text."""
    if text in _NULL:
        return None
    if text in _BOOL:
        return _BOOL[text]
    if _INT.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


@dataclass(frozen=True)
class Document:
    """What one file says: ``data`` is made of dict, list, str, int, float, bool and None."""

    file: str
    raw: bytes
    data: Any
    lines: dict[KeyPath, int] = field(repr=False)

    def line(self, path: KeyPath) -> int:
        """Line of a key or item, counted from 1; of what encloses it when it has none (a key that is missing)."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)

    def problem(self, path: KeyPath, message: str) -> Problem:
        """A problem at one key or item of this file."""
        return Problem(self.file, self.line(path), ".".join(str(step) for step in path), message)


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
    return Document(file, raw, *_Builder(file, decode(file, raw)).build())


def read_bytes(path: Path) -> bytes:
    """The bytes of a regular file of at most MAX_BYTES; raises InvalidInput when that is not what is there."""
    file = str(path)
    try:
        if path.exists() and not path.is_file():
            raise InvalidInput([Problem(file, 0, "", "is no regular file")])
        with path.open("rb") as stream:
            return bounded(file, stream.read(MAX_BYTES + 1), path.stat().st_size)
    except OSError as error:
        raise InvalidInput([Problem(file, 0, "", f"cannot be read: {error.strerror or error}")]) from error


def bounded(file: str, raw: bytes, size: int) -> bytes:
    """Pass on what was read, at most MAX_BYTES + 1 bytes of a file of `size`; raises InvalidInput when it is more."""
    if len(raw) > MAX_BYTES:
        message = f"is {size:,} bytes; at most {MAX_BYTES:,} (8 MiB) are read: is this the right file?"
        raise InvalidInput([Problem(file, 0, "", message)])
    return raw


def decode(file: str, raw: bytes) -> str:
    """Text of a file: UTF-8, a byte order mark allowed, no control characters; raises InvalidInput otherwise."""
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        message = f"byte 0x{raw[error.start]:02x} is not UTF-8: save the file as UTF-8"
        raise InvalidInput([Problem(file, line, "", message)]) from error
    bad = _UNPRINTABLE.search(text)
    if bad is not None:
        line = text.count("\n", 0, bad.start()) + 1
        message = f"control character U+{ord(bad[0]):04X} is not allowed in YAML: remove it"
        raise InvalidInput([Problem(file, line, "", message)])
    return text


class _Parser(CParser):
    """libyaml's parser with an iterator over its events."""

    def events(self) -> Iterator[yaml.Event]:
        while True:
            event = self.get_event()
            if event is None:
                return
            yield event


@dataclass
class _Open:
    """A list or mapping whose end is not reached yet."""

    value: list[Any] | dict[str, Any]
    path: KeyPath
    anchor: str | None
    first: int  # count of values when it began
    key: str | None = None  # key that waits for its value
    keep: bool = True  # False: a duplicate key's value, read and dropped


class _Builder:
    """Builds data from events without recursion; gathers problems and goes on where the meaning stays clear."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._text = text
        self._stack: list[_Open] = []
        self._lines: dict[KeyPath, int] = {}
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._problems: list[Problem] = []
        self._count = 0
        self._documents = 0
        self._top: Any = None

    def build(self) -> tuple[Any, dict[KeyPath, int]]:
        try:
            for event in _Parser(self._text).events():
                self._take(event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            message = f"is no valid YAML ({error.problem or error.context}): cut short, or is an indent or quote wrong?"
            self._say(mark.line + 1 if mark else 0, message)
        except yaml.YAMLError as error:
            self._say(0, f"is no valid YAML ({str(error).splitlines()[0]})")
        if not self._problems and self._top is None:
            self._say(0, "is empty")
        if self._problems:
            raise InvalidInput(self._problems)
        return self._top, self._lines

    def _say(self, line: int, message: str, where: str = "") -> None:
        self._problems.append(Problem(self._file, line, where, message))

    def _stop(self, line: int, message: str) -> InvalidInput:
        self._say(line, message)
        return InvalidInput(self._problems)

    def _take(self, event: yaml.Event) -> None:
        line = event.start_mark.line + 1 if event.start_mark else 0
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise self._stop(line, "holds more than one YAML document: keep what comes before this `---`")
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event, line)
        elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
            self._begin(event, line)
        elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
            done = self._stack.pop()
            if done.anchor is not None:
                self._anchors[done.anchor] = (done.value, self._count - done.first + 1)

    def _counted(self, size: int, line: int) -> None:
        self._count += size
        if self._count > MAX_VALUES:
            raise self._stop(line, f"holds more than {MAX_VALUES:,} values when its aliases (*name) are followed")

    def _scalar(self, event: yaml.ScalarEvent, line: int) -> None:
        self._counted(1, line)
        self._untagged(event, line)
        top = self._stack[-1] if self._stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._key(top, event.value, line)
            return
        value = core_scalar(event.value) if event.implicit[0] else event.value
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, 1)
        self._put(value, line)

    def _key(self, top: _Open, key: str, line: int) -> None:
        top.key = key
        top.keep = key not in top.value
        if top.keep:
            self._lines[(*top.path, key)] = line
            return
        first = self._lines[(*top.path, key)]
        where = ".".join(str(step) for step in (*top.path, key))
        self._say(line, f"key is here twice (first in line {first}): remove one", where)

    def _alias(self, event: yaml.AliasEvent, line: int) -> None:
        if event.anchor not in self._anchors:
            raise self._stop(line, f"alias *{event.anchor} has no anchor &{event.anchor} before it")
        value, size = self._anchors[event.anchor]
        self._counted(size, line)
        top = self._stack[-1] if self._stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            raise self._stop(line, "a key must be plain text, not an alias")
        self._put(value, line)

    def _begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, line: int) -> None:
        self._counted(1, line)
        self._untagged(event, line)
        if len(self._stack) >= MAX_DEPTH:
            raise self._stop(line, f"is nested more than {MAX_DEPTH} deep")
        top = self._stack[-1] if self._stack else None
        if top is not None and isinstance(top.value, dict) and top.key is None:
            raise self._stop(
                line, "a key must be plain text, not a list or mapping (text that begins with { or [ needs quotes)"
            )
        value: list[Any] | dict[str, Any] = {} if isinstance(event, yaml.MappingStartEvent) else []
        first = self._count
        path = self._put(value, line)
        self._stack.append(_Open(value, path, event.anchor, first))

    def _put(self, value: object, line: int) -> KeyPath:
        """Store a value where the innermost open list or mapping waits for it; its path."""
        if not self._stack:
            self._top = value
            return ()
        top = self._stack[-1]
        if isinstance(top.value, list):
            path = (*top.path, len(top.value))
            top.value.append(value)
            self._lines.setdefault(path, line)
            return path
        key = top.key or ""
        top.key = None
        if top.keep:
            top.value[key] = value
        return (*top.path, key)

    def _untagged(self, event: yaml.NodeEvent, line: int) -> None:
        tag = getattr(event, "tag", None)
        if tag not in (None, "!"):
            self._say(line, f"tag {tag} means nothing here: remove it")


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
