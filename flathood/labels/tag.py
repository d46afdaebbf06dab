# SPDX-License-Identifier: Apache-2.0
"""One label: a machine's name, its place, the cables of its NICs in order, and the way to its page; or a switch's.

Every NIC is a block in its cable's colour with the switch's mark in it, and the colour's name below it; then, where
there is room, the port and the cable's length. All lengths are millimetres, from the label's upper left corner.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flathood.cabling.marks import ink_on
from flathood.drawing import Item, Rect, Text
from flathood.drawing.fonts import fitted, width
from flathood.drawing.page import INK
from flathood.labels.book import Book, Cable, Machine, Switch
from flathood.labels.code import code

_EDGE = 2.0  # left free on all sides: printers miss by as much
_QUIETER = "#52606d"
_LEAST, _TINIEST = 1.3, 0.4  # size of the smallest text, and of a mark, which is never left out
_NARROWEST, _WIDEST = 8.5, 19.0  # width of a block, with what is between it and the next
_NAME, _SMALL = 2.9, 2.3  # sizes of the lines below a block
_LINE = 1.25  # height of a line, by its size
_DIGIT = 1.9  # size of a slot's number
_ROLES = {"spare": "hot spare", "head": "head node"}


@dataclass(frozen=True)
class _Area:
    x: float
    y: float
    width: float
    height: float


def machine_tag(machine: Machine, size: tuple[float, float]) -> tuple[list[Item], bool]:
    """What is on a machine's label, and whether there was room for its QR code, if its page has an address."""
    wide, high = size
    room = min(high - 1, 0.32 * wide, 26.0)
    cells = code(machine.link, wide - room - 0.5, (high - room) / 2, room) if machine.link else None
    inside = wide - 2 * _EDGE if cells is None else wide - _EDGE - room - 0.5
    items: list[Item] = [] if cells is None else [cells]
    top = _heading(items, machine.name, [machine.place, _ROLES.get(machine.role, "")], inside, high)
    _blocks(items, machine.slots, _Area(_EDGE, top, inside, high - top - _EDGE))
    return items, cells is not None or not machine.link


def switch_tag(book: Book, switch: Switch, size: tuple[float, float]) -> list[Item]:
    """What is on a switch's label."""
    wide, high = size
    side = min(high - 2 * _EDGE, 0.35 * wide)
    top = (high - side) / 2
    ink = ink_on(switch.colour)
    mark, big = fitted(switch.mark, 0.8 * side, 0.6 * side, _LEAST, bold=True)
    x = _EDGE + side + 2.5
    room = wide - x - _EDGE
    cables = book.of_switch(switch.name)
    way = next((cable for cable in book.cables if cable.machine == switch.name and cable.slot is None), None)
    facts = [
        "uplink switch" if switch.uplink else "switch",
        switch.place,
        f"{len(cables)} {'cable' if len(cables) == 1 else 'cables'}"
        + (f", and one to {way.switch.name}" if way is not None else ""),
    ]
    name, large = fitted(switch.name, room, min(0.36 * high, 11.0), _LEAST, bold=True)
    items: list[Item] = [
        Rect(_EDGE, top, side, side, switch.colour, INK, radius=1.2),
        Text(_EDGE + side / 2, top + side / 2 + 0.36 * big, mark, big, bold=True, anchor="middle", colour=ink),
        Text(x, top + 0.85 * large, name, large, bold=True),
    ]
    y = top + 1.15 * large
    small = min(3.2, (high - _EDGE - y) / (len(facts) * _LINE))
    for fact in filter(None, facts):
        text, shown = fitted(fact, room, small, _LEAST)
        y += small * _LINE
        items.append(Text(x, y, text, shown, colour=_QUIETER))
    return items


def _heading(items: list[Item], name: str, facts: Sequence[str], inside: float, high: float) -> float:
    """Name on the left, what else is to be said on the right; where the next thing below may begin."""
    told = [fact for fact in facts if fact]
    small = min(2.6, 0.09 * high)
    side = min(max((width(fact, small) for fact in told), default=0.0), 0.45 * inside)
    shown, size = fitted(name, inside - side - (1.5 if told else 0.0), min(0.3 * high, 10.0), _LEAST, bold=True)
    items.append(Text(_EDGE, _EDGE + 0.78 * size, shown, size, bold=True))
    for number, fact in enumerate(told):
        text, fits = fitted(fact, side, small, _LEAST)
        y = _EDGE + 0.9 * small + number * small * _LINE
        items.append(Text(_EDGE + inside, y, text, fits, anchor="end", colour=_QUIETER))
    return _EDGE + max(size, len(told) * small * _LINE) + 0.6


def _blocks(items: list[Item], slots: Sequence[Cable | None], area: _Area) -> None:
    """The NICs in order, in as few rows as the width of the area allows; no rows flatter than blocks are narrow."""
    rows = 1
    while area.width / -(-len(slots) // rows) < min(_NARROWEST, area.height / (rows + 1)):
        rows += 1
    across = -(-len(slots) // rows)
    rows = -(-len(slots) // across)
    step = min(area.width / across, _WIDEST)
    height = area.height / rows
    # The order says it, too: where a number would be in the mark's way, it is left out.
    numbered = step >= 12 or height >= 15
    for number, cable in enumerate(slots):
        row, column = divmod(number, across)
        place = _Area(area.x + column * step, area.y + row * height, step - 1.0, height - (0.6 if rows > 1 else 0.0))
        _block(items, str(number) if numbered else "", cable, place)


def _block(items: list[Item], number: str, cable: Cable | None, area: _Area) -> None:
    """One NIC: its block, then as many lines of text as leave the block high enough to be seen."""
    lines = _lines(cable)
    while lines and area.height - _height(lines) < (max(4.0, 0.4 * area.height) if len(lines) > 1 else 3.0):
        lines.pop()
    high = area.height - _height(lines)
    fill = cable.switch.colour if cable is not None else "#ffffff"
    ink = ink_on(fill)
    most = min(0.62 * high, 7.0)
    # A high block has its number above the mark, a flat one beside it.
    beside = number and high / 2 - 0.37 * most < _DIGIT + 0.4
    room = min(0.8 * area.width, area.width - (2 * (1.0 + width(number, _DIGIT)) if beside else 0))
    mark, size = fitted(cable.switch.mark if cable else "\N{EN DASH}", room, most, _TINIEST, bold=True)
    middle = area.x + area.width / 2
    items.append(Rect(area.x, area.y, area.width, high, fill, INK, radius=0.8))
    items.append(Text(middle, area.y + high / 2 + 0.36 * size, mark, size, bold=True, anchor="middle", colour=ink))
    if number:
        items.append(Text(area.x + 0.7, area.y + 0.3 + 0.95 * _DIGIT, number, _DIGIT, colour=ink))
    y = area.y + high
    for text, tall, bold in lines:
        y += tall * _LINE
        shown, fits = fitted(text, area.width + 0.2, tall, _LEAST, bold)
        items.append(Text(middle, y - 0.25 * tall, shown, fits, bold=bold, anchor="middle"))


def _lines(cable: Cable | None) -> list[tuple[str, float, bool]]:
    """What stands below a block, the most needed first: text, size, bold."""
    if cable is None:
        return [("no cable", _SMALL, False)]
    lines = [(cable.switch.name, _NAME, True), (f"port {cable.port}", _SMALL, False)]
    if cable.metres is not None:
        lines.append((f"{cable.metres:g} m", _SMALL, False))
    return lines


def _height(lines: Sequence[tuple[str, float, bool]]) -> float:
    return sum(tall * _LINE for _, tall, _ in lines)
