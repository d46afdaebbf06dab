# SPDX-License-Identifier: Apache-2.0
"""One picture for each benchmark, as in the KLAT2 paper: a colour for each mode of routing, dotted what was predicted.

Along the bottom are the sizes of messages if there are several, else the sizes of groups; with one of each, bars.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flathood.benchmark.results import Row

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Told apart in any kind of colour vision (M. Okabe, K. Ito, 2008).
_COLOURS = {"basic": "#0072b2", "advanced": "#009e73", "tree": "#d55e00"}
#: Line and marker of One and of Multi.
_STYLES = {False: ("-", "s"), True: ("--", "o")}


def plots(found: Sequence[Row], folder: Path) -> Iterator[Path]:
    """Draw each benchmark's rows into BENCHMARK.png in a folder; the pictures."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - takes longer to import than many a command to run

    from flathood.design.pictures import write  # noqa: PLC0415 - imports Matplotlib

    for name in dict.fromkeys(row.benchmark for row in found):
        rows = [row for row in found if row.benchmark == name and (row.size or not _sized(found, name))]
        figure = Figure(figsize=(8.5, 4.2), layout="constrained")
        axes = figure.subplots()
        sizes, groups = ({getattr(row, key) for row in rows} for key in ("size", "group"))
        if len(sizes) > 1:
            _lines(axes, [row for row in rows if row.group == _most(rows, row)], "size")
            axes.set_xlabel("bytes of a message")
        elif len(groups) > 1:
            _lines(axes, rows, "group")
            axes.set_xlabel("ranks in a group")
        else:
            _bars(axes, rows)
        of = "" if len(sizes) > 1 or not rows[0].size else f", messages of {size_text(rows[0].size)}"
        axes.set_title(name.capitalize().replace("Pingp", "PingP") + of)
        axes.set_ylabel("MB/s of one rank" if rows[0].size else "ms")
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
        axes.set_ylim(bottom=0)
        axes.plot([], [], color="0.4", ls=":", lw=1.5, label="predicted")
        figure.legend(loc="outside right upper", fontsize="small", frameon=False)
        write(figure, folder / f"{name}.png", dpi=110)
        yield folder / f"{name}.png"


def size_text(size: int) -> str:
    """Bytes as people say them: `64 KiB`.

    >>> size_text(65536), size_text(1000)
    ('64 KiB', '1,000 B')
    """
    for unit, bits in (("MiB", 20), ("KiB", 10)):
        if size and size % (1 << bits) == 0:
            return f"{size >> bits:,} {unit}"
    return f"{size:,} B"


def _sized(found: Sequence[Row], name: str) -> bool:
    return any(row.size for row in found if row.benchmark == name)


def _most(rows: Sequence[Row], like: Row) -> int:
    """The largest group: where one is all nodes, One and Multi are the same, and Multi's line has smaller groups."""
    return max(row.group for row in rows if (row.routing, row.multi) == (like.routing, like.multi))


def _value(row: Row) -> float:
    return row.seconds * 1e3 if row.mbytes is None else row.mbytes


def _predicted(row: Row) -> float:
    return row.seconds / (1 + row.error) * 1e3 if row.predicted is None else row.predicted


def _label(row: Row, groups: bool) -> str:
    return f"{row.routing}, {'Multi' if row.multi else 'One'}{f', groups of {row.group}' if groups else ''}"


def _lines(axes: Axes, rows: Sequence[Row], key: str) -> None:
    """Lines over the sizes, or the groups, of all modes."""
    for mode, multi in dict.fromkeys((row.routing, row.multi) for row in rows):
        line = [row for row in rows if (row.routing, row.multi) == (mode, multi)]
        places, colour, (style, marker) = [getattr(row, key) for row in line], _COLOURS[mode], _STYLES[multi]
        label = _label(line[0], key == "size")
        axes.plot(places, [_predicted(row) for row in line], color=colour, ls=":", lw=1.5)
        axes.plot(places, [_value(row) for row in line], color=colour, ls=style, marker=marker, mfc="none", label=label)
    ticks = sorted({getattr(row, key) for row in rows})
    axes.set_xscale("log", base=2)
    axes.set_xticks(ticks, [size_text(tick) if key == "size" else str(tick) for tick in ticks])
    axes.minorticks_off()


def _bars(axes: Axes, rows: Sequence[Row]) -> None:
    """A bar for each mode, One and Multi, with a dotted mark where it was predicted to end."""
    for place, row in enumerate(rows):
        axes.bar(place, _value(row), color=_COLOURS[row.routing], alpha=0.5 if row.multi else 0.9, width=0.7)
        axes.plot([place - 0.45, place + 0.45], [_predicted(row)] * 2, color="0.2", ls=":", lw=1.5)
    axes.set_xticks(range(len(rows)), [_label(row, groups=False).replace(", ", "\n") for row in rows])
    axes.set_xlabel(f"groups of {rows[0].group}")
