# SPDX-License-Identifier: Apache-2.0
"""The picture of a wiring: switches as coloured bars, nodes as boxes below, every cable a straight line up to its bar.

A cable that goes on past a bar runs behind it; where it ends there is a port. Colour is never the only signal: every
NIC and every bar has the switch's letters. More nodes than fit into a row continue in the next, with the same bars.
All lengths are in SVG user units, which are pixels at the natural size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from jinja2 import Environment, PackageLoader, StrictUndefined

from flathood.spec import Cluster
from flathood.wiring import Wiring

_A_ROW = 16  # nodes in a row
_MARGIN, _TITLE, _NAMES = 28, 64, 120  # the frame, the title's height, the width of the bars' names
_BAR, _BETWEEN = 24, 14  # height of a bar, and between two
_DROP = 40  # from the last bar to the NICs
_NIC, _NODE, _GAP = 26, 44, 22  # side of a NIC, height of a node, between two nodes
_ROW_GAP = 40
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
    ink: str = "#1f2933"


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
    nodes: tuple[Box, ...]
    nics: tuple[Box, ...]
    uplink: Box
    machines: tuple[Box, ...]


def svg(cluster: Cluster, wiring: Wiring) -> str:
    """The picture as the text of an SVG file; the same files give the same bytes."""
    environment = Environment(
        loader=PackageLoader("flathood.cabling"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("diagram.svg.j2").render(p=layout(cluster, wiring))


def letters(names: Sequence[str]) -> tuple[str, ...]:
    """One or two letters for each switch, all different: the first, and the first by which names like it differ.

    >>> letters(["red", "green", "blue"]), letters(["green", "grey", "red"])
    (('R', 'G', 'B'), ('GE', 'GY', 'R'))

    """
    short = []
    for index, name in enumerate(names):
        alike = [other for other in names if other[0] == name[0]]
        places = [at for at in range(1, min(map(len, alike))) if len({other[at] for other in alike}) == len(alike)]
        if len(alike) == 1:
            short.append(name[0].upper())
        else:
            short.append((name[0] + name[places[0]]).upper() if places else str(index + 1))
    return tuple(short) if len(set(short)) == len(short) else tuple(str(index + 1) for index in range(len(names)))


def ink_on(fill: str) -> str:
    """Dark or white, whichever is easier to read on a colour (WCAG 2.2, relative luminance).

    >>> ink_on("#f9a825"), ink_on("#1565c0")
    ('#1f2933', '#ffffff')

    """

    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(fill[at : at + 2], 16)) for at in (1, 3, 5))
    return "#1f2933" if 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.3 else "#ffffff"


def layout(cluster: Cluster, wiring: Wiring) -> Picture:
    """Where everything goes."""
    names = cluster.node_names
    slots = max(len(wiring.nodes[name]) for name in names)
    box = max(slots * _NIC + (slots + 1) * 4, _LETTER * max(map(len, names)) + 16)
    across = min(len(names), _A_ROW)
    strip = len(cluster.switches) * (_BAR + _BETWEEN) - _BETWEEN
    row_height = strip + _DROP + _NIC / 2 + _NODE
    left = _MARGIN + _NAMES
    right = left + across * (box + _GAP) + _GAP
    rows = [names[at : at + _A_ROW] for at in range(0, len(names), _A_ROW)]
    drawn = _Row(cluster, wiring, left, right, box)
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
        nodes=tuple(drawn.nodes),
        nics=tuple(drawn.nics),
        uplink=Box(**{**vars(uplink), "ink": ink_on(uplink.fill)}),
        machines=machines,
    )


class _Row:
    """Collects the bars, nodes and cables of each row."""

    def __init__(self, cluster: Cluster, wiring: Wiring, left: float, right: float, box: float) -> None:
        self.cluster, self.wiring = cluster, wiring
        self.left, self.right, self.box = left, right, box
        self.short = dict(zip(cluster.switch_names, letters(cluster.switch_names), strict=True))
        self.cables: list[Cable] = []
        self.bars: list[Box] = []
        self.letters: list[Box] = []
        self.nodes: list[Box] = []
        self.nics: list[Box] = []

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


def _some(spares: Sequence[str]) -> tuple[str, ...]:
    """The spares, or how many they are when they are many."""
    return tuple(spares) if len(spares) <= _MOST_SPARES else (f"{len(spares)} spares",)


def _title(cluster: Cluster) -> str:
    nodes, switches = len(cluster.node_names), len(cluster.switches)
    return f"{cluster.cluster}: {nodes} nodes, {switches} {'switch' if switches == 1 else 'switches'}"


def _subtitle(cluster: Cluster, wiring: Wiring) -> str:
    """What the picture shows, with an example of each kind where there is one."""
    shared = {
        (a, b): [name for name in wiring.nodes[a] if name is not None and name in wiring.nodes[b]]
        for a, b in combinations(cluster.node_names, 2)
    }
    missing = sum(not names for names in shared.values())
    if missing:
        return f"{missing} of {len(shared)} pairs of nodes share no switch and meet through the uplink."
    one = next(((pair, names) for pair, names in shared.items() if len(names) == 1), None)
    several = next(((pair, names) for pair, names in shared.items() if len(names) > 1), None)
    parts = [f"{a} and {b} {verb} {_and(names)}" for (a, b), names, verb in _examples(one, several)]
    return "Every pair of nodes shares a switch" + (f": {', '.join(parts)}." if parts else ".")


def _examples(
    one: tuple[tuple[str, str], list[str]] | None, several: tuple[tuple[str, str], list[str]] | None
) -> list[tuple[tuple[str, str], list[str], str]]:
    return [
        (*example, "meet on" if index == 0 else "on") for index, example in enumerate(e for e in (one, several) if e)
    ]


def _and(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
