# SPDX-License-Identifier: Apache-2.0
"""Whatever a machine is called, however many NICs it has, on whatever paper: nothing leaves its label or collides."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from flathood.drawing import Cells, Item, Rect, Text
from flathood.drawing.fonts import width
from flathood.labels.book import Book, Cable, Machine, Switch
from flathood.labels.code import QUIET
from flathood.labels.paper import PAPERS
from flathood.labels.tag import machine_tag, switch_tag

names = st.text("abcdefghijklmnopqrstuvwxyzWM0123456789-", min_size=1, max_size=63)
switches = st.builds(
    Switch,
    name=names,
    colour=st.sampled_from(["#c62828", "#ffffff", "#000000", "#f9a825"]),
    mark=st.sampled_from(["R", "GE", "100", "1024"]),
    place=st.one_of(st.just(""), names),
    ports=st.integers(1, 4096),
)
lengths = st.sampled_from([None, 0.5, 30.0])
cables = st.builds(Cable, names, st.integers(0, 15), names, switches, st.integers(1, 4096), lengths)
machines = st.builds(
    Machine,
    name=names,
    role=st.sampled_from(["node", "spare", "head"]),
    place=st.one_of(st.just(""), names),
    slots=st.lists(st.none() | cables, min_size=1, max_size=16).map(tuple),
    link=st.sampled_from(["", "http://head/report.html#k17", "https://example.org/" + "x" * 90]),
)
sizes = st.sampled_from([(100.0, 17.0), *(paper.label for paper in PAPERS.values())]) | st.tuples(
    st.floats(25, 300), st.floats(15, 300)
)
Box = tuple[float, float, float, float]


def box(item: Item) -> Box:
    """Left, top, right and bottom; of a QR code with its quiet zone, of text from its capitals' top to its baseline."""
    if isinstance(item, Cells):
        side = 2 * QUIET + max(column + length for column, _, length in item.runs)
        x, y = item.x - QUIET * item.side, item.y - QUIET * item.side
        return x, y, x + side * item.side, y + side * item.side
    if isinstance(item, Rect):
        return item.x, item.y, item.x + item.width, item.y + item.height
    assert isinstance(item, Text)
    wide = width(item.text, item.size, item.bold)
    left = item.x - {"start": 0.0, "middle": wide / 2, "end": wide}[item.anchor]
    return left, item.y - 0.73 * item.size, left + wide, item.y


def apart(one: Box, other: Box) -> bool:
    slack = 1e-6
    beside = one[2] <= other[0] + slack or other[2] <= one[0] + slack
    return beside or one[3] <= other[1] + slack or other[3] <= one[1] + slack


def within(one: Box, room: Box) -> bool:
    slack = 1e-6
    low = one[0] >= room[0] - slack and one[1] >= room[1] - slack
    return low and one[2] <= room[2] + slack and one[3] <= room[3] + slack


def check(items: list[Item], size: tuple[float, float]) -> None:
    for item in items:
        if isinstance(item, Rect):
            assert item.width > 1.2
            assert item.height > 0.5
        assert within(box(item), (0, 0, *size)), item
    for one, other in combinations(items, 2):
        covers = isinstance(one, Rect) and within(box(other), box(one))
        assert covers or apart(box(one), box(other)), (one, other)


@given(machines, sizes)
def test_a_machines_label(machine: Machine, size: tuple[float, float]) -> None:
    items, _ = machine_tag(machine, size)
    check(items, size)
    blocks = [item for item in items if isinstance(item, Rect)]
    assert len(blocks) == len(machine.slots)
    for block in blocks:
        assert any(item.text for item in items if isinstance(item, Text) and within(box(item), box(block)))


@given(switches, sizes, st.integers(0, 40))
def test_a_switchs_label(switch: Switch, size: tuple[float, float], count: int) -> None:
    cables = tuple(Cable("n", slot, "", switch, slot + 1, None) for slot in range(count))
    check(switch_tag(Book("c", (), (switch,), cables), switch, size), size)
