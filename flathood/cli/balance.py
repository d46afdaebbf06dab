# SPDX-License-Identifier: Apache-2.0
"""`flathood balance`: how evenly basic routing loads the NICs and switches, for every profile of traffic."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from flathood.cli import options as shared
from flathood.design.profiles import SHAPES, from_text, name_of
from flathood.inventory import load
from flathood.plan.balance import Balance
from flathood.plan.build import balance_of


@click.command("balance")
@shared.directory
@click.option(
    "--profile",
    "profiles",
    multiple=True,
    help=f"Only this traffic ({', '.join(SHAPES)}, FILE.csv); may be given again. Default: all, and cluster.yml's.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")
def balance_(directory: Path, profiles: tuple[str, ...], as_json: bool) -> None:
    """Say how evenly basic routing spreads each profile's traffic over the NICs and switches of the cluster in DIR.

    For each profile one switch is chosen for every pair anew. A switch port has the load of the NIC at the other end of
    its cable. Loads are in the traffic of an average node.
    """
    inventory = load(directory, need_macs=False)
    own = inventory.cluster.profile
    wanted = [from_text(text) for text in profiles] or [own, *(shape for shape in SHAPES if shape != own)]
    rows = {name_of(profile): balance_of(inventory, profile) for profile in wanted}
    if as_json:
        told = [{"profile": name} | asdict(found) for name, found in rows.items()]
        click.echo(json.dumps({"cluster": inventory.cluster.cluster, "rows": told}, indent=1))
        return
    table = Table(title=f"{inventory.cluster.cluster}: load by basic routing")
    for heading in ("profile", "fullest NIC, port", "bound", "above", "fullest switch", "mean"):
        table.add_column(heading, justify="left" if heading == "profile" else "right")
    for name, found in rows.items():
        table.add_row(name, *_cells(found))
    Console().print(table)
    click.echo("bound: no choice of one switch for each pair has less; =: this choice is proved to be the best.")


def _cells(found: Balance) -> tuple[str, ...]:
    above = found.nic_most / found.nic_bound - 1 if found.nic_bound else 0.0
    return (
        f"{found.nic_most:.4f}",
        f"{found.nic_bound:.4f}{' =' if found.proved and above < 1e-9 else ''}",
        f"{above:.1%}".replace("-0.0%", "0.0%"),
        f"{found.segment_most:.3f}",
        f"{found.segment_bound:.3f}",
    )
