# SPDX-License-Identifier: Apache-2.0
"""`flathood check`: the offline proof."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from flathood import inventory
from flathood.cli import options as shared
from flathood.errors import FlathoodError
from flathood.plan import load_plan
from flathood.plan.proof import Compiled, Finding, OnDisk, Report, prove
from flathood.plan.proof.findings import KINDS
from flathood.spec.model import Routing

_SHOWN = 20


@click.command()
@shared.directory
@click.option(
    "--bundle",
    metavar="BUNDLE",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Prove the files in a bundle, in place of what the compiler makes now.",
)
@click.option("--json", "as_json", is_flag=True, help="Print all of the report as JSON.")
@shared.routing
@shared.views
def check(directory: Path, bundle: Path | None, as_json: bool, routing: Routing | None, **options: str | int) -> None:
    """Prove, without any machine, that the compiled files of the cluster in DIR do what the design says.

    Exit code 0: all proved, 1: something is wrong, 2: nothing could be proved, 3: proved, with warnings.
    """
    try:
        report = _of_bundle(directory, bundle) if bundle else _of_plan(directory, routing, options)
    except FlathoodError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    if as_json:
        click.echo(json.dumps(report.data(), indent=1))
    else:
        _print(report)
    sys.exit(report.exit_code)


def _of_plan(directory: Path, routing: Routing | None, given: dict[str, str | int]) -> Report:
    plan, options = load_plan(directory, routing), shared.options_of(given)
    return prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, options), options)


def _of_bundle(directory: Path, bundle: Path) -> Report:
    loaded, source = inventory.load(directory, need_macs=True), OnDisk(bundle)
    cluster = loaded.cluster.model_copy(update={"routing": source.routing})
    if source.cluster != cluster.cluster:
        raise FlathoodError(f"{bundle}: is a bundle of {source.cluster}, not of {cluster.cluster}")
    report = prove(cluster, loaded.wiring, loaded.registry, source, source.options)
    known = {*cluster.node_names, *cluster.spare_names, cluster.head.name}
    for host in sorted(set(source.hosts()) - known):
        message = f"{bundle / host} is of no machine of {cluster.cluster}"
        report.warnings.append(Finding(host, "files", "", "", "", message, "is the bundle an old one?"))
    return report


def _print(report: Report) -> None:
    console = Console(highlight=False, soft_wrap=True)
    table = Table(box=None, pad_edge=False)
    table.add_column("proved", justify="right")
    table.add_column("failed", justify="right")
    table.add_column("of these", overflow="fold")
    for kind, what in KINDS.items():
        proved, failed = report.proved[kind], report.failed[kind]
        if proved or failed:
            style = "bold red" if failed else ""
            table.add_row(f"{proved:,}", f"{failed:,}", escape(what), style=style)
    Console(highlight=False).print(table)
    for title, findings in (("failure", report.failures), ("warning", report.warnings)):
        if findings:
            console.print(f"\n{len(findings):,} {title}{'s' if len(findings) > 1 else ''}:", style="bold")
        for finding in sorted(findings)[:_SHOWN]:
            console.print(f"  {escape(str(finding))}")
        if len(findings) > _SHOWN:
            console.print(f"  … and {len(findings) - _SHOWN:,} more (all with --json)")
    total = sum(report.proved.values())
    verdict = {0: "all proved", 1: "FAILED", 2: "nothing was proved", 3: "all proved, with warnings"}[report.exit_code]
    console.print(f"\n{verdict}: {total:,} proved, {sum(report.failed.values()):,} failed", style="bold")
