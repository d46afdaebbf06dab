# SPDX-License-Identifier: Apache-2.0
"""`flathood netboot`: what the head serves to machines that have no system of their own."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from flathood.lab import host
from flathood.lab.progress import shown
from flathood.lab.recipe import SUITES
from flathood.netboot import ensure
from flathood.netboot.recipe import metal


@click.group()
def netboot() -> None:
    """What machines without a system boot from the head: a kernel, and a root image for their disks."""


@netboot.command()
@click.option(
    "--key",
    required=True,
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Public ssh keys that may log in as root, as in authorized_keys.",
)
@click.option("--suite", type=click.Choice(SUITES), default=SUITES[0], show_default=True, help="Debian of the image.")
@click.option("--package", "packages", multiple=True, metavar="NAME", help="A Debian package more; as often as needed.")
def image(key: Path, suite: str, packages: tuple[str, ...]) -> None:
    """Make a root image for real machines, and print its folder: the variable head_netboot of playbooks/netboot.yml.

    The packages come from the mirror that FLATHOOD_MIRROR names, else from the one that this machine's apt uses.
    """
    host.check_root()
    click.echo(ensure(metal(suite, packages), key.read_text(), progress=shown(Console(stderr=True))))
