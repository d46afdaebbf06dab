# SPDX-License-Identifier: Apache-2.0
"""`flathood`: the group of all commands, and the one place where an error becomes a message and an exit code."""

from __future__ import annotations

import importlib
import sys

import click

from flathood import __version__
from flathood.errors import FlathoodError

#: Command name → "module:attribute" and its one line of help; a command is imported when it is called.
COMMANDS: dict[str, tuple[str, str]] = {
    "design": ("flathood.cli.design:design", "Make the wiring of a cluster, and say how good it is"),
    "evaluate": ("flathood.cli.evaluate:evaluate_", "Say how good a wiring is, and what a failure costs"),
    "sizes": ("flathood.cli.sizes:sizes", "How many nodes switches can join, or how many ports nodes need"),
    "shorten": ("flathood.cli.shorten:shorten", "What shorter cables cost in bandwidth"),
    "compare": ("flathood.cli.compare:compare_", "Set a cluster's network beside a fat tree and a tree"),
    "options": ("flathood.cli.offers:options", "What to buy: networks from the cheapest to the fastest"),
    "draw": ("flathood.cli.draw:draw", "Draw the wiring of a cluster as a picture"),
    "labels": ("flathood.cli.labels:labels", "Make labels, switch sheets and cable lists for people"),
    "rehearse": ("flathood.cli.rehearse:rehearse", "Bring a cluster up in the lab, provision it and prove it"),
    "discover": ("flathood.cli.discover:discover", "Find out which MACs are in which machine, by powering each"),
    "macs": ("flathood.cli.macs:macs", "Show what is known of the NICs, or take in a list of their MACs"),
    "schema": ("flathood.cli.schema:schema", "Print the JSON schemas of the files that people write"),
    "validate": ("flathood.cli.validate:validate", "Prove a cluster over real traffic, or list the checks"),
    "moves": ("flathood.cli.moves:moves", "What moving cables is worth, or the least moves to a wiring"),
    "audit": ("flathood.cli.audit:audit_", "Hold the cabling that was found against the plan"),
    "cables": ("flathood.cli.cables:cables", "Write the cabling for other tools, or read theirs as evidence"),
    "lab": ("flathood.cli.lab:lab", "A whole cluster on this machine, to rehearse on and to break"),
    "vms": ("flathood.cli.vms:vms", "The same cluster as virtual machines, by Vagrant"),
    "netboot": ("flathood.cli.netboot:netboot", "What machines without a system boot from the head"),
    "check": ("flathood.cli.check:check", "Prove the compiled files, without any machine"),
    "show": ("flathood.cli.show:show", "Print one machine's view of the network"),
    "compile": ("flathood.cli.compile:compile_", "Write the files of every node, spare and the head"),
    "balance": ("flathood.cli.balance:balance_", "Say how evenly each profile loads NICs and switches"),
    "predict": ("flathood.cli.predict:predict", "Say what the network will deliver, on paper"),
    "bench": ("flathood.cli.bench:bench", "Measure how fast flathood is on this machine"),
}


class _Commands(click.Group):
    """A group that imports a command only when it is used: `flathood --help` stays instant."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, attribute = COMMANDS[cmd_name][0].split(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="flathood")
def cli() -> None:
    """Design, wire, provision, rehearse and validate clusters of many cheap switches."""


def main() -> None:
    """Run the command line; exit 1 with the message on an error that flathood knows."""
    try:
        cli(prog_name="flathood")
    except FlathoodError as error:
        click.echo(str(error), err=True)
        sys.exit(1)


if __name__ == "__main__":
    main()
