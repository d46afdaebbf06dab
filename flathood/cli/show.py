# SPDX-License-Identifier: Apache-2.0
"""`flathood show`: one machine's view of the network."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flathood.cli import options as shared
from flathood.plan import load_plan
from flathood.plan.bundle import machines
from flathood.plan.show import cluster_balance, machine_view


@click.command()
@shared.directory
@click.argument("machine", metavar="NODE")
@click.option("--json", "as_json", is_flag=True, help="Print the view as JSON.")
def show(directory: Path, machine: str, as_json: bool) -> None:
    """Print one node's (or spare's, or the head's) view: NICs, cables, addresses, and how it reaches its peers."""
    plan = load_plan(directory)
    if machine not in machines(plan):
        known = ranges(machines(plan))
        raise click.BadParameter(
            f"there is no machine {machine!r} in {plan.cluster.cluster}: {known}", param_hint="NODE"
        )
    view = machine_view(plan, machine) | {"balance": cluster_balance(plan)}
    if as_json:
        click.echo(json.dumps(view, indent=1))
    else:
        _print(Console(highlight=False), view)


def ranges(names: Iterable[str]) -> str:
    """Names in a few words: those that differ in a counting number are joined.

    >>> ranges(["k00", "k01", "k02", "k07", "head"])
    'k00-k02 k07 head'
    """

    def run(pair: tuple[int, str]) -> tuple[str, int, int]:
        place, name = pair
        stem = name.rstrip("0123456789")
        digits = name[len(stem) :]
        return stem, len(digits), int(digits) - place if digits else -place - 1

    runs = [[name for _, name in group] for _, group in groupby(enumerate(names), key=run)]
    return " ".join(run[0] if len(run) == 1 else f"{run[0]}{'-' if len(run) > 2 else ' '}{run[-1]}" for run in runs)


def cable(switch: str | None, colour: str | None) -> Text:
    """A switch by its name, after a block of its colour."""
    return Text("-- not used") if switch is None else Text.assemble(("██ ", colour or ""), switch)


def _print(console: Console, view: dict[str, Any]) -> None:
    console.print(f"[bold]{view['name']}[/bold], {view['kind']} of {view['cluster']}")
    if "node_address" in view:
        console.print(f"node address {view['node_address']} on {view['node_device']}, the same from everywhere")
    console.print()
    console.print(_nics(view))
    if "peers" not in view:
        console.print(f"\nEvery machine is reached by its outside address through {view['nics'][0]['switch']}.")
        return
    console.print("\n[bold]Peers[/bold], each under the neighborhood that basic routing chose for the pair")
    console.print(_peers(view))
    most = view["balance"]
    console.print(
        f"\nIn the whole cluster the most loaded NIC, and the switch port at its cable's other end, has "
        f"{most['nic_most']:.3f} of an average node's traffic (no choice can be below {most['nic_bound']:.3f}), the "
        f"most loaded switch {most['segment_most']:.2f} (the mean is {most['segment_bound']:.2f})."
    )


def _nics(view: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("NIC", "cable", "address", "MAC", "load"):
        table.add_column(title)
    for nic in view["nics"]:
        addresses = nic["addresses"] or [""]
        load = "idle" if nic.get("state") == "idle" else f"{nic['load']:.3f}" if "load" in nic else ""
        table.add_row(nic["nic"], cable(nic["switch"], nic["colour"]), addresses[0], nic["mac"] or "unknown", load)
        for address in addresses[1:]:
            table.add_row("", "", f"{address} outside", "", "")
    return table


def _peers(view: dict[str, Any]) -> Table:
    table = Table(box=None, pad_edge=False)
    for title in ("neighborhood", "chosen", "shared, but not chosen"):
        table.add_column(title, overflow="fold")
    for neighborhood in view["neighborhoods"]:
        table.add_row(
            cable(neighborhood["switch"], neighborhood["colour"]),
            f"{len(neighborhood['chosen'])}: {ranges(neighborhood['chosen'])}",
            f"{len(neighborhood['also'])}: {ranges(neighborhood['also'])}" if neighborhood["also"] else "",
        )
    if far := view["through_the_uplink"]:
        table.add_row("through the uplink", f"{len(far)}: {ranges(far)}", "")
    return table
