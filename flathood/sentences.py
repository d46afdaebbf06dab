# SPDX-License-Identifier: Apache-2.0
"""What pydantic found, as sentences an operator can act on: what is wrong, and what to write instead."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from flathood.document import kind

_Detail = Mapping[str, Any]


def _shown(value: object) -> str:
    """A value as the file has it, short enough for a message."""
    if isinstance(value, (dict, list)) or value is None:
        return kind(value)
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _not_text(detail: _Detail) -> str:
    value = detail["input"]
    if isinstance(value, (bool, int, float)):
        return f"{_shown(value)} is read as {kind(value)}, not as text: put it in quotes if that is what it is called"
    return f"expected text, found {kind(value)}"


def _not_whole(detail: _Detail) -> str:
    value = detail["input"]
    return f"expected a whole number, found {_shown(value)}" + (": remove the quotes" if _digits(value) else "")


def _digits(value: object) -> bool:
    return isinstance(value, str) and value.isascii() and value.isdigit()


def _own(detail: _Detail) -> str:
    return str(detail["ctx"]["error"])


def _one_of(detail: _Detail) -> str:
    value, expected = detail["input"], str(detail["ctx"]["expected"])
    near = difflib.get_close_matches(value, re.findall(r"'([^']*)'", expected), n=1) if isinstance(value, str) else []
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{_shown(value)} is not known here{hint}: write {expected}"


def _expected(what: str) -> Callable[[_Detail], str]:
    return lambda detail: f"expected {what}, found {_shown(detail['input'])}"


_LIST = _expected("a list")
_MAPPING = _expected("a mapping")

#: By pydantic's error type (https://docs.pydantic.dev/latest/errors/validation_errors/).
_BY_TYPE: dict[str, Callable[[_Detail], str]] = {
    "string_type": _not_text,
    "int_type": _not_whole,
    "float_type": _expected("a number"),
    "bool_type": _expected("true or false"),
    "tuple_type": _LIST,
    "list_type": _LIST,
    "dict_type": _MAPPING,
    "model_type": _MAPPING,
    "model_attributes_type": _MAPPING,
    "value_error": _own,
    "literal_error": _one_of,
    "enum": _one_of,
    "missing": lambda _: "is missing: add it",
    "too_short": lambda _: "is empty: at least one is needed",
    "greater_than_equal": lambda d: f"{_shown(d['input'])} is too small: at least {d['ctx']['ge']}",
    "greater_than": lambda d: f"{_shown(d['input'])} is too small: it must be more than {d['ctx']['gt']:g}",
    "less_than_equal": lambda d: f"{_shown(d['input'])} is too large: at most {d['ctx']['le']}",
}


def sentence(detail: _Detail) -> str:
    """One of pydantic's error details as a sentence."""
    say = _BY_TYPE.get(detail["type"])
    return say(detail) if say is not None else f"{detail['msg']} (found {_shown(detail['input'])})"


def unknown_key(key: str, known: Iterable[str]) -> str:
    """The sentence for a key that the model does not have, with the nearest one that it has."""
    keys = list(known)
    near = difflib.get_close_matches(key.lower(), keys, n=1, cutoff=0.6)
    return f"unknown key: did you mean {near[0]!r}?" if near else f"unknown key: known here: {', '.join(keys[:12])}"
