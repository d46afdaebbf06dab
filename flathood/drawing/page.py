# SPDX-License-Identifier: Apache-2.0
"""What can be on a page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

#: The colour of all text and lines that have no colour of their own.
INK = "#1f2933"
_BLACK, _WHITE = "#000000", "#ffffff"


@dataclass(frozen=True)
class Rect:
    """A rectangle by its upper left corner; None: not filled, no outline."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    line: float = 0.2
    radius: float = 0.0


@dataclass(frozen=True)
class Line:
    """A straight line; `dash` is how long it is drawn and left out in turn."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str = INK
    width: float = 0.2
    dash: tuple[float, float] | None = None


@dataclass(frozen=True)
class Circle:
    """A circle by its middle."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str
    line: float = 0.2


@dataclass(frozen=True)
class Text:
    """One line of text; (x, y) is on its baseline: where it starts, its middle or its end. `size` is the font's."""

    x: float
    y: float
    text: str
    size: float
    bold: bool = False
    anchor: Literal["start", "middle", "end"] = "start"
    colour: str = INK
    upwards: bool = False


@dataclass(frozen=True)
class Cells:
    """Dark squares of a grid, such as a QR code's; `runs` are (column, row, how many side by side)."""

    x: float
    y: float
    side: float
    runs: tuple[tuple[int, int, int], ...]


Item = Rect | Line | Circle | Text | Cells


@dataclass(frozen=True)
class Page:
    """One page; `unit` is the length of one of its units in millimetres."""

    width: float
    height: float
    items: tuple[Item, ...]
    title: str = ""
    about: str = ""
    unit: float = 1.0


def moved(items: Iterable[Item], x: float, y: float, scale: float = 1.0) -> list[Item]:
    """The same items, scaled about the origin and then shifted.

    >>> moved([Circle(1, 2, 1, "#ffffff", "#000000")], 10, 20, 2)
    [Circle(x=12, y=24, radius=2, fill='#ffffff', stroke='#000000', line=0.4)]

    """
    return [_moved(item, x, y, scale) for item in items]


def without_colours(page: Page) -> Page:
    """The same page for printers that have one ink: what was filled is white with an outline, all else is black."""
    return replace(page, items=tuple(map(_black, page.items)))


def _black(item: Item) -> Item:
    if isinstance(item, Rect):
        return replace(item, fill=_WHITE if item.fill else None, stroke=_BLACK)
    if isinstance(item, Circle):
        return replace(item, fill=_WHITE, stroke=_BLACK)
    return item if isinstance(item, Cells) else replace(item, colour=_BLACK)


def _moved(item: Item, x: float, y: float, scale: float) -> Item:
    if isinstance(item, Line):
        ends = (item.x1 * scale + x, item.y1 * scale + y, item.x2 * scale + x, item.y2 * scale + y)
        dash = (item.dash[0] * scale, item.dash[1] * scale) if item.dash else None
        return Line(*ends, item.colour, item.width * scale, dash)
    at_x, at_y = item.x * scale + x, item.y * scale + y
    if isinstance(item, Rect):
        sides = item.width * scale, item.height * scale
        return Rect(at_x, at_y, *sides, item.fill, item.stroke, item.line * scale, item.radius * scale)
    if isinstance(item, Circle):
        return replace(item, x=at_x, y=at_y, radius=item.radius * scale, line=item.line * scale)
    if isinstance(item, Text):
        return replace(item, x=at_x, y=at_y, size=item.size * scale)
    return replace(item, x=at_x, y=at_y, side=item.side * scale)
