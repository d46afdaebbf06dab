# SPDX-License-Identifier: Apache-2.0
"""`flathood moves`: what rewiring for other traffic is worth move by move, or the least moves to a given wiring."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from flathood.cabling.moves import Move
from flathood.cabling.picture import Nic
from flathood.cli import options as shared
from flathood.cli.percent import Percent
from flathood.design.engine import Budget
from flathood.design.folder import rules_with
from flathood.design.pictures import check_target
from flathood.design.profiles import SHAPES, from_text
from flathood.design.tradeoff import MEASURES
from flathood.inventory import CLUSTER, WIRING
from flathood.rewiring import Front, Least, Point, Wish, front, least, moves_between
from flathood.rewiring.people import sheet
from flathood.rewiring.plugged import load_old, plugged, taken_in, taken_out
from flathood.spec import Cluster, load_cluster
from flathood.wiring import load_wiring, save_wiring
from flathood.writing import locked

_PATH = click.Path(exists=True, path_type=Path)
_ROWS = 20  # of the front on a screen; --all and --json have the others
_NIC = re.compile(r"([a-z0-9-]+):(\d{1,2})")


@click.command("moves")
@click.argument("old", type=_PATH, default=".")
@click.argument("new", type=_PATH, required=False)
@click.option("--profile", help=f"Traffic to rewire for: {', '.join(SHAPES)}, or a file.  [default: cluster.yml's]")
@click.option("--measure", type=click.Choice(MEASURES), default="throughput", show_default=True, help="What is gained.")
@click.option("--within", type=click.IntRange(0), metavar="N", help="Take the best wiring within N moves.")
@click.option("--gain", type=Percent(), metavar="PERCENT", help="Take the wiring with so much of the gain.")
@click.option("--take-in", is_flag=True, help="Have OLD list the nodes that are new, with cables to be plugged.")
@click.option("--take-out", multiple=True, metavar="NODE", help="Write into --output how OLD is without NODE's cables.")
@click.option("--people", type=click.IntRange(1), metavar="N", help="Deal the moves out to N people, by racks.")
@click.option("--exact", is_flag=True, help="With NEW: its switches and slots are as they are written.")
@click.option("--without", multiple=True, metavar="NAME", help="A node or switch not to be used; may be given again.")
@click.option("--broken", multiple=True, metavar="NODE:SLOT", help="A NIC that is dead; may be given again.")
@shared.front
def moves(old: Path, new: Path | None, **given: Any) -> None:  # noqa: ANN401 - click hands the options over by name
    """Show what moving cables is worth, or the least moves from one wiring to another.

    OLD is a cluster's folder, or a wiring.yml in one. With NEW, a wiring.yml or a folder, too, the moves are the fewest
    from the one to the other: any switch may take the part of another if it is wide enough. Without NEW, for each
    number of moves the best wiring that was found; --within or --gain takes one and tells its moves.

    cluster.yml may have been changed since OLD: nodes and switches that are new are taken in with the fewest moves.
    """
    file = old / WIRING if old.is_dir() else old
    cluster = load_cluster(file.parent / CLUSTER)
    if given["picture"]:
        check_target(given["picture"])
    if given["take_out"]:
        if given["output"] is None:
            raise click.UsageError("--take-out needs --output: where is the wiring without them to go?")
        save_wiring(given["output"], taken_out(load_wiring(file, cluster), given["take_out"]))
        click.echo(f"{given['output']}: written; to go there: playbooks/rewire.yml -e wiring={given['output']}")
        return
    if new is not None:
        _between(cluster, file, new / WIRING if new.is_dir() else new, given)
        return
    without = (*cluster.design.without, *given["without"])
    wish = Wish(
        profile=from_text(given["profile"]) if given["profile"] else None,
        directory=file.parent,
        rules=rules_with(cluster, {"without": without}),
        broken=frozenset(_nics(cluster, given["broken"])),
        measure=given["measure"],
        budget=Budget(given["seed"], given["seconds"], given["rounds"]),
    )
    with Console(stderr=True).status("searching") as status:
        found = front(cluster, load_old(file), wish, lambda count: status.update(f"searching: {count} wirings"))
    _tell(cluster, found, given)
    if given["take_in"]:
        taken = _taken(found, given)
        if taken is None or given["output"] is None:
            raise click.UsageError("--take-in needs --output, and --within or --gain: what is it the first step of?")
        with locked(file):
            save_wiring(file, taken_in(cluster, load_old(file), taken.wiring))
        click.echo(
            f"{file}: written; it has the new nodes now. To plug their cables, and move others: "
            f"playbooks/rewire.yml -e wiring={given['output']}",
            err=True,
        )


def _nics(cluster: Cluster, texts: Sequence[str]) -> Iterator[Nic]:
    for text in texts:
        match = _NIC.fullmatch(text)
        if match is None:
            raise click.BadParameter(f"{text!r} is no NIC: write NODE:SLOT, such as k17:2", param_hint="--broken")
        if match[1] not in cluster.node_names or int(match[2]) >= cluster.nic_counts[match[1]]:
            raise click.BadParameter(f"there is no NIC {text} of a node", param_hint="--broken")
        yield Nic(match[1], int(match[2]))


def _between(cluster: Cluster, file: Path, target: Path, given: dict[str, Any]) -> None:
    """The least moves to a wiring that is given."""
    old = plugged(cluster, load_old(file))
    found = least(cluster, old, plugged(cluster, load_wiring(target, cluster)), exact=given["exact"])
    written = given["output"] is not None and save_wiring(given["output"], found.wiring)
    if given["as_json"]:
        click.echo(json.dumps({**_least(found), "written": written}, indent=2))
        return
    console = Console(highlight=False)
    _list(console, cluster, found.moves, given["people"])
    for part, real in found.parts.items():
        console.print(f"Switch {real} takes the part of {part}.", markup=False)
    proof = "proved the fewest" if found.proved else f"at least {found.bound} are needed"
    plural = "s" * (len(found.moves) != 1)
    console.print(f"{len(found.moves)} move{plural}, {proof}.", markup=False)
    _saved(console, given["output"])


def _least(found: Least) -> dict[str, Any]:
    return {
        "moves": [move.data() for move in found.moves],
        "least": found.bound,
        "proved": found.proved,
        "parts": found.parts,
        "wiring": found.wiring.model_dump(mode="json"),
    }


def _tell(cluster: Cluster, found: Front, given: dict[str, Any]) -> None:
    """The front, and the moves of the wiring that is taken from it."""
    taken = _taken(found, given)
    steps = moves_between(cluster, found.plugged, taken.wiring) if taken else []
    if given["output"] is not None:
        if taken is None:
            raise click.UsageError("--output needs --within or --gain: which wiring is it to be?")
        save_wiring(given["output"], taken.wiring)
    if given["picture"]:
        from flathood.design.stairs import Words, draw  # noqa: PLC0415 - takes longer than many a table

        words = Words(f"{cluster.cluster}, {found.profile}", "cable moves", found.measure)
        draw([point.moves for point in found.points], [point.value for point in found.points], words, given["picture"])
    if given["as_json"]:
        click.echo(json.dumps(_report(found, taken, steps), indent=2))
        return
    console = Console(highlight=False)
    console.print(_table(cluster, found, everything=given["everything"]))
    if first := found.points[0].moves:
        proved = "proved the fewest" if first == found.fewest else f"at least {found.fewest} by proof"
        console.print(f"What is plugged breaks a rule: {first} moves mend it, {proved}.", markup=False)
    console.print(_sentence(found), markup=False, soft_wrap=True)
    if taken is not None:
        _list(console, cluster, steps, given["people"])
    for path in (given["output"], given["picture"]):
        _saved(console, path)


def _taken(found: Front, given: dict[str, Any]) -> Point | None:
    if given["within"] is not None and given["gain"] is not None:
        raise click.UsageError("--within and --gain each take a wiring: give one of them")
    if given["within"] is not None:
        return found.within(given["within"])
    return None if given["gain"] is None else found.reaching(given["gain"])


def _table(cluster: Cluster, found: Front, *, everything: bool) -> Table:
    table = Table(title=f"Rewiring {cluster.cluster} for {found.profile}", box=SIMPLE_HEAD)
    for head in ("moves", "of the gain", "throughput", "shared by the profile", "quality"):
        table.add_column(head, justify="right")
    for point in found.points if everything else _told(found.points):
        figures = point.evaluation
        table.add_row(
            str(point.moves),
            f"{point.gain:.0%}",
            f"{figures.throughput:.3f}",
            f"{figures.profile_mean:.3f}",
            f"{figures.quality:.4f}",
        )
    return table


def _told(points: Sequence[Point]) -> list[Point]:
    """The points that a screen has room for: the first, the last, and those between with the highest steps."""
    if len(points) <= _ROWS:
        return list(points)
    rise = {k: points[k].value - points[k - 1].value for k in range(1, len(points) - 1)}
    steepest = sorted(rise, key=lambda k: (-rise[k], k))[: _ROWS - 2]
    return [points[k] for k in sorted({0, len(points) - 1, *steepest})]


def _sentence(found: Front) -> str:
    last = found.reaching(1.0)
    if last.moves == found.points[0].moves:
        return f"No wiring was found that is better: {'no more' if last.moves else 'nothing'} need be moved."
    shares: list[str] = []
    for share in (0.5, 0.8):
        point = found.reaching(share)
        text = f"{point.moves} move{'s give' if point.moves != 1 else ' gives'} {point.gain:.0%} of the gain"
        if point.moves < last.moves and text not in shares:
            shares.append(text)
    return f"{', '.join([*shares, f'{last.moves} all'] if shares else [f'{last.moves} moves give all'])}."


def _report(found: Front, taken: Point | None, steps: Sequence[Move]) -> dict[str, Any]:
    points = [
        {"moves": point.moves, "value": point.value, "gain": point.gain, **point.evaluation.report()}
        for point in found.points
    ]
    report: dict[str, Any] = {
        "profile": found.profile,
        "measure": found.measure,
        "fewest": found.fewest,
        "points": points,
        "taken": None,
    }
    if taken is not None:
        wiring = taken.wiring.model_dump(mode="json")
        report["taken"] = {"moves": [move.data() for move in steps], "gain": taken.gain, "wiring": wiring}
    return report


def _list(console: Console, cluster: Cluster, steps: Sequence[Move], people: int | None) -> None:
    """The moves one after the other, each into a free port; or dealt out to people."""
    if people is None:
        lines = [f"{number:4}. {move.sentence()}" for number, move in enumerate(steps, start=1)]
    else:
        lines = list(sheet(cluster, [replace(move, first=False) for move in steps], people))
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)


def _saved(console: Console, path: Path | None) -> None:
    if path is not None:
        console.print(f"{path}: written", markup=False, soft_wrap=True)
