# SPDX-License-Identifier: Apache-2.0
"""`flathood sizes`: how many nodes switches of so many ports can join, or how many ports so many nodes need."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from flathood.design.sizes import PortsAnswer, SizeAnswer, max_nodes, min_ports
from flathood.writing import save

_MOST = 4096  # nodes or ports
_MOST_NICS = 16
_MOST_ROWS = 60  # of a table on a screen; --csv and --json have all


class _Range(click.ParamType[range]):
    """One number or A-B."""

    name = "A-B"

    def __init__(self, least: int, most: int) -> None:
        self.least, self.most = least, most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> range:  # noqa: ANN401 - click's
        """The numbers from A to B."""
        if isinstance(value, range):
            return value
        low, dash, high = value.partition("-")
        if not (low.isdigit() and (high.isdigit() or not dash)):
            self.fail(f"{value!r} is no range: write A-B, or one number", param, ctx)
        first, last = int(low), int(high) if dash else int(low)
        if not self.least <= first <= last <= self.most:
            self.fail(f"{value!r}: use numbers from {self.least} to {self.most}, the smaller one first", param, ctx)
        return range(first, last + 1)


@click.command()
@click.option("--ports", type=_Range(1, _MOST), help="Ports of a switch for nodes: the most nodes that they join.")
@click.option("--nodes", type=_Range(1, _MOST), help="Nodes: the least ports of a switch that join them.")
@click.option("--nics", type=_Range(1, _MOST_NICS), default="2-5", show_default=True, help="NICs of a node.")
@click.option("--csv", "csv_file", type=click.Path(dir_okay=False, path_type=Path), help="Write the table as CSV.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), help="Draw ports against nodes (PNG, SVG, PDF)."
)
@click.option("--json", "as_json", is_flag=True, help="Print the table as JSON.")
def sizes(nics: range, csv_file: Path | None, plot: Path | None, **given: Any) -> None:  # noqa: ANN401 - click's
    """Print how large clusters can be in which every two nodes share a switch.

    All nodes have the same number of NICs, all switches the same number of ports. Without --ports and --nodes: 3 to
    1024 nodes.
    """
    ports, nodes = given["ports"], given["nodes"]
    if ports is not None and nodes is not None:
        raise click.UsageError("give --ports or --nodes, not both")
    if ports is not None and plot is not None:
        raise click.UsageError("--plot draws the least ports of --nodes: leave --ports out")
    if ports is not None:
        rows = [_row_of_nodes(max_nodes(each, count)) for each in ports for count in nics]
    else:
        answers = [min_ports(each, count) for count in nics for each in nodes or range(3, 1025)]
        rows = [_row_of_ports(answer) for answer in sorted(answers, key=lambda answer: (answer.nodes, answer.nics))]
        if plot is not None:
            from flathood.design.sizes_plot import draw  # noqa: PLC0415 - matplotlib takes a second to import

            draw(answers, plot)
    if csv_file is not None:
        save(csv_file, _csv(rows))
    if given["as_json"]:
        click.echo(json.dumps(rows, indent=1))
    else:
        _show(rows)


def _row_of_nodes(answer: SizeAnswer) -> dict[str, Any]:
    return {
        "ports": answer.ports,
        "nics": answer.nics,
        "max_nodes": answer.nodes,
        "upper_bound": answer.bound,
        "proof": _proof(answer.theorem, optimal=answer.optimal),
    }


def _row_of_ports(answer: PortsAnswer) -> dict[str, Any]:
    return {
        "nodes": answer.nodes,
        "nics": answer.nics,
        "min_ports": answer.ports,
        "lower_bound": answer.bound,
        "proof": _proof(answer.theorem, optimal=answer.optimal),
    }


def _proof(theorem: str, *, optimal: bool) -> str:
    return f"{'optimal' if optimal else 'bound'}: {theorem}"


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _show(rows: list[dict[str, Any]]) -> None:
    console = Console()
    table = Table()
    for key in rows[0]:
        table.add_column(key.replace("_", " "), justify="left" if key == "proof" else "right")
    for row in rows[:_MOST_ROWS]:
        table.add_row(*(str(value) for value in row.values()))
    console.print(table)
    if len(rows) > _MOST_ROWS:
        console.print(f"… {len(rows) - _MOST_ROWS} more rows: --csv FILE or --json has all")
    proved = sum(str(row["proof"]).startswith("optimal") for row in rows)
    console.print(f"{proved} of {len(rows)} are proved optimal.", highlight=False)
