# SPDX-License-Identifier: Apache-2.0
"""`flathood evaluate`: every figure of a wiring, what it really carries, and what is left when a part fails."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

from flathood.cli import options as shared
from flathood.cli.figures import ROWS, text, value_of
from flathood.design.judge import Judgement
from flathood.design.objective import Evaluation, evaluate, figure
from flathood.design.profiles import SHAPES, from_text
from flathood.design.request import Design, Request, design_of
from flathood.design.resilience import Loss, Resilience, resilience
from flathood.design.throughput import Throughput, concurrent
from flathood.inventory import Inventory, load

_MOST_SPOTS = 10  # on a screen; --json has all of them


@click.command("evaluate")
@shared.directory
@click.option(
    "--profile",
    help=f"Judge by other traffic than cluster.yml's: {', '.join(SHAPES)}, FILE.csv, NAME.0.prof or module:function.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def evaluate_(directory: Path, profile: str | None, as_json: bool) -> None:
    """Say how good the wiring of the cluster in DIR is, and what is left of it when a switch, NIC or cable fails."""
    inventory = load(directory, need_macs=False)
    request = _request(inventory, directory, None if profile is None else from_text(profile))
    found = _Found.of(request, design_of(inventory.wiring, inventory.cluster))
    if as_json:
        click.echo(json.dumps(_report(inventory, request, found), indent=2))
        return
    console = Console(highlight=False)
    console.print(_figures(inventory, request, found))
    console.print(_carried(found.throughput), markup=False)
    console.print(_failures(inventory, found.losses))
    console.print(_survives(found.losses), markup=False)
    if found.judgement is not None and request.judge is not None:
        console.print(_marked(inventory, request.judge.name, found.judgement), markup=False)


class _Found:
    """Everything that is said of a wiring."""

    def __init__(self, evaluation: Evaluation, throughput: Throughput, losses: Resilience) -> None:
        self.evaluation, self.throughput, self.losses = evaluation, throughput, losses
        self.judgement: Judgement | None = None

    @classmethod
    def of(cls, request: Request, design: Design) -> _Found:
        """Judge a design."""
        found = cls(evaluate(request, design), concurrent(request, design), resilience(request, design))
        found.judgement = request.judge(request, design) if request.judge else None
        return found


def _request(inventory: Inventory, directory: Path, profile: object) -> Request:
    """What the wiring was made for: it says itself which mode it has and what it leaves out."""
    said = {"mode": inventory.wiring.design.get("mode", "universal"), "without": tuple(inventory.wiring.left_out)}
    return Request.of(inventory.cluster, directory, profile, inventory.cluster.design.model_copy(update=said))


def _figures(inventory: Inventory, request: Request, found: _Found) -> Table:
    table = Table(title=f"Wiring of {inventory.cluster.cluster}, {request.profile}")
    table.add_column("figure")
    table.add_column("wiring", justify="right")
    table.add_column("bound", justify="right")
    for name, field, bound in ROWS:
        table.add_row(name, value_of(found.evaluation, field), value_of(found.evaluation, bound))
        if field == "throughput":
            table.add_row("throughput, best split", _rounded(found.throughput.t), _rounded(found.throughput.bound))
    return table


def _carried(throughput: Throughput) -> str:
    if not throughput.t:
        return "Some pairs that talk share no switch: their part of the traffic needs the uplink at any rate."
    carried = f"All nodes at once can send {_rounded(throughput.t)} times the profile's traffic, a link a node"
    if throughput.exact:
        return f"{carried}; this wiring allows no more."
    return (
        f"{carried}; this wiring allows {_rounded(throughput.limit)} at most. "
        "(Too large for the linear program that would tell.)"
    )


def _failures(inventory: Inventory, losses: Resilience) -> Table:
    table = Table(title="What one failure costs")
    table.add_column("failure", no_wrap=True)
    for heading in ("nodes cut off", "pairs lost", "traffic lost", "the rest carries"):
        table.add_column(heading, justify="right")
    for loss in losses.switches:
        table.add_row(*_cells(_name(inventory, loss), loss))
    worst, slowest = losses.worst(losses.cables), losses.slowest(losses.cables)
    if worst is not None:
        table.add_row(*_cells(f"worst NIC, {_name(inventory, worst)}", worst))
    if slowest is not None and slowest.throughput < (worst or slowest).throughput:
        table.add_row(*_cells(f"slowest NIC, {_name(inventory, slowest)}", slowest))
    return table


def _cells(name: str, loss: Loss) -> tuple[str, ...]:
    return name, str(loss.cut_off), str(loss.pairs), f"{loss.traffic:.2%}", f"{loss.throughput:.4f}"


def _name(inventory: Inventory, loss: Loss) -> str:
    switch = inventory.cluster.switch_names[loss.switch]
    if loss.node is None:
        return f"switch {switch}"
    return f"{inventory.cluster.node_names[loss.node]}-{switch}"


def _survives(losses: Resilience) -> str:
    """How many failures cost no pair its switch."""
    switches = sum(not loss.pairs for loss in losses.switches)
    cables = sum(not loss.pairs for loss in losses.cables)
    return (
        f"No pair is lost with {switches} of {len(losses.switches)} switches and with {cables} of {len(losses.cables)} "
        "NICs (a NIC fails as its cable does). Lost pairs still have the uplink, unless one of the two is cut off."
    )


def _spots(inventory: Inventory, judgement: Judgement) -> list[tuple[str, str, float]]:
    """Node, switch and mark of every problem spot, the worst first."""
    order = np.argsort(-judgement.spots, axis=None, kind="stable")[: int((judgement.spots > 0).sum())]
    rows, columns = np.unravel_index(order, judgement.spots.shape)
    nodes, switches = inventory.cluster.node_names, inventory.cluster.switch_names
    return [
        (nodes[row], switches[column], float(judgement.spots[row, column]))
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
    ]


def _marked(inventory: Inventory, name: str, judgement: Judgement) -> str:
    spots = _spots(inventory, judgement)
    if not spots:
        return f"{name} marks no problem spots."
    most = ", ".join(f"{node} on {switch} ({mark:g})" for node, switch, mark in spots[:_MOST_SPOTS])
    more = f" and {len(spots) - _MOST_SPOTS} more" if len(spots) > _MOST_SPOTS else ""
    return f"{name} marks these as problem spots: {most}{more}."


def _rounded(value: float) -> str:
    """A solver's figure: its last digits are noise, which cutting would turn into 2.99999999."""
    return text(round(value, 6))


