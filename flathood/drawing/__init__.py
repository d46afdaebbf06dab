# SPDX-License-Identifier: Apache-2.0
"""Pages of plain shapes, and the painters that make PDF and SVG of them.

A page is data: what is on it, in the order in which it is drawn. So a layout is tested without a painter, and print
and screen show the same. Lengths are millimetres unless a page says otherwise; y grows downwards.
"""

from flathood.drawing.page import Cells, Circle, Item, Line, Page, Rect, Text, moved, without_colours

__all__ = ["Cells", "Circle", "Item", "Line", "Page", "Rect", "Text", "moved", "without_colours"]
