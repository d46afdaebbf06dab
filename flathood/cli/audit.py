# SPDX-License-Identifier: Apache-2.0
"""`flathood audit`: the cabling that was found, held against the plan."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flathood import inventory
from flathood.cabling.adopt import Adoption
from flathood.cabling.audit import Report, adopted, adoption, audit
from flathood.cabling.evidence import Evidence, load_evidence
from flathood.cabling.moves import Move
from flathood.cabling.slots import write
from flathood.cli import options as shared
from flathood.errors import FlathoodError, InvalidInput, Problem
from flathood.inventory import WIRING, Inventory
from flathood.spec.known import several
from flathood.wiring import save_wiring
from flathood.writing import locked


@click.command("audit")
@shared.directory
@click.option(
    "--evidence",
    "files",
    multiple=True,
    required=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Evidence of the cabling (JSON); may be given more than once: all of it is put together.",
)
@click.option("--adopt", "take", is_flag=True, help="Write the valid wiring nearest to what was found to wiring.yml.")
@click.option("--macs", "learn", is_flag=True, help="Write the slots that the evidence tells to macs.yml first.")
@click.option("--json", "as_json", is_flag=True, help="Print all of the report as JSON.")
def audit_(directory: Path, files: tuple[Path, ...], take: bool, learn: bool, as_json: bool) -> None:
    """Hold the cabling that was found against the plan of the cluster in DIR, and say what to move.

    Exit code 0: as planned, 1: something differs, 2: nothing could be judged, 3: as planned as far as is known. With
    --adopt 0: the wiring is adopted and no cable has to be moved for it, 1: it is adopted and some have to.
    """
    try:
        evidence = _load(files)
        loaded = inventory.load(directory, need_macs=not learn)
        learnt = None
        if learn:
            loaded, learnt, _ = write(loaded, evidence)
        report = audit(loaded, evidence)
        nearest = adoption(loaded, report) if take or (report.findings and not report.open_nodes) else None
    except FlathoodError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    written = False
    if take and nearest is not None:
        with locked(directory / WIRING):
            written = _write(loaded, nearest)
    if as_json:
        learning = {"learnt": learnt.data()} if learnt else {}
        click.echo(json.dumps({**report.data(), **learning, "adopt": _data(nearest, take, written)}, indent=1))
    else:
        for line in (learnt, *learnt.notes) if learnt else ():
            click.echo(str(line))
        _print(Console(highlight=False, soft_wrap=True), report, nearest)
        if take:
            click.echo(f"{directory / WIRING}: {'written' if written else 'unchanged'}")
    sys.exit(report.exit_code if not take or nearest is None else min(1, len(nearest.moves)))


def _load(files: tuple[Path, ...]) -> dict[str, Evidence]:
    """All files; raises InvalidInput with the problems of all of them at once."""
    found: dict[str, Evidence] = {}
    problems: list[Problem] = []
    for file in files:
        try:
            found[str(file)] = load_evidence(file)
        except InvalidInput as error:
            problems += error.problems
    if problems:
        raise InvalidInput(problems)
    return found


def _write(loaded: Inventory, nearest: Adoption) -> bool:
    """Write wiring.yml unless it has these slots already; it keeps its `design` part where nothing changes."""
    if nearest.rows == loaded.wiring.nodes:
        return False
    return save_wiring(loaded.directory / WIRING, adopted(loaded.cluster, loaded.wiring, nearest))


def _data(nearest: Adoption | None, taken: bool, written: bool) -> dict[str, object] | None:
    if nearest is None:
        return None
    return {
        "valid_as_found": not nearest.moves,
        "moves": [move.data() for move in nearest.moves],
        "least": nearest.proved,
        "at_least": nearest.bound,
        "adopted": taken,
        "written": written,
    }


def _print(console: Console, report: Report, nearest: Adoption | None) -> None:
    kinds = several(report.picture.kinds) or "nothing"
    total = report.judged + len(report.unjudged)
    console.print(f"{report.cluster}: {report.judged:,} of {total:,} cables judged by {kinds}")
    for finding in report.findings:
        console.print(f"  {escape(str(finding))}")
        if finding.alternatives:
            console.print(f"    this evidence cannot rule out: {escape('; '.join(finding.alternatives))}", style="dim")
    _list(console, "The evidence disagrees", report.disagreements)
    _list(console, "Mind", [*report.warnings, *report.picture.notes])
    if report.unjudged:
        names = several([str(nic) for nic in report.unjudged], shown=12)
        console.print(f"\nPartial: of {len(report.unjudged):,} cables the evidence says nothing certain: {names}")
    if report.findings:
        _costs(console, report, nearest)
    verdict = {0: "as planned", 1: "NOT as planned", 2: "nothing was judged", 3: "as planned, as far as is known"}
    console.print(f"\n{verdict[report.exit_code]}", style="bold")


def _costs(console: Console, report: Report, nearest: Adoption | None) -> None:
    """What it takes to restore the plan and what it takes to adopt what was found, side by side; then the moves."""
    now, (worst, least) = report.now, report.meanwhile
    pairs = f" (such as {several(f'{a} with {b}' for a, b in now.examples)})" if now.examples else ""
    console.print(
        f"\nNow {now.uncovered:,} pairs share no switch{pairs}; bandwidth is {now.bandwidth:.1%} of the plan's."
    )
    table = Table(box=None, pad_edge=False)
    for column in ("", "cables to move", "to repair", "meanwhile uncovered", "bandwidth"):
        table.add_column(column, justify="right" if column else "left", no_wrap=True)
    cost = f"{len(report.moves)} (least)"
    repairs = str(len(report.repairs) + sum(finding.kind == "dark-switch" for finding in report.findings))
    table.add_row("restore the plan", cost, repairs, f"{worst:,} pairs", f"{least:.1%}")
    if nearest is not None:
        count = len(nearest.moves)
        proof = "least" if nearest.proved else f"at least {nearest.bound}"
        table.add_row("adopt what was found", f"{count} ({proof})", "-", "", "")
    else:
        table.add_row("adopt what was found", "-", "-", "", "")
    console.print(table)
    if nearest is None:
        console.print("What was found cannot be adopted: the evidence is partial.")
    elif report.unlit:
        console.print("Adopting takes the cables of switches without power to be where they are planned.")
    _moves(console, "Moves that restore the plan", report.moves)
    if nearest is not None and nearest.moves:
        _moves(console, "Moves that make the wiring as found valid", nearest.moves)


def _moves(console: Console, title: str, moves: tuple[Move, ...]) -> None:
    _list(console, title, [move.sentence() for move in moves])


def _list(console: Console, title: str, lines: tuple[str, ...] | list[str]) -> None:
    if lines:
        console.print(f"\n{title}:")
    for line in lines:
        console.print(f"  {escape(line)}")
