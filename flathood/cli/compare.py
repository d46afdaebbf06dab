# SPDX-License-Identifier: Apache-2.0
"""`flathood compare`: a cluster's network beside a fat tree and a tree of the same switches."""

from __future__ import annotations

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from flathood.cli import options as shared
from flathood.design.compare.networks import Network, compare
from flathood.design.objective import figure
from flathood.design.request import Request, design_of
from flathood.inventory import load


@click.command("compare")
@shared.directory
@click.option("--ports", type=click.IntRange(2, 4096), help="Width of the trees' switches [the cluster's widest].")
@click.option("--json", "as_json", is_flag=True, help="Print the comparison as JSON.")
def compare_(directory: Path, ports: int | None, as_json: bool) -> None:
    """Compare the wired network of the cluster in DIR with a fat tree and a tree of the same switches."""
    inventory = load(directory, need_macs=False)
    request = Request.of(inventory.cluster, directory)
    networks = compare(request, design_of(inventory.wiring, inventory.cluster), ports)
    width = ports if ports is not None else int(request.ports.max())
    if as_json:
        report = {
            "cluster": inventory.cluster.cluster,
            "nodes": networks[0].nics,
            "ports": width,
            "profile": request.profile,
            "networks": [network.report() for network in networks],
        }
        click.echo(json.dumps(report, indent=2))
        return
    console = Console(highlight=False)
    console.print(_table(f"{inventory.cluster.cluster}: {networks[0].nics} nodes", networks))
    console.print(
        f"Both trees are of {width}-port switches. Bandwidths are in links; a bisection's counts both directions. "
        f"Throughput is that of all nodes at once, by the profile ({request.profile}).",
        markup=False,
    )
    for network in networks:
        console.print(f"  {network.name} needs {network.needs}")


def _table(title: str, networks: tuple[Network, ...]) -> Table:
    table = Table(title=title)
    table.add_column("figure")
    for network in networks:
        table.add_column(network.name, justify="right")
    for name, key in _ROWS:
        table.add_row(name, *(_text(key, getattr(network, key)) for network in networks))
    return table


_ROWS = (
    ("pairwise bandwidth", "pairwise"),
    ("bisection, best case", "bisection_best"),
    ("bisection, conservative", "bisection_conservative"),
    ("latency in switches", "latency"),
    ("throughput a node", "throughput"),
    ("NICs", "nics"),
    ("switches", "switches"),
    ("cables", "cables"),
    ("cables to an uplink switch", "uplink_cables"),
)


def _text(key: str, value: float) -> str:
    """A figure with the digits that the KLAT2 paper prints: latencies rounded to one, others cut to eight."""
    return f"{value:.1f}" if key == "latency" else str(figure(value) if isinstance(value, float) else value)
