# SPDX-License-Identifier: Apache-2.0
"""The picture of a wiring: switches as coloured bars, nodes as boxes below, every cable a straight line up to its bar.

A cable that goes on past a bar runs behind it; where it ends there is a port. Colour is never the only signal: every
NIC and every bar has the switch's mark. More nodes than fit into a row continue in the next, with the same bars.
Nodes of one rack stand on one line with the rack's name; a switch's rack stands below its own name.
All lengths are in pixels at the natural size.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from flathood.cabling.marks import ink_on, marks
from flathood.drawing.page import INK
from flathood.spec import Cluster
from flathood.spec.racks import standing
from flathood.wiring import Wiring

_A_ROW = 16  # nodes in a row
_MARGIN, _TITLE, _NAMES = 28, 64, 120  # the frame, the title's height, the width of the bars' names
_BAR, _BETWEEN = 24, 14  # height of a bar, and between two
_DROP = 40  # from the last bar to the NICs
_NIC, _NODE, _GAP = 26, 44, 22  # side of a NIC, height of a node, between two nodes
_ROW_GAP = 40
_RACK = 26  # from a node to its rack's name, which needs as much
_UPLINK, _SIDE, _MACHINE = 34, 104, 32  # width of the uplink switch and of the machines on it, and their height
_MOST_SPARES = 3
_LETTER = 8.5  # width of a letter of a node's name, generously


@dataclass(frozen=True)
class Box:
    """A rectangle with a text in its middle; ``ink`` is the text's colour on ``fill``."""

    x: float
    y: float
    width: float
    height: float
    text: str
    fill: str = "#ffffff"
    ink: str = INK


@dataclass(frozen=True)
class Cable:
    """A straight line with a port at its upper or right end."""

    x1: float
    y1: float
    x2: float
    y2: float
    colour: str


@dataclass(frozen=True)
class Picture:
    """Everything that is drawn, in the order in which it is drawn."""

    width: float
    height: float
    title: str
    subtitle: str
    cables: tuple[Cable, ...]
    uplink_cables: tuple[Cable, ...]
    bars: tuple[Box, ...]
    letters: tuple[Box, ...]
    places: tuple[Box, ...]
    nodes: tuple[Box, ...]
    nics: tuple[Box, ...]
    racks: tuple[Box, ...]
    uplink: Box
    machines: tuple[Box, ...]


def rows_of(cluster: Cluster, across: int = _A_ROW) -> list[Sequence[str]]:
    """The nodes of each row of the picture, with at most so many beside each other."""
    names = cluster.node_names
    return [names[at : at + across] for at in range(0, len(names), across)]


def layout(cluster: Cluster, wiring: Wiring, rows: Sequence[Sequence[str]]) -> Picture:
    """Where everything goes, with these rows of nodes."""
    names = [name for row in rows for name in row]
    slots = max(len(wiring.nodes[name]) for name in names)
    box = max(slots * _NIC + (slots + 1) * 4, _LETTER * max(map(len, names)) + 16)
    across = max(map(len, rows))
    strip = len(cluster.switches) * (_BAR + _BETWEEN) - _BETWEEN
    racks = {stands.name: stands.rack for stands in standing(cluster)}
    row_height = strip + _DROP + _NIC / 2 + _NODE + (_RACK if any(name in racks for name in names) else 0)
    left = _MARGIN + _NAMES
    right = left + across * (box + _GAP) + _GAP
    drawn = _Row(cluster, wiring, racks, (left, right), box)
    for index, row in enumerate(rows):
        drawn.add(row, _MARGIN + _TITLE + index * (row_height + _ROW_GAP))
    top = _MARGIN + _TITLE
    uplink_x = right + 44
    others = [cluster.head.name, *_some(cluster.spare_names)]
    machines = tuple(
        Box(uplink_x + _UPLINK + 30, top + at * (_MACHINE + 6), _SIDE, _MACHINE, name) for at, name in enumerate(others)
    )
    uplink_end = max(strip, len(others) * (_MACHINE + 6) - 6)
    uplink = Box(uplink_x, top, _UPLINK, uplink_end, f"{cluster.uplink.name} (uplink)", cluster.uplink.colour)
    ups = [Cable(right, bar.y + _BAR / 2, uplink_x, bar.y + _BAR / 2, bar.fill) for bar in drawn.first_bars]
    sides = [
        Cable(box_.x, box_.y + _MACHINE / 2, uplink_x + _UPLINK, box_.y + _MACHINE / 2, "#616e7c") for box_ in machines
    ]
    return Picture(
        width=uplink_x + _UPLINK + 30 + _SIDE + _MARGIN,
        height=top + len(rows) * (row_height + _ROW_GAP) - _ROW_GAP + _MARGIN,
        title=_title(cluster),
        subtitle=_subtitle(cluster, wiring),
        cables=tuple(drawn.cables),
        uplink_cables=(*ups, *sides),
        bars=tuple(drawn.bars),
        letters=tuple(drawn.letters),
        places=tuple(drawn.places),
        nodes=tuple(drawn.nodes),
        nics=tuple(drawn.nics),
        racks=tuple(drawn.racks),
        uplink=Box(**{**vars(uplink), "ink": ink_on(uplink.fill)}),
        machines=machines,
    )


