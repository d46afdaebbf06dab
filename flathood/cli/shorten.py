# SPDX-License-Identifier: Apache-2.0
"""`flathood shorten`: bandwidth against metres of cable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from pydantic import JsonValue
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from flathood.cabling.lengths import metres
from flathood.cli import options as shared
from flathood.cli.percent import Percent
from flathood.design.designer import search
from flathood.design.engine import Budget
from flathood.design.objective import Evaluation, evaluate, shared_switches
from flathood.design.pictures import check_target
from flathood.design.profiles import SHAPES, from_text
from flathood.design.request import Design, Request, design_of
from flathood.design.shorter import Metres, by_length, length_front, total
from flathood.design.tradeoff import MEASURES, Spot
from flathood.errors import FlathoodError
from flathood.inventory import CLUSTER, WIRING
from flathood.rewiring.least import distance, nearest_slots
from flathood.rewiring.plugged import load_old, plugged
from flathood.spec import Cluster, load_cluster
from flathood.wiring import Wiring, save_wiring

_ROWS = 20  # on a screen; --all and --json have the others


@dataclass(frozen=True)
class _Row:
    """One design of the front with what is said of it; `moves` from what is plugged, None: nothing is."""

    spot: Spot
    evaluation: Evaluation
    share: float
    moves: int | None
    bought: dict[float, int]

    def report(self) -> dict[str, Any]:
        """The row as plain data."""
        return {
            "metres": self.spot.cost,
            "worth": self.share,
            "moves": self.moves,
            "cables": {f"{length:g}": count for length, count in self.bought.items()},
            **self.evaluation.report(),
        }


@click.command("shorten")
@click.argument("folder", metavar="[DIR]", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option("--profile", help=f"Other traffic than cluster.yml's: {', '.join(SHAPES)}, or a file.")
@click.option("--measure", type=click.Choice(MEASURES), default="quality", show_default=True, help="What is kept up.")
@click.option("--within", type=click.FloatRange(0, min_open=True), metavar="METRES", help="Take the best within these.")
@click.option("--worth", type=Percent(), metavar="PERCENT", help="Take the shortest with so much of the best's worth.")
@shared.front
def shorten(folder: Path, **given: Any) -> None:  # noqa: ANN401 - click hands the options over by name
    """Show what shorter cables cost in bandwidth for the cluster in DIR, whose cluster.yml says where racks stand.

    Every NIC keeps a cable, and every pair that must share a switch does. The longest wiring of the list is as good as
    the best known; --within or --worth takes one.
    """
    if given["within"] is not None and given["worth"] is not None:
        raise click.UsageError("--within and --worth each take a wiring: give one of them")
    if given["output"] is not None and given["within"] is None and given["worth"] is None:
        raise click.UsageError("--output needs --within or --worth: which wiring is it to be?")
    if given["picture"]:
        check_target(given["picture"])
    asked = _Asked.of(folder, from_text(given["profile"]) if given["profile"] else None)
    budget = Budget(given["seed"], given["seconds"], given["rounds"])
    front = length_front(asked.request, asked.lengths, given["measure"])
    with Console(stderr=True).status("searching") as status:
        start = asked.start(budget)
        spots = by_length(
            front, asked.lengths, start, budget, lambda count: status.update(f"searching: {count} wirings")
        )
    rows = [asked.row(spot, spots[-1]) for spot in spots]
    taken = _taken(rows, given)
    if taken is not None and given["output"] is not None:
        save_wiring(given["output"], asked.wiring(taken, budget))
    if given["picture"]:
        from flathood.design.stairs import Words, draw  # noqa: PLC0415 - takes longer than many a table

        title = f"{asked.cluster.cluster}, {asked.request.profile}"
        words = Words(title, "metres of cable", f"{given['measure']}, part of the best")
        draw([row.spot.cost for row in rows], [row.share for row in rows], words, given["picture"])
    if given["as_json"]:
        report = {"profile": asked.request.profile, "measure": given["measure"], "plugged": asked.plugged_metres}
        report |= {"points": [row.report() for row in rows], "taken": None if taken is None else taken.report()}
        click.echo(json.dumps(report, indent=2))
        return
    _show(asked, rows, taken, given)


@dataclass(frozen=True)
class _Asked:
    """The cluster, what its wirings are made of, the length of each possible cable, and what is plugged."""

    cluster: Cluster
    request: Request
    lengths: Metres
    there: Wiring | None

    @classmethod
    def of(cls, folder: Path, profile: object) -> _Asked:
        """Load a folder."""
        cluster = load_cluster(folder / CLUSTER)
        lengths = metres(cluster)
        if lengths is None:
            raise FlathoodError(
                f"{folder / CLUSTER}: not known where all nodes and switches stand: give `racks`, and a `rack` to each "
                "group of nodes and to each switch"
            )
        there = plugged(cluster, load_old(folder / WIRING)) if (folder / WIRING).exists() else None
        return cls(cluster, Request.of(cluster, folder, profile), lengths, there)

    @property
    def old(self) -> Design | None:
        """What is plugged, as a design."""
        return None if self.there is None else design_of(self.there, self.cluster)

    @property
    def plugged_metres(self) -> float | None:
        """The length of what is plugged."""
        return None if self.old is None else total(self.lengths, self.old)

    def start(self, budget: Budget) -> Design:
        """What is plugged, where it keeps the rules; else what the designer finds."""
        old, request = self.old, self.request
        if old is not None and request.fits(old) and not (request.required & (shared_switches(old) == 0)).any():
            return old
        return search(request, budget).best.design

    def row(self, spot: Spot, best: Spot) -> _Row:
        """What is said of one design."""
        bought = Counter(self.cluster.cabling.stock(float(length)) for length in self.lengths[spot.design])
        return _Row(
            spot=spot,
            evaluation=evaluate(self.request, spot.design),
            share=spot.worth[0] / best.worth[0] if best.worth[0] else 1.0,
            moves=None if self.old is None else distance(self.old, spot.design),
            bought=dict(sorted(bought.items())),
        )

    def wiring(self, row: _Row, budget: Budget) -> Wiring:
        """A row's design as a wiring; what stays of what is plugged keeps its slot and port."""
        block: dict[str, JsonValue] = {"mode": self.request.mode, "profile": self.request.profile}
        block |= {"engine": "shorter cables", "seed": budget.seed, "metres": row.spot.cost}
        block |= {"without": list(self.cluster.design.without)} if self.cluster.design.without else {}
        bare = Wiring(cluster=self.cluster.cluster, nodes={})
        like = bare.model_copy(update={"design": {**block, **row.evaluation.report()}})
        return nearest_slots(self.cluster, self.there or plugged(self.cluster, bare), row.spot.design, like)


