# SPDX-License-Identifier: Apache-2.0
"""`flathood bench`: the benchmarks, each a table or JSON."""

from __future__ import annotations

import click

from flathood.bench import compile as compiling
from flathood.bench import converge as provisioning
from flathood.bench import lab as rehearsing
from flathood.bench import proof as proving
from flathood.bench.measure import measure, report

_SIZES = click.option(
    "--nodes", "sizes", type=click.IntRange(2, 8192), multiple=True, help="Size to measure; may be given again."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")


@click.group()
def bench() -> None:
    """Measure how fast flathood is on this machine."""


@bench.command("compile")
@_SIZES
@_JSON
def compile_(sizes: tuple[int, ...], as_json: bool) -> None:
    """Plan synthetic clusters with 4 NICs a node, and write all their files."""
    report("compile", [measure(compiling.work, size) for size in sizes or compiling.SIZES], as_json)


@bench.command()
@_SIZES
@_JSON
def lab(sizes: tuple[int, ...], as_json: bool) -> None:
    """Bring labs of synthetic clusters up and take them down (needs root)."""
    report("lab", [measure(rehearsing.work, size) for size in sizes or rehearsing.SIZES], as_json)


@bench.command()
@_SIZES
@_JSON
def proof(sizes: tuple[int, ...], as_json: bool) -> None:
    """Prove the files of synthetic clusters: every ordered pair, from name to the peer's NIC."""
    report("proof", [measure(proving.work, size) for size in sizes or compiling.SIZES], as_json)


@bench.command()
@click.option(
    "--inventory", "inventories", multiple=True, help="Inventory to measure (hexa, klat2); may be given again."
)
@_JSON
def converge(inventories: tuple[str, ...], as_json: bool) -> None:
    """Provision labs of the inventories with Ansible, twice, against a ping of all machines (needs root)."""
    names = inventories or provisioning.INVENTORIES
    report("converge", [measure(provisioning.work, name) for name in names], as_json)
