# SPDX-License-Identifier: Apache-2.0
"""A page as an SVG file, for screens and for people who go on with it in a drawing program."""

from __future__ import annotations

from html import escape
from typing import Any

from flathood.drawing.page import Cells, Circle, Item, Line, Page, Rect, Text

_FONT = "'DejaVu Sans', Verdana, 'Segoe UI', sans-serif"


def svg(page: Page, command: str) -> str:
    """The text of an SVG file; `command` is named in it as what made it. The same page gives the same text."""
    size = f'width="{_n(page.width * page.unit)}mm" height="{_n(page.height * page.unit)}mm"'
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        "<!-- SPDX-License-Identifier: Apache-2.0 -->",
        f"<!-- Made by `{command}`; make it again instead of changing it. -->",
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(page.width)} {_n(page.height)}" {size} role="img" '
        f'aria-labelledby="title about" font-family="{_FONT}">',
        f'<title id="title">{escape(page.title)}</title>',
        f'<desc id="about">{escape(page.about)}</desc>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        *(_WRITE[type(item)](item) for item in page.items),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _n(value: float) -> str:
    """A number with at most two decimals: a hundredth of a millimetre is finer than any printer's dot."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _outline(stroke: str | None, line: float) -> str:
    return f' stroke="{stroke}" stroke-width="{_n(line)}"' if stroke else ""


def _rect(item: Rect) -> str:
    corner = f' rx="{_n(item.radius)}"' if item.radius else ""
    place = f'x="{_n(item.x)}" y="{_n(item.y)}" width="{_n(item.width)}" height="{_n(item.height)}"'
    return f'<rect {place}{corner} fill="{item.fill or "none"}"{_outline(item.stroke, item.line)}/>'


def _line(item: Line) -> str:
    dash = f' stroke-dasharray="{_n(item.dash[0])} {_n(item.dash[1])}"' if item.dash else ""
    ends = f'x1="{_n(item.x1)}" y1="{_n(item.y1)}" x2="{_n(item.x2)}" y2="{_n(item.y2)}"'
    return f"<line {ends}{_outline(item.colour, item.width)}{dash}/>"


def _circle(item: Circle) -> str:
    place = f'cx="{_n(item.x)}" cy="{_n(item.y)}" r="{_n(item.radius)}"'
    return f'<circle {place} fill="{item.fill}"{_outline(item.stroke, item.line)}/>'


def _text(item: Text) -> str:
    place = f'x="{_n(item.x)}" y="{_n(item.y)}"'
    if item.upwards:
        place = f'transform="translate({_n(item.x)} {_n(item.y)}) rotate(-90)"'
    weight = ' font-weight="bold"' if item.bold else ""
    anchor = f' text-anchor="{item.anchor}"' if item.anchor != "start" else ""
    style = f'font-size="{_n(item.size)}"{weight}{anchor} fill="{item.colour}"'
    return f"<text {place} {style}>{escape(item.text)}</text>"


def _cells(item: Cells) -> str:
    # In whole cells, scaled once: rounding each would leave hairlines between them.
    path = "".join(f"M{column} {row}h{length}v1h-{length}z" for column, row, length in item.runs)
    place = f"translate({_n(item.x)} {_n(item.y)}) scale({item.side:.5f})"
    return f'<path transform="{place}" d="{path}" fill="#000000" shape-rendering="crispEdges"/>'


_WRITE: dict[type[Item], Any] = {Rect: _rect, Line: _line, Circle: _circle, Text: _text, Cells: _cells}
