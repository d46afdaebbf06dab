# SPDX-License-Identifier: Apache-2.0
"""The scaling graphs of the KLAT2 paper: the least ports for so many nodes, one graph for each number of NICs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from matplotlib.figure import Figure

from flathood.design.pictures import check_target, write
from flathood.design.sizes import PortsAnswer


def draw(answers: Sequence[PortsAnswer], path: Path) -> None:
    """Draw the answers, in order of their nodes, into a file; the same answers give the same bytes.

    Raises FlathoodError when the file's name has no ending of a picture or it cannot be written.
    """
    check_target(path)
    counts = sorted({answer.nics for answer in answers})
    columns = min(2, len(counts))
    lines = -(-len(counts) // columns)
    figure = Figure(figsize=(5.5 * columns, 4 * lines), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False, sharex=True, sharey=True)
    for axes, nics in zip(grid.flat, counts, strict=False):
        of = [answer for answer in answers if answer.nics == nics]
        nodes = [answer.nodes for answer in of]
        axes.step(nodes, [answer.ports for answer in of], where="post", color="tab:blue", label="can be wired")
        axes.step(
            nodes,
            [answer.bound for answer in of],
            where="post",
            color="black",
            ls=":",
            label="bound: no wiring has less",
        )
        last = of[-1]
        axes.annotate(
            f"{last.nodes} nodes: {last.ports} ports", (last.nodes, last.ports), (0.5, 0.08), None, "axes fraction"
        )
        axes.set_title(f"{nics} NIC{'' if nics == 1 else 's'} a node")
        axes.grid(color="0.9")
        axes.set_xlabel("nodes")
        axes.set_ylabel("ports of a switch")
    for axes in grid.flat[len(counts) :]:
        axes.set_visible(False)
    grid[0, 0].legend(loc="upper left")
    write(figure, path, dpi=110)
