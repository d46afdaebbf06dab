# SPDX-License-Identifier: Apache-2.0
"""YAML is read as people mean it, with lines, and within bounds."""

from __future__ import annotations

import pytest

from flathood.document import parse, read
from flathood.errors import InvalidInput
from flathood.parsing import MAX_VALUES
from flathood.text import is_missing


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("52:54:00:12:34:56", "52:54:00:12:34:56"),
        ("2026-03-01", "2026-03-01"),
        ("010", 10),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        ("'1e3'", "1e3"),
        ("True", True),
        ("~", None),
        ("", None),
        (".inf", ".inf"),
    ],
)
def test_scalars_are_those_of_the_core_schema(text, value):
    data = parse("x", f"key: {text}\n".encode()).data["key"]
    assert data == value
    assert type(data) is type(value)


def test_every_key_and_item_has_its_line():
    document = parse("x", b"a: 1\nb:\n  - x\n  - {c: 2,\n     d: 3}\n")
    assert [document.line(path) for path in (("a",), ("b", 0), ("b", 1), ("b", 1, "d"))] == [1, 3, 4, 5]
    assert document.line(("b", 1, "missing")) == 4
    assert document.line(("missing",)) == 0


def test_a_value_by_alias_has_the_line_of_the_alias():
    document = parse("x", b"a: &one {b: 1}\nc: *one\n")
    assert document.data["c"] == {"b": 1}
    assert document.line(("c", "b")) == 2


def test_aliases_are_followed_within_the_bound_only():
    text = "a: &a [" + "x, " * 1000 + "]\nb: &b [" + "*a, " * 1000 + "]\nc: [" + "*b, " * 10 + "]\n"
    with pytest.raises(InvalidInput, match=f"more than {MAX_VALUES:,} values"):
        parse("x", text.encode())


def test_brackets_without_end_are_refused_before_the_stack_is_gone():
    with pytest.raises(InvalidInput, match="nested more than 32 deep"):
        parse("x", b"[" * 1_000_000)


def test_a_byte_order_mark_and_windows_line_ends_are_fine():
    assert parse("x", b"\xef\xbb\xbfa: 1\r\nb: 2\r\n").data == {"a": 1, "b": 2}


@pytest.mark.parametrize("name", [".", "missing.yml"])
def test_what_is_no_file_is_told(tmp_path, name):
    with pytest.raises(InvalidInput, match=r"is no regular file|cannot be read: No such file"):
        read(tmp_path / name)


def test_a_file_that_may_not_be_looked_at_is_not_taken_for_missing(tmp_path):
    (tmp_path / "file").touch()
    assert not is_missing(tmp_path / "file" / "macs.yml")
    assert is_missing(tmp_path / "macs.yml")


def test_of_very_many_problems_the_first_hundred_are_told():
    with pytest.raises(InvalidInput) as caught:
        parse("x", b"a: 1\n" * 100_000)
    assert len(caught.value.problems) == 101
    assert str(caught.value).startswith("x: has many problems; 100 of them are told here\nx:2: a: key is here twice")
