# SPDX-License-Identifier: Apache-2.0
"""`flathood draw`: the picture of a cluster's wiring."""

from __future__ import annotations

from pathlib import Path

import click

from flathood.cabling.sketch import svg
from flathood.inventory import load
from flathood.writing import save


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path), default=".")
@click.option(
    "--out", type=click.Path(dir_okay=False, allow_dash=True, path_type=Path), default="-", help="File; -: this screen."
)
def draw(folder: Path, out: Path) -> None:
    """Draw the wiring of the cluster in FOLDER (default: this one) as an SVG picture."""
    inventory = load(folder, need_macs=False)
    picture = svg(inventory.cluster, inventory.wiring)
    if str(out) == "-":
        click.echo(picture, nl=False)
    else:
        click.echo(f"{out}: {'written' if save(out, picture) else 'unchanged'}")
