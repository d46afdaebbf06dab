# SPDX-License-Identifier: Apache-2.0
"""`flathood options`: what could be bought for a cluster, from the cheapest network to the fastest."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flathood.catalogue import EXAMPLE, Catalogue, load_catalogue
from flathood.cli.span import Span
from flathood.design.options.bill import Bill
from flathood.design.options.cluster import cluster_text
from flathood.design.options.front import Need, Offers, Option, offers
from flathood.design.options.make import maker
from flathood.design.pictures import check_target
from flathood.design.profiles import SHAPES, from_text, name_of, traffic
from flathood.design.request import Request
from flathood.inventory import CLUSTER
from flathood.spec import load_cluster
from flathood.writing import save

_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("options")
@click.argument(
    "folder", metavar="[DIR]", type=click.Path(exists=True, file_okay=False, path_type=Path), required=False
)
@click.option("--nodes", type=click.IntRange(2, 8192), help="In place of DIR: so many nodes.")
@click.option("--catalogue", "catalogue_file", type=_FILE, help="Parts and prices [an example that is shipped].")
@click.option("--profile", help=f"Traffic: {', '.join(SHAPES)}, or a file [DIR's, else all-to-all].")
@click.option("--nics", type=Span(1, 16), default="1-6", show_default=True, help="NICs of a node.")
@click.option("--slots", type=click.IntRange(0, 16), default=3, show_default=True, help="Slots of a node for cards.")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Nothing dearer than this.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, the same options.")
@click.option(
    "--rounds", type=click.IntRange(0), default=1, show_default=True, help="Rounds of search for a network; 0: none."
)
@click.option("--plot", "picture", type=_FILE, help="Draw price against throughput: FILE.png, .svg or .pdf.")
@click.option("--bill", "bills", type=click.IntRange(1), multiple=True, help="Itemise the bill of this option.")
@click.option("--save", type=(click.IntRange(1), _FILE), metavar="N FILE", help="Write a cluster.yml of option N.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def options(**given: Any) -> None:  # noqa: ANN401 - click hands the options over by name
    """Show the networks worth their price for the nodes of DIR: no other is both cheaper and as fast.

    Every node is on so many switches that every pair of nodes shares one.
    """
    asked = _asked(given)
    need = asked.need
    catalogue = load_catalogue(given["catalogue_file"] or EXAMPLE)
    number, target = given["save"] or (None, None)
    if target is not None and target.exists():
        raise click.BadParameter(f"{target} is there already: choose another name, or remove it", param_hint="--save")
    if given["picture"]:
        check_target(given["picture"])
    with Console(stderr=True).status("looking for options") as status:
        make = maker(given["seed"], given["rounds"])
        found = offers(catalogue, need, make, lambda what: status.update(f"designing {what}"))
    for wanted in (*given["bills"], *([number] if number else [])):
        if wanted > len(found.front):
            raise click.UsageError(f"there is no option {wanted}: the last is {len(found.front)}.")
    written = []
    if given["picture"]:
        from flathood.design.options.plot import plot  # noqa: PLC0415 - takes longer than many a table

        plot(found, need, f"{catalogue.currency}, {catalogue.date}", given["picture"])
        written.append(given["picture"])
    if target is not None and number is not None:
        save(target, cluster_text(found.front[number - 1], asked.name, asked.nodes, asked.spares, asked.profile))
        written.append(target)
    if given["as_json"]:
        click.echo(json.dumps(_report(found, need, catalogue), indent=2))
        return
    console = Console(highlight=False)
    _show(console, found, need, catalogue)
    for wanted in given["bills"]:
        console.print(_itemised(found.front[wanted - 1], wanted, catalogue.currency))
    for path in written:
        console.print(f"{path}: written", markup=False, soft_wrap=True)


@dataclass(frozen=True)
class _Asked:
    """What is asked for, with the names that a cluster.yml needs besides."""

    need: Need
    name: str
    nodes: Sequence[str]
    spares: Sequence[str]
    profile: object


def _asked(given: dict[str, Any]) -> _Asked:
    folder, nodes = given["folder"], given["nodes"]
    if (folder is None) == (nodes is None):
        raise click.UsageError("give DIR, the folder of a cluster.yml, or --nodes N.")
    profile = from_text(given["profile"]) if given["profile"] else None
    rest = (given["nics"], given["slots"], given["budget"])
    if folder is None:
        profile = profile or "all-to-all"
        need = Need(nodes, 0, traffic(profile, nodes), name_of(profile), *rest)
        return _Asked(need, "cluster", [f"n{number:02d}" for number in range(nodes)], (), profile)
    cluster = load_cluster(folder / CLUSTER)
    request = Request.of(cluster, folder, profile)
    weights = request.weights[np.ix_(request.used, request.used)]
    names = [name for name, used in zip(cluster.node_names, request.used, strict=True) if used]
    need = Need(len(names), len(cluster.spare_names), weights, request.profile, *rest)
    return _Asked(need, cluster.cluster, names, cluster.spare_names, profile or cluster.profile)


def _report(found: Offers, need: Need, catalogue: Catalogue) -> dict[str, Any]:
    return {
        "nodes": need.nodes,
        "spares": need.spares,
        "profile": need.profile,
        "currency": catalogue.currency,
        "date": catalogue.date.isoformat(),
        "designed": found.probes,
        "complete_until": found.until,
        "front": [option.report() for option in found.front],
        "beaten": [option.report() for option in found.beaten],
    }


def _show(console: Console, found: Offers, need: Need, catalogue: Catalogue) -> None:
    spares = f" and {need.spares} spares" if need.spares else ""
    title = f"Networks for {need.nodes} nodes{spares}, {need.profile}, prices of {catalogue.date}"
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("", "switches", "NICs", "Gb/s", "links", catalogue.currency, "W"):
        words = heading == "switches"
        table.add_column(heading, justify="left" if words else "right", no_wrap=not words)
    for number, option in enumerate(found.front, 1):
        table.add_row(
            str(number),
            f"{option.switches} x {option.switch.name} {_MARKS.get(option.reason, '')}",
            str(option.nics),
            f"{option.throughput / 1e9:.4g}",
            f"{option.made.throughput:.2f}",
            f"{option.bill.price:,.0f}",
            f"{option.bill.power:,.0f}",
        )
    console.print(table)
    if found.until is not None:
        console.print(
            f"Interrupted: these are the options up to {found.until:,.0f} {catalogue.currency}.", style="yellow"
        )
    used = {_MARKS.get(option.reason) for option in found.front}
    for mark, meaning in _MEANINGS.items():
        if mark in used:
            console.print(f"{mark} {meaning}")
    console.print("Gb/s: what a node can send while all others do; links: that, by the rate of one.")
    console.print(f"{catalogue.currency} and W: of everything that is listed here.\n")
    bills = Table(box=None, show_header=False, pad_edge=False)
    bills.add_column(justify="right", no_wrap=True)
    bills.add_column()
    for number, option in enumerate(found.front, 1):
        bills.add_row(str(number), Text(_in_words(option.bill)))
    console.print(bills)


#: Marks of two reasons for a number of switches, and what they mean; the third, more bandwidth, needs none.
_MARKS = {"least": "=", "fewest known": "~"}
_MEANINGS = {"=": "as few switches as can be: proved", "~": "as few as were found; fewer are not excluded"}


def _in_words(bill: Bill) -> str:
    uplink = {"uplink": " (uplink)"}
    return ", ".join(f"{line.count} x {line.part.name}{uplink.get(line.purpose, '')}" for line in bill.lines)


def _itemised(option: Option, number: int, currency: str) -> Table:
    table = Table(title=f"Bill of materials, option {number}", show_footer=True)
    table.add_column("", justify="right")
    table.add_column("part", "sum")
    table.add_column("for")
    table.add_column("each", justify="right")
    table.add_column(currency, f"{option.bill.price:,.2f}", justify="right")
    table.add_column("W", f"{option.bill.power:,.1f}", justify="right")
    for line in option.bill.lines:
        each = f"{line.part.price:,.2f}"
        table.add_row(str(line.count), line.part.name, line.purpose, each, f"{line.price:,.2f}", f"{line.power:,.1f}")
    return table
