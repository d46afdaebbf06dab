# SPDX-License-Identifier: Apache-2.0
"""What is on the office pages: what to get, a sheet for each switch, every cable by colour and length, the diagram."""

from __future__ import annotations

from collections.abc import Sequence

from flathood.cabling.sketch import pages as diagram_pages
from flathood.drawing import Page, Rect, Text, moved
from flathood.drawing.fonts import fitted
from flathood.drawing.page import INK
from flathood.labels.book import Book, Cable, Switch
from flathood.labels.sheet import MARGIN, Cell, Column, Sheets, Tick, block
from flathood.spec import Cluster
from flathood.wiring import Wiring

_A_ROW, _PORT_HIGH = 16, 10.5  # ports of a switch in a row, and their height
#: Most ports that are drawn one by one: with more, the table tells as much.
_MOST_DRAWN = 96
#: Most nodes of which the picture is printed: more would fill many pages, and diagram.svg has them all.
_MOST_PICTURED = 128


def sheets(book: Book, cluster: Cluster, wiring: Wiring, size: tuple[float, float]) -> list[Page]:
    """All office pages of a cluster."""
    made = Sheets(size, book.cluster)
    _overview(made, book)
    for switch in book.switches:
        _switch_sheet(made, switch, book.of_switch(switch.name))
    _cable_list(made, book)
    if len(cluster.node_names) <= _MOST_PICTURED:
        for page in diagram_pages(cluster, wiring):
            made.whole(_landscape(page, size))
    return made.pages()


def metres(length: float | None) -> str:
    """A length as people read it; nothing where it is not known.

    >>> metres(1.5), metres(None)
    ('1.5 m', '')

    """
    return "" if length is None else f"{length:g} m"


def _overview(made: Sheets, book: Book) -> None:
    made.begin(f"{book.cluster}: what to cable")
    made.note(summary(book))
    made.note("Every cable has the colour of its switch. The letters are the same on all labels and lists.")
    made.heading("Switches")
    columns = [Column("switch", 46), Column("rack · unit", 34), Column("cables", 18, end=True)]
    columns += [Column("ports", 18, end=True), Column("uplink cable to", 46)]
    ways = {cable.machine: cable for cable in book.cables if cable.slot is None}
    rows: list[list[Cell]] = []
    for switch in book.switches:
        way = ways.get(switch.name)
        to = f"{way.switch.name}, port {way.port}" if way is not None else ""
        cables = len(book.of_switch(switch.name))
        rows.append([switch, switch.place, str(cables), str(switch.ports), to])
    made.table(columns, rows)
    made.heading("Cables to get")
    got: list[list[Cell]] = [
        [switch, metres(length), str(len(cables)), Tick()] for switch, length, cables in book.by_colour()
    ]
    made.table([Column("colour", 36), Column("length", 24), Column("pieces", 14, end=True), Column("", 5)], got, 2)
    together = book.lengths()
    if any(length is not None for length, _ in together):
        totals = (f"{counts.total()} of {metres(length) or 'unknown length'}" for length, counts in together)
        made.note(f"Together: {', '.join(totals)}.")


def summary(book: Book) -> str:
    """The cluster in one sentence."""
    roles = [machine.role for machine in book.machines]
    spares = roles.count("spare")
    more = f", {spares} {'spare' if spares == 1 else 'spares'}" if spares else ""
    count = len(book.switches) - 1
    switches = f"{count} {'switch' if count == 1 else 'switches'}"
    return f"{roles.count('node')} nodes{more}, a head, {switches} and the uplink switch; {len(book.cables)} cables."


def _switch_sheet(made: Sheets, switch: Switch, cables: Sequence[Cable]) -> None:
    made.begin(f"{switch.name}{' (uplink)' if switch.uplink else ''}", switch)
    where = f"Rack and unit: {switch.place}. " if switch.place else ""
    made.note(f"{where}{len(cables)} cables, {switch.ports} ports{'' if switch.uplink else ' and one for the uplink'}.")
    if switch.ports <= _MOST_DRAWN:
        _panel(made, switch, cables)
    columns = [Column("port", 11, end=True), Column("from", 30), Column("rack · unit", 30), Column("cable", 14)]
    rows: list[list[Cell]] = [
        [str(cable.port), cable.near or cable.end, cable.place, metres(cable.metres), Tick()] for cable in cables
    ]
    made.table([*columns, Column("done", 9)], rows, _beside(cables))


def _panel(made: Sheets, switch: Switch, cables: Sequence[Cable]) -> None:
    """The switch's front: its ports in order, with whose cable is in each."""
    within = {cable.port: cable for cable in cables}
    wide = made.inside / _A_ROW
    made.y += 2.0
    for number in range(1, switch.ports + 1):
        row, column = divmod(number - 1, _A_ROW)
        x, y = MARGIN + column * wide, made.y + row * (_PORT_HIGH + 1.0)
        cable = within.get(number)
        made.add(Rect(x + 0.3, y, wide - 0.6, _PORT_HIGH, None, INK, 0.3 if cable else 0.1, radius=0.8))
        made.add(Text(x + 1.2, y + 2.8, str(number), 2.1))
        if cable is None:
            continue
        if cable.near is not None:
            made.add(*block(cable.near, x + wide - 6.2, y + 0.9, 5.2, 3.6))
        text, size = fitted(cable.end, wide - 1.6, 3.0, 1.4, bold=True)
        made.add(Text(x + wide / 2, y + 8.4, text, size, bold=True, anchor="middle"))
    made.y += -(-switch.ports // _A_ROW) * (_PORT_HIGH + 1.0) + 4.0


def _cable_list(made: Sheets, book: Book) -> None:
    made.begin(f"{book.cluster}: cables by colour and length")
    columns = [Column("cable", 27), Column("length", 15), Column("from", 24), Column("rack · unit", 24)]
    rows: list[list[Cell]] = [
        [switch, metres(length), cable.near or cable.end, cable.place, str(cable.port), Tick()]
        for switch, length, cables in book.by_colour()
        for cable in cables
    ]
    made.table([*columns, Column("port", 10, end=True), Column("", 5)], rows, _beside(book.cables))


def _beside(cables: Sequence[Cable]) -> int:
    """How many columns of cables a page has room for: more where nothing is known of racks."""
    return 2 if any(cable.place for cable in cables) else 3


def _landscape(page: Page, size: tuple[float, float]) -> Page:
    """A picture on an office page that lies on its side, as large as it can be."""
    high, wide = size
    room_wide, room_high = wide - 2 * MARGIN, high - 2 * MARGIN
    scale = min(room_wide / page.width, room_high / page.height)
    x = (wide - page.width * scale) / 2
    return Page(wide, high, tuple(moved(page.items, x, MARGIN, scale)), page.title, page.about)
