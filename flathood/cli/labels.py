# SPDX-License-Identifier: Apache-2.0
"""`flathood labels`: labels, sheets and lists for the people who cable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from flathood.cli import options as shared
from flathood.inventory import Inventory, load
from flathood.labels import (
    FORMATS,
    OFFICE,
    PAPERS,
    Options,
    Paper,
    Products,
    paper_of,
    products,
    save,
    usual_folder,
)
from flathood.labels.paper import UnknownPaper


class _PaperName(click.ParamType[Paper]):
    """A paper of the list, or a size."""

    name = "PAPER"

    def convert(self, value: str | Paper, param: click.Parameter | None, ctx: click.Context | None) -> Paper:
        if isinstance(value, Paper):
            return value
        try:
            return paper_of(value)
        except UnknownPaper as error:
            self.fail(str(error), param, ctx)


class _Formats(click.ParamType[tuple[str, ...]]):
    """Some of the formats, with commas between them."""

    name = "FORMAT,..."

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        if isinstance(value, tuple):
            return value
        given = tuple(part.strip() for part in value.split(","))
        unknown = [part for part in given if part not in FORMATS]
        if unknown:
            self.fail(f"{unknown[0]!r} is no format: write some of {','.join(FORMATS)}", param, ctx)
        return given


class _Names(click.ParamType[tuple[str, ...]]):
    """Names, with commas between them."""

    name = "NAME,..."

    def convert(
        self, value: str | tuple[str, ...], param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        return value if isinstance(value, tuple) else tuple(part.strip() for part in value.split(",") if part.strip())


def _papers(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        for paper in PAPERS.values():
            click.echo(f"{paper.name:18} {paper.described()}")
        click.echo("WIDTHxHEIGHT       one of that size in mm, for label printers, such as 62x29")
        ctx.exit()


@click.command()
@shared.directory
@click.option(
    "--output",
    type=click.Path(file_okay=False, allow_dash=True, path_type=Path),
    help="Folder for the files; -: print the text here. [default: build/CLUSTER/labels]",
)
@click.option("--format", "formats", type=_Formats(), default=FORMATS, help="Some of pdf,svg,text. [default: all]")
@click.option("--paper", type=_PaperName(), default="a4", help="Of the labels; see --papers. [default: a4, to cut]")
@click.option("--office", type=click.Choice(list(OFFICE)), help="Paper of sheets and lists. [default: as the labels']")
@click.option(
    "--report",
    metavar="URL",
    help="Where the QR codes lead: the validation report, or a page of each machine with {} for its name. "
    "[default: http://HEAD/report.html]",
)
@click.option("--only", type=_Names(), default=(), help="Only the labels of these machines and switches.")
@click.option("--skip", type=click.IntRange(0), default=0, help="Labels of the first page that are used already.")
@click.option("--outline", is_flag=True, help="Draw the edges of the labels, to try a printer with plain paper.")
@click.option("--mono", is_flag=True, help="No colours, for label printers; the letters tell them.")
@click.option("--papers", is_flag=True, is_eager=True, expose_value=False, callback=_papers, help="List the papers.")
def labels(directory: Path, output: Path | None, **given: object) -> None:
    """Make labels for the machines and switches of DIR, sheets and lists for its cables, and a picture of it."""
    inventory = load(directory, need_macs=False)
    wanted = Options(**given)  # type: ignore[arg-type]  # named as the fields
    here = output is not None and str(output) == "-"
    if here:
        wanted = replace(wanted, formats=("text",))
    made = products(inventory.cluster, inventory.wiring, wanted)
    if here:
        click.echo(b"".join(made.files.values()), nl=False)
        return
    folder = output or usual_folder(inventory.cluster)
    changed = save(folder, made, wanted)
    _say(inventory, folder, made, changed, wanted)


def _say(inventory: Inventory, folder: Path, made: Products, changed: list[str], wanted: Options) -> None:
    paper = wanted.paper
    pages = -(-(made.labels + wanted.skip % paper.each) // paper.each)
    count = f"{_count(made.labels, 'label')} on {_count(pages, 'page')}"
    click.echo(f"{inventory.cluster.cluster}: {count} ({paper.name}: {paper.described()})")
    if made.without_code:
        click.echo(
            f"The labels are too small for a QR code of that address ({_count(len(made.without_code), 'label')})."
        )
    click.echo(f"{folder}: {_count(len(made.files), 'file')}, {len(changed)} changed")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
