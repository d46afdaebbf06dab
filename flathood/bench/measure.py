# SPDX-License-Identifier: Apache-2.0
"""Running one measurement in a process of its own, so that its peak memory is its own, and showing the results."""

from __future__ import annotations

import json
import multiprocessing
import resource
from collections.abc import Callable, Iterable, Mapping
from multiprocessing.connection import Connection
from typing import Any

import click
from rich.console import Console
from rich.table import Table

Row = dict[str, Any]


def measure(work: Callable[..., Row], *arguments: object) -> Row:
    """Call ``work(*arguments)`` in a child; its result with ``peak_bytes``, the most memory of that child, added."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(sender, work, arguments))
    child.start()
    sender.close()
    try:
        row: Row = receiver.recv()
    except EOFError:
        child.join()
        raise click.ClickException(f"the measurement ended with exit code {child.exitcode}") from None
    child.join()
    return row


def _child(sender: Connection, work: Callable[..., Row], arguments: tuple[object, ...]) -> None:
    row = work(*arguments)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    sender.send({**row, "peak_bytes": peak * 1024})


def report(name: str, rows: Iterable[Mapping[str, Any]], as_json: bool) -> None:
    """Print rows that have the same keys, as a table or as JSON."""
    rows = list(rows)
    if as_json:
        click.echo(json.dumps({"benchmark": name, "rows": rows}, indent=1))
        return
    # Where a terminal is narrow a figure goes on in the next line; no digit is left out.
    table = Table(title=name, box=None, pad_edge=False, padding=(0, 1, 0, 0))
    for key in rows[0]:
        head = key.replace("_bytes", " MB").replace("_seconds", " s").replace("_", " ")
        table.add_column(head, justify="right", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(key, value) for key, value in row.items()))
    console = Console()
    if not console.is_terminal:
        wide = console.options.update(max_width=1000)
        console.width = max(console.width, console.measure(table, options=wide).maximum)
    console.print(table)


def _cell(key: str, value: object) -> str:
    if key.endswith("_bytes") and isinstance(value, int):
        return f"{value / 1e6:,.1f}"
    return f"{value:,}" if isinstance(value, int | float) else str(value)
