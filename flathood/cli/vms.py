# SPDX-License-Identifier: Apache-2.0
"""`flathood vms`: the same cluster as virtual machines, by the Vagrantfile at the root."""

from __future__ import annotations

import csv
import os
import sys

import click
from rich.console import Console
from rich.table import Table

from flathood.cli.tail import WithTail
from flathood.lab import access
from flathood.lab.errors import LabError
from flathood.lab.progress import shown
from flathood.lab.recipe import SUITES
from flathood.vms import Vms, inside
from flathood.vms.fabric import Fabric
from flathood.vms.settings import from_environment
from flathood.vms.site import site

_which = click.argument("cluster", default="hexa")


@click.group()
def vms() -> None:
    """The cluster as virtual machines. CLUSTER is a folder or an inventory's name (default: hexa)."""


@vms.command()
@_which
def plan(cluster: str) -> None:
    """Print which machines and networks the Vagrantfile makes, as JSON."""
    click.echo(site(access.folder(cluster), from_environment()).model_dump_json(indent=1))


@vms.command()
@_which
@click.option(
    "--suite", type=click.Choice(SUITES), default=SUITES[0], show_default=True, help="Debian of the machines."
)
def up(cluster: str, suite: str) -> None:
    """Bring the machines up, bare; the box is made when there is none."""
    found = Vms.open(cluster)
    if not found.up(shown(Console(stderr=True)), suite=suite):
        click.echo(f"{found.name} is up already", err=True)


@vms.command()
@_which
def down(cluster: str) -> None:
    """Take the machines away, with their disks, networks and libvirtd."""
    found = Vms.open(cluster)
    if not found.down(shown(Console(stderr=True))):
        click.echo(f"{found.name} is not up: nothing to do", err=True)


@vms.command()
@_which
def macs(cluster: str) -> None:
    """Print the MAC of every NIC as CSV, as a vendor would deliver it (for flathood macs import)."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("node", "slot", "mac"))
    writer.writerows(Vms.open(cluster).macs())


@vms.command()
@_which
def status(cluster: str) -> None:
    """Show the machines that are up, and where each cable is."""
    found = Vms.open(cluster)
    cables = found.fabric.cables()
    table = Table(title=f"Virtual machines of {found.name}")
    for column in ("machine", "slot", "MAC", "plugged into", "planned"):
        table.add_column(column)
    for machine in found.site.machines:
        for slot, port in enumerate(machine.ports):
            here = cables.get(port.tap, "machine is off")
            table.add_row(machine.name, str(slot), port.mac, here, "" if here == port.network else port.network)
    Console().print(table)


@vms.command()
@click.argument("machine")
@_which
def shell(machine: str, cluster: str) -> None:
    """Log in to a machine as root."""
    found = Vms.open(cluster)
    sys.stdout.flush()
    command = found.login(machine)
    os.execvp(command[0], command)  # noqa: S606 - no shell: the command is a list


@vms.command(cls=WithTail)
@_which
@click.pass_context
def run(ctx: click.Context, cluster: str) -> None:
    """Run a COMMAND of this machine as if at the head: an address on its network, and the keys to all nodes."""
    if not ctx.obj:
        raise LabError("run what? flathood vms run [CLUSTER] -- COMMAND…")
    found = Vms.open(cluster)
    command = found.at_head(ctx.obj)
    sys.stdout.flush()
    os.environ.update(found.environment)
    os.execvp(command[0], command)  # noqa: S606 - no shell: the command is a list


@vms.command()
@click.argument("state", type=click.Choice(("on", "off")))
@click.argument("machines")
@_which
def power(state: str, machines: str, cluster: str) -> None:
    """Switch MACHINES, such as a,b, on or off; their disks stay."""
    _wires(cluster).switch_machines(machines.split(","), on=state == "on")


@vms.command()
@click.argument("machine")
@click.argument("slot", type=int)
@click.argument("switch")
@_which
def recable(machine: str, slot: int, switch: str, cluster: str) -> None:
    """Plug the cable of a machine's NIC into another switch."""
    _wires(cluster).recable(machine, slot, switch)


@vms.command()
@click.argument("state", type=click.Choice(("on", "off")))
@click.argument("name")
@_which
def switch(state: str, name: str, cluster: str) -> None:
    """Switch a switch on or off."""
    _wires(cluster).power(name, on=state == "on")


def _wires(cluster: str) -> Fabric:
    """The switches and cables, from outside or inside of the machines' room."""
    found = Vms.open(cluster)
    return inside.fabric(found.cluster) or found.fabric
