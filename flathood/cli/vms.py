# SPDX-License-Identifier: Apache-2.0
"""`flathood vms`: the same cluster as virtual machines, by the Vagrantfile at the root."""

from __future__ import annotations

import os
import sys

import click
from rich.console import Console
from rich.table import Table

from flathood.lab import access
from flathood.vms import Vms
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


@vms.command()
@click.argument("machine")
@click.argument("slot", type=int)
@click.argument("switch")
@_which
def recable(machine: str, slot: int, switch: str, cluster: str) -> None:
    """Plug the cable of a machine's NIC into another switch."""
    Vms.open(cluster).fabric.recable(machine, slot, switch)


@vms.command()
@click.argument("state", type=click.Choice(("on", "off")))
@click.argument("name")
@_which
def switch(state: str, name: str, cluster: str) -> None:
    """Switch a switch on or off."""
    Vms.open(cluster).fabric.power(name, on=state == "on")
