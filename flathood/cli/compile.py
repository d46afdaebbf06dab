# SPDX-License-Identifier: Apache-2.0
"""`flathood compile`: write every machine's files."""

from __future__ import annotations

from pathlib import Path

import click

from flathood.cli import options as shared
from flathood.plan import load_plan
from flathood.plan.bundle import machines, write_bundle
from flathood.spec.model import Routing


@click.command("compile")
@shared.directory
@click.option(
    "--out",
    required=True,
    metavar="BUNDLE",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where to write BUNDLE/MACHINE/etc/…; a bundle that is there is replaced as a whole.",
)
@click.option("--node", "nodes", multiple=True, metavar="NAME", help="Only this machine; may be given again.")
@shared.routing
@shared.views
def compile_(directory: Path, out: Path, nodes: tuple[str, ...], routing: Routing | None, **options: str | int) -> None:
    """Compile the cluster in DIR: the files of every node, spare and the head."""
    plan = load_plan(directory, routing)
    for name in nodes:
        if name not in machines(plan):
            raise click.BadParameter(f"there is no machine {name!r} in {plan.cluster.cluster}", param_hint="--node")
    written = write_bundle(plan, out, shared.options_of(options), nodes or None)
    click.echo(f"{out}: {written.machines:,} machines, {written.files:,} files, {written.bytes:,} bytes")
