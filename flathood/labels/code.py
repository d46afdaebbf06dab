# SPDX-License-Identifier: Apache-2.0
"""QR codes (ISO/IEC 18004) as cells of a page."""

from __future__ import annotations

from itertools import groupby

import segno

from flathood.drawing import Cells

#: Light cells that must be around a code (ISO/IEC 18004 section 9.1).
QUIET = 4
#: Least side of a cell in millimetres that phones read at arm's length, and a label printer of 203 dpi prints with
#: three dots.
LEAST = 0.375


def code(address: str, x: float, y: float, room: float) -> Cells | None:
    """The QR code of an address in a square with side `room`, its quiet zone included; None when it would be too small.

    Always with the same mask: the standard's search for the best of the eight takes most of the time, and makes no
    difference to a reader for codes as small as these.
    """
    try:
        made = segno.make_qr(address, error="m", boost_error=False, mask=3)
    except segno.DataOverflowError:
        return None
    cells = made.matrix
    side = room / (len(cells) + 2 * QUIET)
    if side < LEAST:
        return None
    runs = []
    for number, row in enumerate(cells):
        column = 0
        for dark, group in groupby(row):
            length = len(list(group))
            if dark:
                runs.append((column, number, length))
            column += length
    return Cells(x + QUIET * side, y + QUIET * side, side, tuple(runs))
