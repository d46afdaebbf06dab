# SPDX-License-Identifier: Apache-2.0
"""`flathood discover`: power-on discovery by its playbook, or decided again from a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TypedDict, Unpack

import click
from rich.console import Console
from rich.table import Table

from flathood.discovery.folder import Folder
from flathood.discovery.replay import Replayed, replay
from flathood.inventory import MACS
from flathood.lab import Lab
from flathood.lab.state import labs
from flathood.playbook import command, environment
from flathood.registry import save_registry
from flathood.writing import locked

POWER = ("hand", "lab", "ipmi", "redfish")
#: Exit code when machines are left that are not completely known, as of `flathood validate`.
_INCOMPLETE = 3
#: Lines of a log that are read: a journal ends at 64 MiB by itself.
_MOST_LINES = 1_000_000


class _How(TypedDict):
    """How a live run goes; each is the playbook's variable of that name with ``discover_`` before it."""

    power: str
    nodes: tuple[str, ...]
    timeout: int


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--precheck", is_flag=True, help="Only look whether discovery can begin; nothing is changed.")
@click.option("--power", type=click.Choice(POWER), default=POWER[0], show_default=True, help="Who powers the machines.")
@click.option(
    "--node", "nodes", multiple=True, metavar="NAME", help="Only this machine, also when it is known already."
)
@click.option("--timeout", default=300, show_default=True, help="Seconds that a machine gets to show all its NICs.")
@click.option(
    "--replay",
    "log",
    metavar="LOGFILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Decide a journal again, without any machine, and write what follows.",
)
@click.option("--dry-run", is_flag=True, help="With --replay: write nothing.")
def discover(directory: Path, precheck: bool, log: Path | None, dry_run: bool, **how: Unpack[_How]) -> None:
    """Find out which MACs are in which machine of the cluster in DIRECTORY, by powering one after another.

    Run it on the head (in a lab it goes there by itself) with the machines off. A run that was broken off goes on where
    it was. Exit code 0: all are known, otherwise something is left to do.
    """
    if log is not None:
        _replay(directory, log, dry_run)
        return
    folder = Folder.load(directory)
    folder.work.to_do(folder.registry, how["nodes"])
    variables = {f"discover_{key}": value for key, value in how.items()}
    tags = ["--tags", "precheck"] if precheck else []
    argv = command("discover", directory.resolve() / "cluster.yml", *tags, **variables)
    name = folder.cluster.cluster
    lab = Lab.open(name) if name in labs() else None
    head = lab if lab and lab.is_up else None
    argv = head.at_head(argv) if head else argv
    os.execvpe(argv[0], argv, environment(head))  # noqa: S606 - no shell wanted


def _replay(directory: Path, log: Path, dry_run: bool) -> None:
    """Decide every turn of a log, show what came of each, and write macs.yml."""
    folder = Folder.load(directory)
    target = directory / MACS
    if dry_run:
        done = _decide(folder, log)
        click.echo(f"{target}: {'would change' if done.registry != folder.registry else 'unchanged'}")
    else:
        with locked(target):
            done = _decide(Folder.load(directory), log)
            click.echo(f"{target}: {'written' if save_registry(target, done.registry) else 'unchanged'}")
    _show(done)
    if not done.findings or any(finding.outcome != "complete" for finding in done.session.findings.values()):
        sys.exit(_INCOMPLETE)


def _decide(folder: Folder, log: Path) -> Replayed:
    with log.open("rb") as stream:
        return replay(islice(_lines(stream), _MOST_LINES), folder.work, folder.registry, folder.names)


def _lines(stream: Iterable[bytes]) -> Iterable[bytes]:
    return (line.rstrip(b"\r\n") for line in stream)


def _show(done: Replayed) -> None:
    console = Console()
    table = Table("machine", "outcome", "NICs placed", "proved")
    for finding in done.findings:
        proved = sum(placed.verified for placed in finding.placed)
        table.add_row(finding.node, finding.outcome.value, str(len(finding.placed)), str(proved))
    if done.findings:
        console.print(table)
    else:
        console.print("the log has no turn of any machine of this cluster")
    for finding in done.findings:
        for sentence in finding.sentences:
            console.print(sentence, markup=False, highlight=False)
    if done.session.unreadable:
        console.print(f"{done.session.unreadable} lines of the log could not be read and were left", highlight=False)
    if done.session.window is not None:
        console.print(f"{done.session.window.node}: its turn was broken off", markup=False, highlight=False)