def _taken(rows: Sequence[_Row], given: dict[str, Any]) -> _Row | None:
    if given["within"] is not None:
        within = [row for row in rows if row.spot.cost <= given["within"]]
        if not within:
            raise FlathoodError(f"the shortest wiring that was found has {rows[0].spot.cost:g} m of cable")
        return within[-1]
    if given["worth"] is not None:
        return next(row for row in rows if row.share >= given["worth"] - 1e-9)
    return None


def _show(asked: _Asked, rows: Sequence[_Row], taken: _Row | None, given: dict[str, Any]) -> None:
    console = Console(highlight=False)
    table = Table(title=f"Cables of {asked.cluster.cluster}, {asked.request.profile}", box=SIMPLE_HEAD)
    moves = asked.there is not None
    heads = ("metres", "of the worth", "throughput", "shared by the profile", "quality", *(["moves"] if moves else []))
    for head in heads:
        table.add_column(head, justify="right")
    picked = np.unique(np.linspace(0, len(rows) - 1, _ROWS).astype(int))
    for row in rows if given["everything"] else [rows[k] for k in picked]:
        figures = row.evaluation
        cells = [f"{row.spot.cost:.1f}", f"{row.share:.1%}", f"{figures.throughput:.3f}", f"{figures.profile_mean:.3f}"]
        table.add_row(*cells, f"{figures.quality:.4f}", *([str(row.moves)] if moves else []))
    console.print(table)
    if asked.plugged_metres is not None:
        console.print(f"What is plugged has {asked.plugged_metres:g} m of cable.", markup=False)
    if taken is not None:
        bought = ", ".join(f"{count} of {length:g} m" for length, count in taken.bought.items())
        console.print(f"Taken: {taken.spot.cost:g} m in all. Cables to have: {bought}.", markup=False, soft_wrap=True)
    for path in (given["output"], given["picture"]):
        if path is not None:
            console.print(f"{path}: written", markup=False, soft_wrap=True)
