# SPDX-License-Identifier: Apache-2.0
"""From YAML's events to plain data and the line of every key and item.

YAML is read by the core schema of version 1.2 (`no`, `on` and `52:54:00:12:34:56` are text, not a boolean or a number
of base 60), because that is what people mean and what editors show. What a hostile or broken file could do is bounded:
its depth, and the number of values once aliases are followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml
from yaml._yaml import CParser

from flathood.errors import InvalidInput, Problem, enough

#: Path of a key or item: mapping keys as text, list places as numbers.
KeyPath = tuple[str | int, ...]

#: Most values (scalars, lists and mappings, aliases followed); a file of the most bytes has fewer of honest ones.
MAX_VALUES = 2_000_000
MAX_DEPTH = 32

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


class Builder:
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
        """Read all; data, and lines by path. Raises InvalidInput with every problem up to the first that ends it."""
        try:
            for event in _Parser(self._text).events():
                self._take(event)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line = mark.line + 1 if mark else 0
            begin = error.context_mark.line + 1 if error.context_mark else line
            where = f" {error.context}, which begins in line {begin}" if begin != line else ""
            self._say(line, f"is no valid YAML ({error.problem}{where}): cut short, or is an indent or quote wrong?")
        except yaml.YAMLError as error:
            self._say(0, f"is no valid YAML ({str(error).splitlines()[0]})")
        if not self._problems and self._top is None:
            self._say(0, "is empty")
        if self._problems:
            raise InvalidInput(self._problems)
        return self._top, self._lines

    def _say(self, line: int, message: str, where: str = "") -> None:
        self._problems.append(Problem(self._file, line, where, message))
        enough(self._problems)

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
            self._say(line, f"tag {str(tag).replace('tag:yaml.org,2002:', '!!')} means nothing here: remove it")
