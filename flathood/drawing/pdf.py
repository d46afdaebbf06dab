# SPDX-License-Identifier: Apache-2.0
"""Pages as a PDF file, for printers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import Any

from reportlab import rl_config
from reportlab.lib.colors import Color, HexColor
from reportlab.pdfgen.canvas import Canvas

from flathood.drawing.fonts import name_of
from flathood.drawing.page import Cells, Circle, Item, Line, Page, Rect, Text

_POINTS = 72 / 25.4  # in a millimetre

# Page contents as bytes: in text form, for channels of seven bits, they are a quarter larger and take longer to make.
rl_config.useA85 = 0


@cache
def _colour(text: str) -> Color:
    return HexColor(text)


def pdf(pages: Sequence[Page], title: str) -> bytes:
    """The bytes of a PDF file with these pages at their true size; the same pages give the same bytes."""
    buffer = io.BytesIO()
    # `invariant`: no date of the day and no random identifier in the file.
    canvas = Canvas(buffer, invariant=True, pageCompression=1)
    canvas.setTitle(title)
    canvas.setAuthor("flathood")
    for page in pages:
        scale = page.unit * _POINTS
        canvas.setPageSize((page.width * scale, page.height * scale))
        # PDF counts from the lower left corner upwards; pages count from the upper left one downwards.
        canvas.scale(scale, scale)
        for item in page.items:
            _DRAW[type(item)](canvas, page.height, item)
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def _rect(canvas: Canvas, top: float, item: Rect) -> None:
    _ink(canvas, item.fill, item.stroke, item.line)
    paint = {"fill": int(item.fill is not None), "stroke": int(item.stroke is not None)}
    place = (item.x, top - item.y - item.height, item.width, item.height)
    if item.radius:
        canvas.roundRect(*place, item.radius, **paint)
    else:
        canvas.rect(*place, **paint)


def _line(canvas: Canvas, top: float, item: Line) -> None:
    _ink(canvas, None, item.colour, item.width)
    if item.dash:
        canvas.setDash(*item.dash)
    canvas.line(item.x1, top - item.y1, item.x2, top - item.y2)
    if item.dash:
        canvas.setDash()


def _circle(canvas: Canvas, top: float, item: Circle) -> None:
    _ink(canvas, item.fill, item.stroke, item.line)
    canvas.circle(item.x, top - item.y, item.radius, fill=1, stroke=1)


def _text(canvas: Canvas, top: float, item: Text) -> None:
    canvas.setFillColor(_colour(item.colour))
    canvas.setFont(name_of(item.bold), item.size)
    draw = {"start": canvas.drawString, "middle": canvas.drawCentredString, "end": canvas.drawRightString}[item.anchor]
    if not item.upwards:
        draw(item.x, top - item.y, item.text)
        return
    canvas.saveState()
    canvas.translate(item.x, top - item.y)
    canvas.rotate(90)
    draw(0, 0, item.text)
    canvas.restoreState()


def _cells(canvas: Canvas, top: float, item: Cells) -> None:
    canvas.saveState()
    canvas.setFillColor(_colour("#000000"))
    canvas.translate(item.x, top - item.y)
    canvas.scale(item.side, -item.side)
    # PDF's own operators (ISO 32000-1, 8.5.2): reportlab takes most of its time to write numbers, and these are whole.
    runs = " ".join(f"{column} {row} {length} 1 re" for column, row, length in item.runs)
    canvas.addLiteral(f"{runs} f")
    canvas.restoreState()


def _ink(canvas: Canvas, fill: str | None, stroke: str | None, line: float) -> None:
    if fill is not None:
        canvas.setFillColor(_colour(fill))
    if stroke is not None:
        canvas.setStrokeColor(_colour(stroke))
        canvas.setLineWidth(line)


_DRAW: dict[type[Item], Any] = {Rect: _rect, Line: _line, Circle: _circle, Text: _text, Cells: _cells}
