# SPDX-License-Identifier: Apache-2.0
"""The files: labels on label paper, sheets and lists on office paper, pictures for screens, text for terminals."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from flathood import writing
from flathood.cabling import sketch
from flathood.drawing import Item, Line, Page, Rect, moved, without_colours
from flathood.drawing.pdf import pdf
from flathood.drawing.svg import svg
from flathood.errors import FlathoodError
from flathood.labels.book import Book, Machine, Switch, make_book
from flathood.labels.listing import sheets
from flathood.labels.paper import A4, LETTER, PAPERS, Paper
from flathood.labels.tag import machine_tag, switch_tag
from flathood.labels.text import labels_text, text
from flathood.spec import Cluster
from flathood.spec.known import several
from flathood.wiring import Wiring

FORMATS = ("pdf", "svg", "text")
OFFICE = {"a4": A4, "letter": LETTER}
_COMMAND = "flathood labels"
_BUILD = Path(__file__).resolve().parents[2] / "build"
_PAGES = re.compile(r"(labels|sheets|reprint)-[0-9]+\.svg")
_CUT = "#9aa5b1"


class UnknownName(FlathoodError):
    """A label is wanted of something that the cluster does not have."""


@dataclass(frozen=True)
class Options:
    """What is to be made, and of what.

    Attributes:
        formats: which of FORMATS.
        paper: of the labels.
        office: paper of the sheets, a4 or letter; None: letter where the labels are on such, else a4.
        report: where the machines' pages are (`flathood.labels.book.page_address`); None: report.html at the head.
        only: machines and switches whose labels are wanted again, in files of their own; empty: everything.
        skip: labels of the first page that are used already.
        outline: draw the edges of the labels, to try a printer with plain paper.
        mono: labels and sheets without colours, for printers that have one ink; the marks tell the colours.

    """

    formats: tuple[str, ...] = FORMATS
    paper: Paper = PAPERS["a4"]
    office: str | None = None
    report: str | None = None
    only: tuple[str, ...] = ()
    skip: int = 0
    outline: bool = False
    mono: bool = False


@dataclass(frozen=True)
class Products:
    """All files by their names, how many labels there are, and of which machines the QR code found no room."""

    files: dict[str, bytes]
    labels: int
    without_code: tuple[str, ...]


def products(cluster: Cluster, wiring: Wiring, options: Options) -> Products:
    """Make the files; the same cluster, wiring and options give the same bytes. Raises UnknownName."""
    book = make_book(cluster, wiring, options.report)
    machines, switches = _wanted(book, options.only)
    tags, without = _tags(book, machines, switches, options.paper)
    labels = _label_pages(tags, options, cluster.cluster)
    if options.only:
        pages = {"reprint": labels}
        extra = {"text": ("reprint.txt", labels_text(machines))}
    else:
        pages = {"labels": labels, "sheets": sheets(book, cluster, wiring, _office(options))}
        extra = {"text": ("labels.txt", text(book)), "svg": ("diagram.svg", sketch.svg(cluster, wiring))}
    files = {name: content.encode() for kind, (name, content) in extra.items() if kind in options.formats}
    for name, laid_out in pages.items():
        drawn = list(map(without_colours, laid_out)) if options.mono else laid_out
        if "pdf" in options.formats:
            files[f"{name}.pdf"] = pdf(drawn, f"{cluster.cluster}: {name}")
        if "svg" in options.formats:
            files |= _numbered(name, drawn)
    return Products(files, len(tags), without)


def usual_folder(cluster: Cluster) -> Path:
    """Where the files go when nothing else is said: build/CLUSTER/labels of this checkout."""
    return _BUILD / cluster.cluster / "labels"


def save(directory: Path, made: Products, options: Options) -> list[str]:
    """Write the files, each in one piece, and remove pages that there are no more; names of what changed."""
    directory.mkdir(parents=True, exist_ok=True)
    stale = _stale(directory, made.files, options)
    changed = [name for name, content in made.files.items() if writing.save(directory / name, content)]
    for name in stale:
        (directory / name).unlink()
    return changed + stale


def differing(directory: Path, made: Products, options: Options) -> list[str]:
    """What `save` would change."""
    paths = ((name, directory / name, content) for name, content in made.files.items())
    changed = [name for name, path, content in paths if not path.is_file() or path.read_bytes() != content]
    return changed + _stale(directory, made.files, options)


def _stale(directory: Path, files: Mapping[str, bytes], options: Options) -> list[str]:
    """Numbered pages of an earlier run that this one does not have."""
    if "svg" not in options.formats or not directory.is_dir():
        return []
    kinds = ("reprint",) if options.only else ("labels", "sheets")
    found = ((path.name, _PAGES.fullmatch(path.name)) for path in sorted(directory.iterdir()))
    return [name for name, match in found if match and match[1] in kinds and name not in files]


def _wanted(book: Book, only: Sequence[str]) -> tuple[list[Machine], list[Switch]]:
    known = [*(machine.name for machine in book.machines), *(switch.name for switch in book.switches)]
    unknown = [name for name in only if name not in known]
    if unknown:
        raise UnknownName(f"{book.cluster} has no machine or switch called {several(unknown, len(unknown))}")
    wanted = set(only or known)
    machines = [machine for machine in book.machines if machine.name in wanted]
    return machines, [switch for switch in book.switches if switch.name in wanted]


def _tags(
    book: Book, machines: Sequence[Machine], switches: Sequence[Switch], paper: Paper
) -> tuple[list[list[Item]], tuple[str, ...]]:
    tags, without = [], []
    for machine in machines:
        tag, coded = machine_tag(machine, paper.label)
        tags.append(tag)
        if not coded:
            without.append(machine.name)
    return tags + [switch_tag(book, switch, paper.label) for switch in switches], tuple(without)


def _label_pages(tags: Sequence[Sequence[Item]], options: Options, cluster: str) -> list[Page]:
    paper = options.paper
    corners = list(paper.corners())
    places: list[Sequence[Item]] = [*([] for _ in range(options.skip % paper.each)), *tags]
    made = []
    for start in range(0, len(places), paper.each):
        items: list[Item] = _edges(paper, options)
        for tag, (x, y) in zip(places[start : start + paper.each], corners, strict=False):
            items += moved(tag, x, y)
        made.append(Page(*paper.page, tuple(items), f"{cluster}: labels"))
    return made


def _edges(paper: Paper, options: Options) -> list[Item]:
    """Lines to cut along, or the edges of the labels."""
    if options.outline:
        return [Rect(x, y, *paper.label, None, _CUT, 0.1) for x, y in paper.corners()]
    if not paper.cut:
        return []
    (x, y), wide, high = next(paper.corners()), *paper.label
    columns, rows = paper.grid
    down: list[Item] = [
        Line(x + number * wide, y - 4, x + number * wide, y + rows * high + 4, _CUT, 0.1, (1, 1))
        for number in range(columns + 1)
    ]
    return down + [
        Line(x - 4, y + number * high, x + columns * wide + 4, y + number * high, _CUT, 0.1, (1, 1))
        for number in range(rows + 1)
    ]


def _office(options: Options) -> tuple[float, float]:
    return OFFICE[options.office] if options.office else LETTER if options.paper.page == LETTER else A4


def _numbered(name: str, pages: Sequence[Page]) -> dict[str, bytes]:
    digits = max(2, len(str(len(pages))))
    return {
        f"{name}-{number:0{digits}}.svg": svg(page, _COMMAND).encode() for number, page in enumerate(pages, start=1)
    }
