# SPDX-License-Identifier: Apache-2.0
"""`flathood lab`: a whole cluster on this machine, to rehearse on, to break and to repair."""

from __future__ import annotations

import csv
import json
import os
import sys

import click
from rich.console import Console

from flathood.cli.lab_table import show_status
from flathood.cli.rate import RATE
from flathood.cli.tail import WithTail
from flathood.lab import Lab
from flathood.lab.errors import LabError
from flathood.lab.faults import FaultKind
from flathood.lab.progress import Progress, shown
from flathood.lab.recipe import SUITES

DEFAULT = "hexa"
#: The last argument of every verb: whose lab.
_which = click.argument("directory", metavar="[CLUSTER]", default=DEFAULT)


def _progress() -> Progress:
    return shown(Console(stderr=True))


@click.group()
def lab() -> None:
    """A whole cluster on this machine. CLUSTER is a folder, an inventory's name or a lab's (default: hexa)."""


@lab.command()
@_which
@click.option("--rate", type=RATE, help="Rate of every cable, such as 10M, in place of links.rate.")
@click.option("--suite", type=click.Choice(SUITES), default=SUITES[0], show_default=True, help="Debian release.")
@click.option("--package", "packages", multiple=True, help="Debian package that all machines have; may be given again.")
def up(directory: str, rate: int | None, suite: str, packages: tuple[str, ...]) -> None:
    """Bring a lab up as its wiring.yml plans it; one that is up already stays as it is.

    Without a wiring.yml the nodes have no cables yet.
    """
    found = Lab.open(directory)
    if not found.up(_progress(), rate, suite, packages):
        click.echo(f"lab {found.name} is up already", err=True)


@lab.command()
@_which
def down(directory: str) -> None:
    """Take a lab away with all that belongs to it, also what a crash has left."""
    found = Lab.open(directory)
    if not found.down(_progress()):
        click.echo(f"lab {found.name}: nothing to do", err=True)


@lab.command()
@_which
@click.option("--json", "as_json", is_flag=True, help="For programs.")
def status(directory: str, as_json: bool) -> None:
    """Show what is on, what is plugged where, and what is broken."""
    report = Lab.open(directory).status()
    if as_json:
        click.echo(json.dumps(report, indent=1))
    else:
        show_status(report, Console())


@lab.command()
@click.argument("direction", type=click.Choice(["on", "off"]))
@click.argument("node")
@_which
@click.option("--soft", is_flag=True, help="Shut down in order, as by the power button.")
def power(direction: str, node: str, directory: str, soft: bool) -> None:
    """Switch NODE on or off; its disk, NICs and cables stay. NODE may be several: a,b,c."""
    found, names = Lab.open(directory), node.split(",")
    if direction == "on":
        found.power_on(*names, progress=_progress())
    else:
        found.power_off(*names, soft=soft)


@lab.command()
@_which
def cable(directory: str) -> None:
    """Plug every cable where wiring.yml has it now, as people would from the labels; what is broken stays broken."""
    found = Lab.open(directory)
    click.echo(f"lab {found.name}: {found.cable()} cables plugged", err=True)


@lab.command()
@click.argument("node")
@click.argument("slot", type=int)
@_which
def unplug(node: str, slot: int, directory: str) -> None:
    """Pull the cable out of the NIC in SLOT of NODE."""
    Lab.open(directory).unplug(node, slot)


@lab.command()
@click.argument("node")
@click.argument("slot", type=int)
@_which
def plug(node: str, slot: int, directory: str) -> None:
    """Put the cable of the NIC in SLOT of NODE back to where the plan has it."""
    Lab.open(directory).plug(node, slot)


@lab.command()
@click.argument("node")
@click.argument("slot", type=int)
@click.argument("to")
@_which
def recable(node: str, slot: int, to: str, directory: str) -> None:
    """Plug the cable of the NIC in SLOT of NODE into another switch, or another NIC (NODE:SLOT)."""
    Lab.open(directory).recable(node, slot, to)


