# SPDX-License-Identifier: Apache-2.0
"""Labels and lists as plain text, for a terminal of 80 columns and for printers of all kinds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from flathood.labels.book import Book, Cable, Machine, Switch
from flathood.labels.listing import metres, summary

_WIDE = 80


def text(book: Book) -> str:
    """All of it, each part under its heading; lines are 80 columns wide at most unless a name alone is longer."""
    parts = [
        [f"{book.cluster}: {summary(book)}"],
        _part("Switches", _switches(book)),
        _part("Labels: each machine's cables in the order of its NICs, as NIC=switch:port", _machines(book.machines)),
        _part("Cables to get", _to_get(book)),
    ]
    for switch in book.switches:
        title = f"Switch {switch.name} ({switch.mark})" + (f", {switch.place}" if switch.place else "")
        parts.append(_part(title, _ticks(map(_from, book.of_switch(switch.name)))))
    parts.append(["Cables by colour and length: [ ] from NIC to port", *_by_colour(book)])
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def labels_text(machines: Sequence[Machine]) -> str:
    """Only the labels of these machines; a switch's label says nothing that its name does not."""
    return "".join(f"{line}\n" for line in _machines(machines))


def _part(title: str, lines: Iterable[str]) -> list[str]:
    return [title, "-" * min(len(title), _WIDE), *lines]


def _called(switch: Switch) -> str:
    return f"{switch.mark} {switch.name}"


def _switches(book: Book) -> list[str]:
    ways = {cable.machine: cable for cable in book.cables if cable.slot is None}
    rows = [["", "switch", "rack · unit", "cables", "ports", "uplink cable to"]]
    for switch in book.switches:
        way = ways.get(switch.name)
        to = f"{way.switch.name}, port {way.port}" if way is not None else ""
        cables = len(book.of_switch(switch.name))
        rows.append([switch.mark, switch.name, switch.place, str(cables), str(switch.ports), to])
    return _table(rows)


def _machines(machines: Sequence[Machine]) -> list[str]:
    named = max((len(machine.name) for machine in machines), default=0)
    placed = max((len(machine.place) for machine in machines), default=0)
    lines = []
    for machine in machines:
        head = f"{machine.name:{named}}  " + (f"{machine.place:{placed}}  " if placed else "")
        parts = [f"{slot}={_plug(cable)}" for slot, cable in enumerate(machine.slots)]
        lines += _wrapped(head, parts, "  ")
    return lines


def _plug(cable: Cable | None) -> str:
    return "no cable" if cable is None else f"{_called(cable.switch)}:{cable.port}"


def _to_get(book: Book) -> list[str]:
    rows = [["", "colour", "length", "pieces"]]
    for switch, length, cables in book.by_colour():
        rows.append([switch.mark, switch.name, metres(length), str(len(cables))])
    return _table(rows)


def _from(cable: Cable) -> str:
    return f"[ ] {cable.port:>3} " + ", ".join(filter(None, [cable.end, metres(cable.metres)]))


def _ticks(parts: Iterable[str]) -> list[str]:
    """Short texts in columns, read downwards as the ports of a switch are."""
    entries = list(parts)
    if not entries:
        return ["no cables"]
    width = max(map(len, entries)) + 3
    across = max(1, (_WIDE + 3) // width)
    down = -(-len(entries) // across)
    columns = [entries[at : at + down] for at in range(0, len(entries), down)]
    return [
        "".join(f"{column[row]:{width}}" for column in columns if row < len(column)).rstrip() for row in range(down)
    ]


def _by_colour(book: Book) -> list[str]:
    lines = []
    for switch, length, cables in book.by_colour():
        many = f"{len(cables)} {'cable' if len(cables) == 1 else 'cables'}"
        title = ", ".join(filter(None, [_called(switch), metres(length), many]))
        lines += ["", *_part(title, _ticks(f"[ ] {cable.end} to {cable.port}" for cable in cables))]
    return lines


def _table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns below their titles, those of numbers on the right; empty ones are left out, but for the marks' one."""
    columns = [column for column in zip(*rows, strict=True) if not column[0] or any(column[1:])]
    widths = [max(map(len, column)) for column in columns]
    right = [bool(column[0]) and all(map(str.isdigit, column[1:])) for column in columns]
    return [
        "  ".join(
            f"{cell:>{wide}}" if number else f"{cell:{wide}}"
            for cell, wide, number in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in zip(*columns, strict=True)
    ]


def _wrapped(head: str, parts: Sequence[str], between: str) -> list[str]:
    """The parts on as few lines as they fit on, all of them right of the head."""
    lines, line = [], head
    for part in parts:
        if line.strip() and len((line + part).rstrip()) > _WIDE and line != head:
            lines.append(line.rstrip())
            line = " " * len(head)
        line += part + between
    return [*lines, line.rstrip()]
