# SPDX-License-Identifier: Apache-2.0
"""Reading the journal: what anybody on the wire may have said, and what a crash may have cut."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flathood.discovery.journal import Lease, Unreadable, parse_line, read_journal

GOOD = {"at": 5.0, "event": "add", "mac": "02:00:00:00:00:01", "ip": "198.18.1.1", "expires": 125}


def test_a_lease() -> None:
    assert parse_line(json.dumps(GOOD)) == Lease(5.0, "add", "02:00:00:00:00:01", "198.18.1.1", 125.0, None)


@pytest.mark.parametrize(
    "change",
    [
        {"mac": "06-01:23:45:67:89:ab"},
        {"mac": "01:00:5e:00:00:01"},
        {"mac": "00:00:00:00:00:00"},
        {"mac": "02:00:00:00:00:01\n"},
        {"mac": 3},
        {"event": "tftp"},
        {"event": "open", "node": "../etc"},
        {"event": "open", "node": "{{ lookup('pipe', 'id') }}"},
        {"event": "report", "macs": ["02:00:00:00:00:0g"]},
        {"at": -1},
        {"at": "NaN"},
        {"vendor": 7},
    ],
)
def test_what_is_no_entry_is_left(change: dict[str, object]) -> None:
    with pytest.raises(Unreadable):
        parse_line(json.dumps(GOOD | change))


def test_a_line_that_was_cut_does_not_hide_the_next() -> None:
    whole = json.dumps(GOOD)
    entries = list(read_journal([whole[:30], "", "\x00\x1b[2J", "[" * 5000, whole]))
    assert entries[:-1] == [None, None, None]
    assert isinstance(entries[-1], Lease)


@given(
    st.one_of(
        st.binary(max_size=200), st.text(max_size=200).map(lambda text: json.dumps(GOOD | {"host": text}).encode())
    )
)
def test_no_line_stops_the_reader(line: bytes) -> None:
    assert len(list(read_journal([line]))) <= 1
