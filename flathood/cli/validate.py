# SPDX-License-Identifier: Apache-2.0
"""`flathood validate`: list the checks, or run them over real traffic and show the report."""

from __future__ import annotations

import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from flathood.checks.catalogue import Catalogue
from flathood.checks.evidence import IN_LAB
from flathood.checks.report.terminal import print_catalogue, print_report
from flathood.checks.results import Exit, Report
from flathood.cli import options as shared
from flathood.errors import Conflict
from flathood.following import follow
from flathood.lab import Lab
from flathood.lab.state import labs
from flathood.plan import Plan, load_plan
from flathood.playbook import CHECKOUT, command, start

#: Lines of Ansible's output that are shown when it wrote no report.
_TAIL = 20


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--list", "listing", is_flag=True, help="Print the checks and their number; nothing is run.")
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Only this machine; may be given more than once.")
@click.option("--tags", default="", help="Only these parts: state, traffic, mpi.")
@click.option("--json", "as_json", is_flag=True, help="Print the report (or the list's counts) as JSON.")
@shared.routing
def validate(
    directory: Path,
    listing: bool,
    nodes: tuple[str, ...],
    **given: Any,  # noqa: ANN401 - click hands the options over by name
) -> None:
    """Prove that the cluster in DIRECTORY works as planned.

    Exit codes: 0 everything passed, 1 a check failed, 2 nothing was checked, 3 warnings, or checks that could not be
    run. In the lab of this cluster it runs on the lab's head by itself.
    """
    plan, as_json = load_plan(directory, given["routing"]), given["as_json"]
    unknown = sorted(set(nodes) - {*plan.names, plan.head})
    if unknown:
        raise click.BadParameter(f"{', '.join(unknown)}: no such machine in {directory}", param_hint="--node")
    if listing:
        _list(plan, nodes, as_json)
        return
    _enter_lab(plan)
    output = CHECKOUT / "build" / plan.cluster.cluster / "validate"
    with _alone(output):
        report = _run(directory, output, _arguments(plan, output, nodes, given["tags"]), quiet=as_json)
    if as_json:
        click.echo(report.model_dump_json(indent=1))
    else:
        print_report(report, Console(), output / "report.html")
    sys.exit(report.exit)


def _list(plan: Plan, nodes: tuple[str, ...], as_json: bool) -> None:
    catalogue = Catalogue.of(plan)
    if as_json:
        scope = nodes or catalogue.scope
        counts = {host: dict(catalogue.counts(host)) for host in scope}
        click.echo(json.dumps({"cluster": plan.cluster.cluster, "machines": counts}, indent=1))
        return
    for host in nodes or (None,):
        print_catalogue(catalogue, Console(), host)


def _enter_lab(plan: Plan) -> None:
    """Go on at the head of this cluster's lab, if it is up: its nodes are reached from nowhere else."""
    name = plan.cluster.cluster
    if os.environ.get(IN_LAB) == name or name not in labs():
        return
    lab = Lab.open(name)
    if lab.is_up:
        argv = lab.at_head([sys.executable, "-m", "flathood", *sys.argv[1:]])
        os.execvpe(argv[0], argv, os.environ | lab.environment | {"PYTHONPATH": str(CHECKOUT)})  # noqa: S606 - no shell


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """One validation of a cluster at a time: two would take each other's traffic for a fault."""
    output.mkdir(parents=True, exist_ok=True)
    with (output / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Conflict(f"another validation is running (it holds {lock.name})") from None
        yield


def _arguments(plan: Plan, output: Path, nodes: tuple[str, ...], tags: str) -> list[str]:
    """What the playbook is told beside the inventory."""
    variables = json.dumps({"validate_directory": str(output), "routing": plan.routing})
    limit = ["--limit", ",".join(nodes)] if nodes else []
    return ["-e", variables, *limit, *(["--tags", tags] if tags else [])]


def _run(directory: Path, output: Path, arguments: list[str], quiet: bool) -> Report:
    """Run the playbook with progress on stderr; its report, or an error with the end of what Ansible said."""
    (output / "report.json").unlink(missing_ok=True)
    lines: list[str] = []
    with start(command("validate", directory.resolve() / "cluster.yml", *arguments)) as ansible:
        if ansible.stdout:
            lines = follow(ansible.stdout, quiet=quiet)
    (output / "ansible.log").write_text("".join(lines), encoding="utf-8")
    try:
        return Report.model_validate_json((output / "report.json").read_bytes())
    except FileNotFoundError:
        click.echo("".join(lines[-_TAIL:]), err=True)
        click.echo(
            f"Nothing was checked: Ansible wrote no report. All that it said is in {output / 'ansible.log'}", err=True
        )
        sys.exit(Exit.NOTHING_RAN)
