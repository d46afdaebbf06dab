# SPDX-License-Identifier: Apache-2.0
"""Label paper and office paper: grids of labels by the maker's number. All lengths are millimetres."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from flathood.errors import FlathoodError

A4, LETTER = (210.0, 297.0), (215.9, 279.4)
_SIZE = re.compile(r"([0-9]{1,3}(?:\.[0-9])?)x([0-9]{1,3}(?:\.[0-9])?)")
_LEAST, _MOST = 10.0, 300.0


class UnknownPaper(FlathoodError):
    """There is no paper of that name."""


@dataclass(frozen=True)
class Paper:
    """A page with labels in a grid that stands in its middle, as all of these makers' sheets have it.

    Attributes:
        name: what it is called on the command line.
        page: width and height of the page.
        label: width and height of a label.
        grid: how many labels stand beside and below each other.
        gap: between two columns of labels; rows have none.
        cut: the labels have to be cut out, so lines are drawn between them.

    """

    name: str
    page: tuple[float, float]
    label: tuple[float, float]
    grid: tuple[int, int] = (1, 1)
    gap: float = 0.0
    cut: bool = False

    @property
    def each(self) -> int:
        """Labels on a page."""
        return self.grid[0] * self.grid[1]

    def corners(self) -> Iterator[tuple[float, float]]:
        """The upper left corner of each label, row by row."""
        columns, rows = self.grid
        left = (self.page[0] - columns * self.label[0] - (columns - 1) * self.gap) / 2
        top = (self.page[1] - rows * self.label[1]) / 2
        for row in range(rows):
            for column in range(columns):
                yield left + column * (self.label[0] + self.gap), top + row * self.label[1]

    def described(self) -> str:
        """It in a few words: `14 of 99.1 x 38.1 mm on A4`."""
        size = f"{round(self.label[0], 1):g} x {round(self.label[1], 1):g} mm"
        if self.each == 1:
            return f"one of {size}, for label printers"
        return f"{self.each} of {size} on {'A4' if self.page == A4 else 'US Letter'}" + (", to cut" if self.cut else "")


def _inch(*lengths: float) -> tuple[float, ...]:
    return tuple(length * 25.4 for length in lengths)


def _a4(name: str, width: float, height: float, columns: int, rows: int) -> Paper:
    # What the sheets of this maker have in common: columns stand 2.5 mm apart, or touch each other.
    return Paper(f"avery-{name}", A4, (width, height), (columns, rows), gap=2.5)


def _letter(name: str, size: tuple[float, float], columns: int, rows: int, gap: float) -> Paper:
    width, height, between = _inch(*size, gap)
    return Paper(f"avery-{name}", LETTER, (width, height), (columns, rows), gap=between)


def _roll(name: str, width: float, height: float) -> Paper:
    return Paper(name, (width, height), (width, height))


#: All papers by name; the sizes are the makers'.
PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper("a4", A4, (95.0, 38.0), (2, 7), cut=True),
        Paper("letter", LETTER, (97.5, 36.5), (2, 7), cut=True),
        _a4("l7160", 63.5, 38.1, 3, 7),
        _a4("l7161", 63.5, 46.6, 3, 6),
        _a4("l7162", 99.1, 33.9, 2, 8),
        _a4("l7163", 99.1, 38.1, 2, 7),
        _a4("l7165", 99.1, 67.7, 2, 4),
        _a4("l7173", 99.1, 57.0, 2, 5),
        _a4("l7651", 38.1, 21.2, 5, 13),
        _letter("5160", (2.625, 1.0), 3, 10, gap=0.125),
        _letter("5161", (4.0, 1.0), 2, 10, gap=0.1875),
        _letter("5162", (4.0, 4 / 3), 2, 7, gap=0.1875),
        _letter("5163", (4.0, 2.0), 2, 5, gap=0.1875),
        _letter("5164", (4.0, 10 / 3), 2, 3, gap=0.1875),
        _roll("brother-dk-11201", 90.0, 29.0),
        _roll("brother-dk-11202", 100.0, 62.0),
        _roll("brother-dk-11208", 90.0, 38.0),
        _roll("dymo-11354", 57.0, 32.0),
        _roll("dymo-30252", 89.0, 28.0),
        _roll("dymo-99012", 89.0, 36.0),
        _roll("dymo-99014", 101.0, 54.0),
    )
}


def paper_of(name: str) -> Paper:
    """The paper of that name, or one label a page for a size in millimetres such as `62x29`; raises UnknownPaper."""
    found = PAPERS.get(name.lower())
    if found is not None:
        return found
    size = _SIZE.fullmatch(name)
    if size is not None and all(_LEAST <= float(side) <= _MOST for side in size.groups()):
        return _roll(name, float(size[1]), float(size[2]))
    if size is not None:
        raise UnknownPaper(f"{name}: a label's sides are from {_LEAST:g} to {_MOST:g} mm")
    near = difflib.get_close_matches(name.lower(), PAPERS, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]}? " if near else ""
    raise UnknownPaper(f"{name!r} is no paper: {hint}Known are {', '.join(PAPERS)}, and any WIDTHxHEIGHT in mm")
