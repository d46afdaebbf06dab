# SPDX-License-Identifier: Apache-2.0
"""`flathood design`: make a cluster's wiring.yml, and say how good it is and what is proved."""

from __future__ import annotations

import difflib
import json
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import click
from rich.console import Console
from rich.table import Table

from flathood.cli.figures import ROWS, value_of
from flathood.design.designer import Found, Progress
from flathood.design.engine import Budget
from flathood.design.engines import AUTO, ENGINES
from flathood.design.folder import Options, Outcome, design_folder
from flathood.design.profiles import SHAPES, from_text
from flathood.inventory import WIRING
from flathood.spec.rules import Mode
from flathood.writing import locked

_MOST_LINES = 40  # of a difference on a screen; --json has all of it


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option(
    "--profile", help=f"Design for other traffic than cluster.yml's: {', '.join(SHAPES)}, a file or function."
)
@click.option(
    "--mode",
    type=click.Choice(get_args(Mode)),
    help="Pairs that must share a switch: all, as many as can be, those of the profile.  [default: cluster.yml's]",
)
@click.option("--keep", multiple=True, metavar="NODE:SWITCH", help="A cable that must stay; may be given again.")
@click.option("--without", multiple=True, metavar="NAME", help="A node or switch not to be used; may be given again.")
@click.option("--engine", type=click.Choice([AUTO, *ENGINES]), default=AUTO, show_default=True, help="Who searches.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed, the same wiring.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Processes that search.")
@click.option("--rounds", type=int, help="How long, in rounds of the engine.  [default: the engine's own]")
@click.option("--seconds", type=float, help="How long, in seconds.")
@click.option("--force", is_flag=True, help="Replace the wiring that is there even by one that is no better.")
@click.option("--dry-run", is_flag=True, help="Show what would change and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def design(folder: Path, **given: Any) -> None:  # noqa: ANN401 - click hands the options over by name
    """Design the wiring of the cluster in FOLDER (default: this one) and write its wiring.yml.

    A wiring that is there and as good stays. Ctrl-C ends the search with the best wiring so far. --mode, --keep and
    --without take the place of what `design` in cluster.yml says.
    """
    options = Options(
        profile=from_text(given["profile"]) if given["profile"] else None,
        mode=given["mode"],
        keep=_cables(given["keep"]),
        without=given["without"] or None,
        budget=Budget(given["seed"], given["seconds"], given["rounds"], given["jobs"]),
        engine=given["engine"],
        force=given["force"],
    )
    target = folder / WIRING
    errors = Console(stderr=True)
    with nullcontext() if given["dry_run"] else locked(target):
        with errors.status("designing") as status:
            outcome = design_folder(folder, options, lambda progress: status.update(_line(progress)))
        if not given["dry_run"]:
            outcome.save()
    if given["as_json"]:
        click.echo(json.dumps(report(outcome, written=outcome.changed and not given["dry_run"]), indent=2))
        return
    _show(outcome, target, dry_run=given["dry_run"])


def report(outcome: Outcome, *, written: bool) -> dict[str, Any]:
    """An outcome as plain data."""
    found = outcome.found
    return {
        "cluster": outcome.wiring.cluster,
        "changed": outcome.changed,
        "written": written,
        "verdict": outcome.verdict(),
        "interrupted": outcome.interrupted,
        "cables": {"plug": outcome.cables[0], "unplug": outcome.cables[1]},
        "evaluation": outcome.evaluation.report(),
        "given": outcome.given.report() if outcome.given else None,
        "found": found.best.evaluation.report() if found else None,
        "engines": [asdict(turn) for turn in found.turns] if found else [],
        "wiring": outcome.wiring.model_dump(mode="json", exclude={"ports", "idle"}),
    }


def _cables(texts: tuple[str, ...]) -> dict[str, list[str]] | None:
    """Kept cables as cluster.yml has them."""
    cables: dict[str, list[str]] = {}
    for text in texts:
        node, colon, switch = text.partition(":")
        if not colon:
            raise click.BadParameter(f"{text!r} is no cable: write NODE:SWITCH", param_hint="--keep")
        cables.setdefault(node, []).append(switch)
    return cables or None


def _line(progress: Progress) -> str:
    left = f", {progress.missing} pairs not covered yet" if progress.missing else ""
    return f"designing: {progress.engine}{left}; best quality {progress.best:.4f}; {progress.seconds:.0f} s"


def _show(outcome: Outcome, target: Path, *, dry_run: bool) -> None:
    console = Console()
    if outcome.unfit:
        console.print(f"The {target.name} that is there does not fit cluster.yml:", style="yellow")
        console.print(str(outcome.unfit), markup=False, highlight=False, soft_wrap=True)
    console.print(_table(outcome))
    if outcome.interrupted:
        console.print("Interrupted: this is the best that was found until then.", style="yellow")
    if outcome.found:
        console.print(_turns(outcome.found), soft_wrap=True)
    console.print(outcome.verdict(), soft_wrap=True)
    if outcome.changed:
        if outcome.given:
            plug, unplug = outcome.cables
            console.print(f"Cables to plug: {plug}; to unplug: {unplug}.")
        _difference(console, outcome, target)
    state = ("would be written" if dry_run else "written") if outcome.changed else "unchanged"
    console.print(f"{target}: {state}", markup=False, highlight=False, soft_wrap=True)


def _table(outcome: Outcome) -> Table:
    table = Table(title=f"Wiring of {outcome.wiring.cluster}")
    table.add_column("figure")
    table.add_column("wiring", justify="right")
    before = outcome.given if outcome.changed else None
    if before:
        table.add_column("before", justify="right")
    table.add_column("bound", justify="right")
    for name, key, bound in ROWS:
        row = [name, value_of(outcome.evaluation, key)]
        row += [value_of(before, key)] if before else []
        table.add_row(*row, value_of(outcome.evaluation, bound))
    return table


def _turns(found: Found) -> str:
    """Which engines ran, and which of them won."""
    ran = []
    for turn in found.turns:
        gave = "nothing" if turn.missing is None else f"{turn.missing} pairs left" if turn.missing else None
        ran.append(f"{turn.engine} ({gave or f'quality {turn.quality:.4f}'}, {turn.seconds:.1f} s)")
    proof = f" Proved {found.proof.kind}: {found.proof.because} ({found.proof.theorem})." if found.proof else ""
    return f"Engines: {', '.join(ran)}; the best is by {found.best.engine}.{proof}"


def _difference(console: Console, outcome: Outcome, target: Path) -> None:
    name = target.name
    lines = list(
        difflib.unified_diff(
            outcome.before.splitlines(),
            outcome.after.splitlines(),
            f"{name} (before)",
            f"{name} (after)",
            "",
            "",
            0,
            "",
        )
    )
    for line in lines[:_MOST_LINES]:
        style = {"+": "green", "-": "red"}.get(line[:1])
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    if len(lines) > _MOST_LINES:
        console.print(f"… {len(lines) - _MOST_LINES} more lines")