def _report(inventory: Inventory, request: Request, found: _Found) -> dict[str, Any]:
    throughput, losses = found.throughput, found.losses
    report: dict[str, Any] = {
        "cluster": inventory.cluster.cluster,
        "profile": request.profile,
        "mode": request.mode,
        "evaluation": found.evaluation.report(),
        "throughput": {
            "best_split": round(throughput.t, 6),
            "limit": round(throughput.limit, 6),
            "bound": round(throughput.bound, 6),
            "exact": throughput.exact,
            "method": throughput.method,
        },
        "resilience": {
            "switches": [_loss(inventory, loss) for loss in losses.switches],
            "cables": [_loss(inventory, loss) for loss in losses.cables],
        },
    }
    if found.judgement is not None and request.judge is not None:
        spots = [{"node": node, "switch": to, "mark": mark} for node, to, mark in _spots(inventory, found.judgement)]
        report["judge"] = {"function": request.judge.name, "quality": found.judgement.quality, "spots": spots}
    return report


def _loss(inventory: Inventory, loss: Loss) -> dict[str, Any]:
    names = {"switch": inventory.cluster.switch_names[loss.switch]}
    if loss.node is not None:
        names["node"] = inventory.cluster.node_names[loss.node]
    figures = {key: value for key, value in asdict(loss).items() if key not in ("switch", "node")}
    return names | {key: figure(value) if isinstance(value, float) else value for key, value in figures.items()}