class _Row:
    """Collects the bars, nodes and cables of each row."""

    def __init__(
        self, cluster: Cluster, wiring: Wiring, rack_of: Mapping[str, str], span: tuple[float, float], box: float
    ) -> None:
        self.cluster, self.wiring, self.rack_of = cluster, wiring, rack_of
        self.left, self.right = span
        self.box = box
        self.short = marks(cluster)
        self.cables: list[Cable] = []
        self.bars: list[Box] = []
        self.letters: list[Box] = []
        self.places: list[Box] = []
        self.nodes: list[Box] = []
        self.nics: list[Box] = []
        self.racks: list[Box] = []

    @property
    def first_bars(self) -> list[Box]:
        """The bars of the first row, which the uplink's cables start from."""
        return self.bars[: len(self.cluster.switches)]

    def add(self, nodes: Sequence[str], top: float) -> None:
        """Draw the bars at the top and the nodes below."""
        heights = {}
        for number, switch in enumerate(self.cluster.switches):
            y = top + number * (_BAR + _BETWEEN)
            heights[switch.name] = y
            ink = ink_on(switch.colour)
            self.bars.append(Box(self.left, y, self.right - self.left, _BAR, switch.name, switch.colour, ink))
            self.letters.append(Box(self.left - 36, y, 32, _BAR, self.short[switch.name], switch.colour, ink))
            self.places.append(Box(self.left - 44, y, 0, _BAR, self.rack_of.get(switch.name, "")))
        colours = {switch.name: switch.colour for switch in self.cluster.switches}
        floor = top + len(heights) * (_BAR + _BETWEEN) - _BETWEEN + _DROP
        for place, node in enumerate(nodes):
            x = self.left + _GAP + place * (self.box + _GAP)
            self.nodes.append(Box(x, floor + _NIC / 2, self.box, _NODE, node))
            plugged = self.wiring.nodes[node]
            step = self.box / len(plugged)
            for slot, switch_name in enumerate(plugged):
                middle = x + step * (slot + 0.5)
                fill = colours.get(switch_name or "", "#ffffff")
                text = self.short.get(switch_name or "", "-")
                self.nics.append(Box(middle - _NIC / 2, floor, _NIC, _NIC, text, fill, ink_on(fill)))
                if switch_name is not None:
                    self.cables.append(Cable(middle, floor, middle, heights[switch_name] + _BAR / 2, fill))
        below = floor + _NIC / 2 + _NODE
        stand = self.nodes[len(self.nodes) - len(nodes) :]
        for rack, group in groupby(stand, key=lambda box: self.rack_of.get(box.text)):
            boxes = list(group)
            if rack is not None:
                start, end = boxes[0].x, boxes[-1].x + self.box
                self.racks.append(Box(start, below, end - start, _RACK, rack))


def _some(spares: Sequence[str]) -> tuple[str, ...]:
    """The spares, or how many they are when they are many."""
    return tuple(spares) if len(spares) <= _MOST_SPARES else (f"{len(spares)} spares",)


def _title(cluster: Cluster) -> str:
    nodes, switches = len(cluster.node_names), len(cluster.switches)
    return f"{cluster.cluster}: {nodes} nodes, {switches} {'switch' if switches == 1 else 'switches'}"


def _subtitle(cluster: Cluster, wiring: Wiring) -> str:
    """What the picture shows, with an example of each kind where there is one."""
    names = cluster.node_names
    slots = wiring.matrix(cluster)
    on = np.zeros((len(names), len(cluster.switches) + 1), dtype=np.float32)
    np.put_along_axis(on, slots.astype(np.intp), 1, axis=1)  # -1, a slot that is not used, is the last column
    shared = on[:, :-1] @ on[:, :-1].T
    shared[np.tril_indices(len(names))] = -1  # each pair once
    missing = int((shared == 0).sum())
    if missing:
        pairs = len(names) * (len(names) - 1) // 2
        return f"{missing} of {pairs} pairs of nodes share no switch and meet through the uplink."
    examples = [divmod(int(np.argmax(kind)), len(names)) for kind in (shared == 1, shared > 1) if kind.any()]
    parts = [
        f"{names[a]} and {names[b]} {'on' if index else 'meet on'} "
        + _and([name for name in wiring.nodes[names[a]] if name is not None and name in wiring.nodes[names[b]]])
        for index, (a, b) in enumerate(examples)
    ]
    return "Every pair of nodes shares a switch" + (f": {', '.join(parts)}." if parts else ".")


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
