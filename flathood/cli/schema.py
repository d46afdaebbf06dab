# SPDX-License-Identifier: Apache-2.0
"""`flathood schema`: the JSON schemas of the three files and of the parts catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from flathood.cabling.evidence import evidence_schema
from flathood.schemas import MODELS, schema_text, write_schemas
from flathood.writing import save

NAMES = (*MODELS, "evidence")


@click.command()
@click.argument("name", type=click.Choice(NAMES), required=False)
@click.option(
    "--write",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Write all of them into this folder.",
)
def schema(name: str | None, folder: Path | None) -> None:
    """Print the JSON schema of cluster.yml, wiring.yml, macs.yml or a parts catalogue, or write all into a folder."""
    if (name is None) == (folder is None):
        raise click.UsageError(f"give a NAME ({', '.join(NAMES)}) to print one, or --write FOLDER to write all.")
    if name is not None:
        click.echo(evidence_schema() if name == NAMES[-1] else schema_text(name), nl=False)
        return
    target = (folder or Path()) / "evidence.schema.json"
    changed = [*write_schemas(target.parent), *([target] if save(target, evidence_schema()) else [])]
    for path in changed:
        click.echo(f"{path}: written")
    if not changed:
        click.echo("schemas: unchanged")
