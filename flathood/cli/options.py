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


def options_of(given: dict[str, Any]) -> Options:
    """What a command that has the options of `views` was given for them."""
    return Options(**given)
