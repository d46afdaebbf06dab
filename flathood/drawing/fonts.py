# SPDX-License-Identifier: Apache-2.0
"""The fonts of all pages, and how wide a text is in them.

DejaVu Sans comes with matplotlib, may be embedded freely, and has the letters of most languages that a rack may be
named in. PDF files embed what they use of it; SVG files name it first.
"""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import matplotlib as mpl
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont

_FILES = {False: "DejaVuSans", True: "DejaVuSans-Bold"}


@cache
def name_of(bold: bool) -> str:
    """The name of a font that reportlab knows from then on."""
    name = _FILES[bold]
    pdfmetrics.registerFont(TTFont(name, str(Path(mpl.get_data_path(), "fonts", "ttf", f"{name}.ttf"))))
    return name


@lru_cache(maxsize=50_000)
def _per_size(text: str, bold: bool) -> float:
    return float(pdfmetrics.stringWidth(text, name_of(bold), 1.0))


def width(text: str, size: float, bold: bool = False) -> float:
    """How wide a text is, in the unit of `size`."""
    return _per_size(text, bold) * size


def fitted(text: str, room: float, size: float, least: float, bold: bool = False) -> tuple[str, float]:
    """The text, and the largest size up to `size` at which it fits into the room.

    Where it does not fit at the `least` size, its middle is left out: names differ at their ends more often.
    """
    per_size = _per_size(text, bold)
    if per_size * size <= room:
        return text, size
    if per_size * least <= room:
        return text, room / per_size
    for kept in range(len(text) - 1, 0, -1):
        cut = f"{text[: kept // 2]}…{text[len(text) - (kept + 1) // 2 :]}"
        if width(cut, least, bold) <= room:
            return cut, least
    return "", least
