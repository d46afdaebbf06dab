# SPDX-License-Identifier: Apache-2.0
"""`flathood cables`: the cabling in the files of other tools."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from flathood import inventory
from flathood.cabling.evidence import Evidence, Period, save_evidence
from flathood.cabling.formats import FORMATS, export, readings
from flathood.cli import options as shared
from flathood.text import decode, read_bytes

_FORMAT = click.option(
    "--format", "format_", required=True, type=click.Choice(FORMATS), help="PTM's topology.dot, .topo or cable CSV."
)


@click.group()
def cables() -> None:
    """Write the planned cabling for other tools, or read theirs as evidence."""


@cables.command("export")
@shared.directory
@_FORMAT
def export_(directory: Path, format_: str) -> None:
    """Print the cabling that is planned in DIR."""
    loaded = inventory.load(directory, need_macs=False)
    click.echo(export(loaded.cluster, loaded.wiring, format_), nl=False)


@cables.command("import")
@shared.directory
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_FORMAT
@click.option("--out", required=True, type=click.Path(dir_okay=False, path_type=Path), help="The evidence file.")
def import_(directory: Path, file: Path, format_: str, out: Path) -> None:
    """Make evidence of the cluster in DIR from another tool's FILE, for flathood audit.

    What it says counts as what people read. When it was written down is not in it: the file's own time is taken.
    """
    cluster = inventory.load(directory, need_macs=False).cluster
    found = readings(cluster, str(file), decode(str(file), read_bytes(file)), format_)
    written = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    evidence = Evidence(
        flathood_evidence=1, cluster=cluster.cluster, taken=Period(begin=written, end=written), people=found
    )
    save_evidence(out, evidence)
    click.echo(f"{out}: {len(found)} cables")
