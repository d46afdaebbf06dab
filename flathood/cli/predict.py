# SPDX-License-Identifier: Apache-2.0
"""`flathood predict`: what the network will deliver, on paper."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console
from rich.table import Table

from flathood.cli import options as shared
from flathood.plan import load_plan
from flathood.plan.build import routed
from flathood.predict import BENCHMARKS, Case, Model
from flathood.predict import predict as foretell
from flathood.predict.links import Links
from flathood.spec.model import Routing


@click.command()
@shared.directory
@click.option(
    "--benchmark", "benchmarks", type=click.Choice(list(BENCHMARKS)), multiple=True, help="May be given again."
)
@click.option("--group", type=click.IntRange(2), help="Ranks in a group; default: all nodes. PingPong has two.")
@click.option("--size", default=4_000_000, show_default=True, type=click.IntRange(0), help="Bytes of a message.")
@click.option("--latency", default=50.0, show_default=True, help="Microseconds of an empty message, one switch.")
@click.option("--hop", default=10.0, show_default=True, help="Microseconds that each switch more adds.")
@click.option(
    "--eager", default=65536, show_default=True, type=click.IntRange(0), help="Bytes sent before they are received."
)
@shared.routing
@click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")
def predict(directory: Path, group: int | None, size: int, **given: Any) -> None:  # noqa: ANN401 - by click, by name
    """Predict what the Intel MPI Benchmarks would measure on the cluster in DIR, in each mode of routing.

    MB/s (1,000,000 bytes) of one rank, sent and received; One: the first group alone, Multi: all groups at once.
    """
    plan = load_plan(directory)
    links = plan.cluster.links
    model = Model(links.rate, links.mtu, latency=given["latency"] / 1e6, hop=given["hop"] / 1e6, eager=given["eager"])
    rows = []
    for mode in [given["routing"]] if given["routing"] else get_args(Routing):
        wanted: Routing = mode
        net = Links(routed(plan, wanted))
        for name in given["benchmarks"] or BENCHMARKS:
            ranks = 2 if name == "pingpong" else group or plan.node_count
            for multi in (False, True):
                found = foretell(net.plan, Case(name, size, ranks, multi), model, net)
                rows.append({"routing": mode, "benchmark": name, "group": ranks, "multi": multi} | asdict(found))
    if given["as_json"]:
        click.echo(json.dumps({"cluster": plan.cluster.cluster, "size": size, "rows": rows}, indent=1))
        return
    table = Table(title=f"{plan.cluster.cluster}: predicted, messages of {size:,} bytes")
    for heading in ("routing", "benchmark", "group", "groups", "ms", "MB/s", "of the NICs"):
        table.add_column(heading, justify="left" if heading in ("routing", "benchmark", "groups") else "right")
    for row in rows:
        table.add_row(*_cells(row))
    Console().print(table)


def _cells(row: dict[str, Any]) -> list[str]:
    speed = "" if row["mbytes"] is None else f"{row['mbytes']:.2f}"
    part = "" if row["limit"] is None else f"{row['limit']:.1%}"
    groups = "Multi" if row["multi"] else "One"
    milliseconds = f"{row['seconds'] * 1e3:.3f}"
    return [row["routing"], row["benchmark"], str(row["group"]), groups, milliseconds, speed, part]
