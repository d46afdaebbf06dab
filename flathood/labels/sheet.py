# SPDX-License-Identifier: Apache-2.0
"""Office pages: headings, notes and tables that flow from page to page. All lengths are millimetres."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import compress

from flathood.cabling.marks import ink_on
from flathood.drawing import Item, Line, Page, Rect, Text
from flathood.drawing.fonts import fitted
from flathood.drawing.page import INK
from flathood.labels.book import Switch

MARGIN = 14.0
_FOOT = 10.0
_ROW, _TEXT, _SMALL = 5.2, 3.0, 2.7
_BESIDE = 8.0  # between two columns of a table
_LEAST = 1.6
_RULE = "#9aa5b1"


@dataclass(frozen=True)
class Tick:
    """A box to be ticked with a pen."""


@dataclass(frozen=True)
class Column:
    """A column of a table: its title, its width, and where its text stands."""

    title: str
    width: float
    end: bool = False


Cell = str | Switch | Tick


class Sheets:
    """Collects pages; what does not fit on one goes on with the next."""

    def __init__(self, size: tuple[float, float], cluster: str) -> None:
        self.wide, self.high = size
        self.cluster = cluster
        self._pages: list[tuple[str, list[Item]]] = []
        self._done: list[Page] = []
        self.y = 0.0

    @property
    def inside(self) -> float:
        """Width between the margins."""
        return self.wide - 2 * MARGIN

    @property
    def left(self) -> float:
        """Height that is left on this page."""
        return self.high - MARGIN - _FOOT - self.y

    def begin(self, title: str, switch: Switch | None = None) -> None:
        """A new page with a title; with a switch's block before it."""
        self._pages.append((title, []))
        x = MARGIN
        if switch is not None:
            self.add(*block(switch, x, MARGIN - 3.0, 14.0, 9.0))
            x += 17.0
        text, size = fitted(title, self.wide - MARGIN - x, 6.0, _LEAST, bold=True)
        self.add(Text(x, MARGIN + 4.0, text, size, bold=True))
        self.y = MARGIN + 11.0

    def add(self, *items: Item) -> None:
        """Put something on this page, wherever it says."""
        self._pages[-1][1].extend(items)

    def note(self, text: str) -> None:
        """A line of text."""
        shown, size = fitted(text, self.inside, _TEXT, _LEAST)
        self.add(Text(MARGIN, self.y + _TEXT, shown, size))
        self.y += 1.6 * _TEXT

    def heading(self, text: str) -> None:
        """A heading over what follows, on the next page when no table would fit below it."""
        if self.left < 6 * _ROW:
            self.begin(self._pages[-1][0])
        self.y += 3.0
        self.add(Text(MARGIN, self.y + 4.0, text, 4.0, bold=True))
        self.y += 7.5

    def table(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], beside: int = 1) -> None:
        """A table, so many times beside itself, over as many pages as it takes; columns without any text go."""
        told = [not column.title or any(row[at] for row in rows) for at, column in enumerate(columns)]
        columns, rows = list(compress(columns, told)), [list(compress(row, told)) for row in rows]
        width = (self.inside - (beside - 1) * _BESIDE) / beside
        total = sum(column.width for column in columns)
        scaled = [replace(column, width=column.width * width / total) for column in columns]
        start = 0
        while start < len(rows):
            fit = int((self.left - _ROW) / _ROW)
            if fit < 1:
                self.begin(self._pages[-1][0])
                continue
            here = rows[start : start + fit * beside]
            each = -(-len(here) // beside)
            for number in range(beside):
                part = here[number * each : (number + 1) * each]
                if part:
                    self._part(scaled, part, MARGIN + number * (width + _BESIDE))
            self.y += (each + 1) * _ROW + 2.0
            start += len(here)

    def whole(self, page: Page) -> None:
        """A page that is laid out already, in place of one of these."""
        self._pages.append(("", []))
        self._done.append(page)

    def pages(self) -> list[Page]:
        """All pages, numbered at their foot."""
        laid_out = iter(self._done)
        count = len(self._pages)
        made = []
        for number, (title, items) in enumerate(self._pages, start=1):
            page = Page(self.wide, self.high, tuple(items), title) if items else next(laid_out)
            y = page.height - _FOOT + 2.0
            foot = (
                Text(MARGIN, y, self.cluster, _SMALL),
                Text(page.width - MARGIN, y, f"page {number} of {count}", _SMALL, anchor="end"),
            )
            made.append(replace(page, items=(*page.items, *foot)))
        return made

    def _part(self, columns: Sequence[Column], rows: Sequence[Sequence[Cell]], x: float) -> None:
        y, end = self.y, x + sum(column.width for column in columns)
        for number, row in enumerate([[column.title for column in columns], *rows]):
            at = x
            for column, cell in zip(columns, row, strict=True):
                self.add(*_cell(column, cell, at, y, bold=number == 0))
                at += column.width
            y += _ROW
            colour, thick = (INK, 0.3) if number == 0 else (_RULE, 0.1)
            self.add(Line(x, y - 1.2, end, y - 1.2, colour, thick))


def block(switch: Switch, x: float, y: float, width: float, height: float) -> list[Item]:
    """A block in a switch's colour with its mark."""
    mark, size = fitted(switch.mark, 0.86 * width, 0.75 * height, _LEAST, bold=True)
    ink = ink_on(switch.colour)
    return [
        Rect(x, y, width, height, switch.colour, INK, radius=0.6),
        Text(x + width / 2, y + height / 2 + 0.36 * size, mark, size, bold=True, anchor="middle", colour=ink),
    ]


def _cell(column: Column, cell: Cell, x: float, y: float, *, bold: bool) -> list[Item]:
    if isinstance(cell, Tick):
        return [Rect(x + 0.2, y + 0.2, 3.0, 3.0, None, INK, 0.2)]
    items: list[Item] = []
    if isinstance(cell, Switch):
        items = block(cell, x, y - 0.2, 8.0, 3.8)
        x, room, cell = x + 9.5, column.width - 10.5, cell.name
    else:
        room = column.width - 1.5
    text, size = fitted(cell, room, _SMALL if bold else _TEXT, _LEAST, bold)
    if column.end and text:
        items.append(Text(x + column.width - 2.5, y + 2.9, text, size, bold=bold, anchor="end"))
    elif text:
        items.append(Text(x, y + 2.9, text, size, bold=bold))
    return items
