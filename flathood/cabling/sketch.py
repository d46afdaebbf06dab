# SPDX-License-Identifier: Apache-2.0
"""The picture of a wiring as a page: its shapes, in the order in which they cover each other."""

from __future__ import annotations

from collections.abc import Iterator

from flathood.cabling import diagram
from flathood.cabling.diagram import Box, Picture
from flathood.drawing import Circle, Item, Line, Page, Rect, Text
from flathood.drawing.fonts import fitted
from flathood.drawing.page import INK
from flathood.drawing.svg import svg as painted
from flathood.spec import Cluster
from flathood.wiring import Wiring

_PIXEL = 25.4 / 96  # millimetres (CSS)
# On an office page: nodes beside each other, so that their letters are not too small, and its height by its width.
_ACROSS, _ASPECT = 8, 0.8
_FRAME, _QUIET = "#52606d", "#616e7c"


def svg(cluster: Cluster, wiring: Wiring) -> str:
    """The picture as the text of an SVG file; the same files give the same bytes."""
    return painted(_page(diagram.layout(cluster, wiring, diagram.rows_of(cluster))), "flathood draw")


def pages(cluster: Cluster, wiring: Wiring) -> list[Page]:
    """The picture on as many pages as let it be read when each is printed on office paper that lies on its side."""
    rows = diagram.rows_of(cluster, _ACROSS)
    pictures = ((count, diagram.layout(cluster, wiring, rows[:count])) for count in range(len(rows), 0, -1))
    each = next(count for count, picture in pictures if picture.height <= _ASPECT * picture.width or count == 1)
    return [_page(diagram.layout(cluster, wiring, rows[at : at + each])) for at in range(0, len(rows), each)]


def _page(picture: Picture) -> Page:
    about = (
        f"{picture.subtitle} Nodes are boxes with a coloured, lettered square for each NIC; a cable goes straight up "
        "from each to the bar of its switch."
    )
    return Page(picture.width, picture.height, tuple(_items(picture)), picture.title, about, _PIXEL)


def _items(picture: Picture) -> Iterator[Item]:
    title, large = fitted(picture.title, picture.width - 56, 22, 7, bold=True)
    subtitle, small = fitted(picture.subtitle, picture.width - 56, 14, 7)
    yield Text(28, 50, title, large, bold=True)
    yield Text(28, 74, subtitle, small, colour=_FRAME)
    for cable in picture.cables:
        yield Line(cable.x1, cable.y1, cable.x2, cable.y2, cable.colour, 3.5)
    for cable in picture.uplink_cables:
        yield Line(cable.x1, cable.y1, cable.x2, cable.y2, cable.colour, 2.5, (2, 4))
    for bar, mark, place in zip(picture.bars, picture.letters, picture.places, strict=True):
        yield Rect(bar.x, bar.y, bar.width, bar.height, bar.fill, radius=5)
        middle, room = bar.y + bar.height / 2, place.x - 10
        name, size = fitted(bar.text, room, 14, 7)
        yield Text(place.x, middle + (0 if place.text else 5), name, size, anchor="end")
        if place.text:
            below, size = fitted(place.text, room, 10, 7)
            yield Text(place.x, middle + 11, below, size, anchor="end", colour=_FRAME)
        yield from _box(mark, 5, 13, mark.fill)
    for cable in picture.cables:
        yield Circle(cable.x2, cable.y2, 5, "#ffffff", INK, 1.5)
    for node in picture.nodes:
        yield Rect(node.x, node.y, node.width, node.height, "#f0f4f8", _FRAME, 1.5, 7)
        yield Text(
            node.x + node.width / 2,
            node.y + node.height - 10,
            node.text,
            15,
            bold=True,
            anchor="middle",
            colour=node.ink,
        )
    for nic in picture.nics:
        yield from _box(nic, 4, 11, INK)
    for rack in picture.racks:
        yield Line(rack.x, rack.y + 8, rack.x + rack.width, rack.y + 8, _QUIET, 2)
        name, size = fitted(rack.text, rack.width, 13, 7)
        yield Text(rack.x + rack.width / 2, rack.y + rack.height - 3, name, size, anchor="middle", colour=_FRAME)
    yield from _uplink(picture)


def _uplink(picture: Picture) -> Iterator[Item]:
    """The uplink switch, its name upwards, and the machines on it."""
    up = picture.uplink
    yield Rect(up.x, up.y, up.width, up.height, up.fill, _FRAME, 1.5, 5)
    name, size = fitted(up.text, up.height - 8, 13, 7)
    x, y = up.x + up.width / 2 + 0.36 * size, up.y + up.height / 2
    yield Text(x, y, name, size, anchor="middle", colour=up.ink, upwards=True)
    for machine in picture.machines:
        yield from _box(machine, 6, 13, _FRAME, bold=False)


def _box(box: Box, radius: float, size: float, stroke: str, *, bold: bool = True) -> Iterator[Item]:
    yield Rect(box.x, box.y, box.width, box.height, box.fill, stroke, 1.5, radius)
    text, size = fitted(box.text, box.width - 3, size, 5, bold)
    x, y = box.x + box.width / 2, box.y + box.height / 2 + 0.36 * size
    yield Text(x, y, text, size, bold, "middle", box.ink)
