# SPDX-License-Identifier: Apache-2.0
"""Arguments and options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, get_args

import click

from flathood.plan.views import Options
from flathood.spec.model import Routing

Command = TypeVar("Command", bound=Callable[..., Any])

#: The folder with cluster.yml, wiring.yml and macs.yml.
directory = click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))

_VIEWS = (
    click.option("--mpi-slots", default=1, show_default=True, type=click.IntRange(1), help="Ranks on a node."),
    click.option(
        "--node-device",
        default="dummy",
        show_default=True,
        type=click.Choice(["dummy", "ifb", "bridge"]),
        help="Kind of node0, the device of the node address.",
    ),
)

_FILE = click.Path(dir_okay=False, path_type=Path)
_FRONT = (
    click.option("--output", type=_FILE, help="Write the wiring that is taken into this file."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The same seed, the same front."),
    click.option("--rounds", type=click.IntRange(1), help="How long to search, in rounds."),
    click.option("--seconds", type=click.FloatRange(0, min_open=True), help="How long to search, in seconds."),
    click.option("--plot", "picture", type=_FILE, help="Draw the front: FILE.png, .svg or .pdf."),
    click.option("--all", "everything", is_flag=True, help="Print all of the front."),
    click.option("--json", "as_json", is_flag=True, help="Print everything as JSON."),
)

#: How pairs use what they share, in place of what cluster.yml says.
routing = click.option(
    "--routing",
    type=click.Choice(get_args(Routing)),
    help="One shared neighborhood for each pair, all at once, or the uplink only; default: what cluster.yml says.",
)


def views(command: Command) -> Command:
    """Add the options that change what is compiled, named as the fields of `flathood.plan.views.Options`."""
    for option in _VIEWS:
        command = option(command)
    return command


def front(command: Command) -> Command:
    """Add the options of commands that search a front of wirings, of which one may be taken."""
    for option in reversed(_FRONT):
        command = option(command)
    return command


def options_of(given: dict[str, Any]) -> Options:
    """What a command that has the options of `views` was given for them."""
    return Options(**given)