@lab.command()
@click.argument("direction", type=click.Choice(["on", "off"]))
@click.argument("name")
@_which
def switch(direction: str, name: str, directory: str) -> None:
    """Switch the switch NAME on or off."""
    found = Lab.open(directory)
    (found.switch_on if direction == "on" else found.switch_off)(name)


@lab.command()
@click.argument("rate", type=RATE)
@_which
def rate(rate: int, directory: str) -> None:
    """Give every cable the RATE, such as 10M; what is under way goes on at that rate."""
    Lab.open(directory).set_rate(rate)


@lab.group()
def fault() -> None:
    """Break something, and mend it again. NICs are written NODE:SLOT."""


def _fault_command(kind: FaultKind, names: tuple[str, ...], text: str) -> None:
    @fault.command(kind.value, help=text)
    @_which
    def inject(directory: str, **on: str) -> None:
        broken = Lab.open(directory).break_(kind, *(on[name] for name in names))
        click.echo(f"fault {broken} (flathood lab fault undo {broken.number})", err=True)

    for name in reversed(names):
        inject.params.insert(0, click.Argument([name]))


_fault_command(FaultKind.SWAP, ("nic", "other"), "Exchange the cables of two NICs at the switches.")
_fault_command(FaultKind.DEAD_CABLE, ("cable",), "A NIC's cable, or a switch's to the uplink, carries nothing.")
_fault_command(FaultKind.DEAD_NIC, ("nic",), "The machine does not find the NIC any more.")
_fault_command(FaultKind.DEAD_SWITCH, ("name",), "A switch without power.")
_fault_command(FaultKind.DUPLICATE_MAC, ("nic", "original"), "NIC carries the MAC of the NIC ORIGINAL.")
_fault_command(FaultKind.OTHER_MAC, ("nic",), "The NIC was replaced by another one, with a MAC of its own.")
_fault_command(FaultKind.JOINED, ("name", "other"), "The switch NAME has its uplink cable in the switch OTHER.")


@fault.command()
@click.argument("number", metavar="NUMBER|all")
@_which
def undo(number: str, directory: str) -> None:
    """Mend the fault NUMBER, or all of them."""
    if number != "all" and not number.isdecimal():
        raise LabError(f"{number!r}: the number of a fault (flathood lab status shows them) or `all`")
    for mended in Lab.open(directory).mend(None if number == "all" else int(number)):
        click.echo(f"mended {mended}", err=True)


@lab.command(cls=WithTail)
@click.argument("node")
@_which
@click.pass_context
def shell(ctx: click.Context, node: str, directory: str) -> None:
    """Run a COMMAND, or a shell, on NODE as its root."""
    _become(Lab.open(directory).command(node, ctx.obj or ["bash", "-l"]))


@lab.command(cls=WithTail)
@_which
@click.pass_context
def run(ctx: click.Context, directory: str) -> None:
    """Run a COMMAND of this machine as if at the head: its network, and the keys to all nodes for Ansible."""
    if not ctx.obj:
        raise LabError("run what? flathood lab run [CLUSTER] -- COMMAND…")
    found = Lab.open(directory)
    command = found.at_head(ctx.obj)
    os.environ.update(found.environment)
    _become(command)


@lab.command()
@_which
def macs(directory: str) -> None:
    """Print the MAC of every NIC as CSV, as a vendor would deliver it (for flathood macs import)."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("node", "slot", "mac"))
    writer.writerows(Lab.open(directory).macs())


@lab.command()
@_which
def evidence(directory: str) -> None:
    """Print the switches' MAC tables and each port's carrier and counters as JSON."""
    click.echo(json.dumps(Lab.open(directory).evidence(), indent=1))


def _become(command: list[str]) -> None:
    """Turn into the command: its signals, its terminal and its exit code need nobody to pass them on."""
    sys.stdout.flush()
    sys.stderr.flush()
    os.execvp(command[0], command)  # noqa: S606 - no shell wanted
