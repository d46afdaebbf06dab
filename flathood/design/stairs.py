# SPDX-License-Identifier: Apache-2.0
"""A front as a picture: what is gained for each cost. Between two designs the cheaper one is what there is: a stair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from flathood.design.pictures import write

_NAMED = 8  # designs that have their cost written beside them


@dataclass(frozen=True)
class Words:
    """What a picture says: its title, and what its two axes are."""

    title: str
    cost: str
    worth: str


def draw(costs: Sequence[float], worths: Sequence[float], words: Words, path: Path) -> None:
    """Draw a front into a file; raises FlathoodError when the file cannot be written.

    Args:
        costs: of each design, the least first.
        worths: of each design.
        words: what it says.
        path: the file, whose ending says of which kind; the same front gives the same bytes.

    """
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    axes.step(costs, worths, where="post", color="0.6", linewidth=1, zorder=1)
    axes.scatter(costs, worths, s=18, color="tab:blue", zorder=2)
    for index in _landmarks(costs, worths):
        at = (costs[index], worths[index])
        axes.annotate(f"{costs[index]:.4g}", at, (4, -4), textcoords="offset points", va="top", fontsize=9)
    axes.set_title(words.title)
    axes.set_xlabel(words.cost)
    axes.set_ylabel(words.worth)
    axes.margins(x=0.1, y=0.08)
    axes.grid(color="0.92")
    write(figure, path)


def _landmarks(costs: Sequence[float], worths: Sequence[float]) -> list[int]:
    """The designs to name: the highest steps, and the last one, none near to another."""
    rise = [worths[k] - worths[k - 1] if k else float("inf") for k in range(len(costs))]
    span = (costs[-1] - costs[0]) or 1.0
    named: list[int] = []
    for index in sorted(range(len(costs)), key=lambda k: (k != len(costs) - 1, -rise[k])):
        high = index == len(costs) - 1 or rise[index] > 0
        if high and len(named) < _NAMED and all(abs(costs[index] - costs[other]) > span / 20 for other in named):
            named.append(index)
    return named
