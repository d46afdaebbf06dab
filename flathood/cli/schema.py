# SPDX-License-Identifier: Apache-2.0
"""`flathood schema`: the JSON schemas of the three files and of the parts catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from flathood.schemas import MODELS, schema_text, write_schemas


@click.command()
@click.argument("name", type=click.Choice(list(MODELS)), required=False)
@click.option(
    "--write",
    "folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Write all of them into this folder.",
)
def schema(name: str | None, folder: Path | None) -> None:
    """Print the JSON schema of cluster.yml, wiring.yml, macs.yml or a parts catalogue, or write all into a folder."""
    if (name is None) == (folder is None):
        raise click.UsageError(f"give a NAME ({', '.join(MODELS)}) to print one, or --write FOLDER to write all.")
    if name is not None:
        click.echo(schema_text(name), nl=False)
        return
    changed = write_schemas(folder or Path())
    for path in changed:
        click.echo(f"{path}: written")
    if not changed:
        click.echo("schemas: unchanged")
