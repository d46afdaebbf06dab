# SPDX-License-Identifier: Apache-2.0
"""`flathood macs`: what is known of the NICs in the machines, and taking in lists of them."""

from __future__ import annotations

import difflib
import sys
from collections import Counter
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from flathood.document import read
from flathood.errors import InvalidInput, Problem
from flathood.inventory import CLUSTER, MACS
from flathood.registry import Registry, load_registry
from flathood.registry.lists import read_list
from flathood.registry.load import fit_registry
from flathood.registry.merge import Merged, merge
from flathood.registry.save import registry_text, save_registry
from flathood.spec import Cluster, load_cluster
from flathood.spec.known import Known, several
from flathood.text import MAX_BYTES, bounded, is_missing, read_bytes
from flathood.writing import locked

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.group()
def macs() -> None:
    """Show what is known of the machines' NICs, or take in a list of them."""


@macs.command("import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option("--into", "folder", type=_FOLDER, default=".", help="Folder of the cluster; default: this one.")
@click.option("--dry-run", is_flag=True, help="Show what would change in macs.yml and write nothing.")
def import_(file: Path, folder: Path, dry_run: bool) -> None:
    """Take a list of node, slot and MAC (CSV or YAML; - for standard input) into macs.yml as expected NICs.

    \b
    CSV, with or without a header:    YAML, either way:
        node,slot,mac                     - {node: k00, slot: 0, mac: "02:00:5e:10:00:01"}
        k00,0,02:00:5e:10:00:01           k00: ["02:00:5e:10:00:01", "02:00:5e:10:00:02"]
    """  # noqa: D301  # \b is click's mark for text that is not wrapped
    target = folder / MACS
    name = "standard input" if str(file) == "-" else str(file)
    raw = _standard_input(name) if str(file) == "-" else read_bytes(file)
    cluster = load_cluster(folder / CLUSTER)
    if dry_run:
        merged = _merged(target, cluster, name, raw)
        click.echo(_diff(target, merged.registry) or f"{target}: unchanged")
        return
    with locked(target):
        merged = _merged(target, cluster, name, raw)
        changed = save_registry(target, merged.registry)
    counts = ", ".join(f"{count} {what}" for what, count in merged.counts.items())
    click.echo(f"{target}: {'written' if changed else 'unchanged'} (NICs of the list: {counts})")
    missing = [*_missing(cluster, merged.registry)]
    if missing:
        click.echo(f"not known yet: {several(missing)}")


@macs.command()
@click.argument("folder", type=_FOLDER, default=".")
def show(folder: Path) -> None:
    """Show every NIC that macs.yml knows, and which are missing."""
    cluster = load_cluster(folder / CLUSTER)
    registry = load_registry(folder / MACS, cluster)
    table = Table(title=f"NICs of {cluster.cluster}")
    for column in ("machine", "slot", "MAC", "state", "seen"):
        table.add_column(column, justify="right" if column == "slot" else "left", no_wrap=True)
    states: Counter[str] = Counter()
    for name, nics in registry.nodes.items():
        for slot, nic in enumerate(nics):
            states[nic.state if nic else "not known"] += 1
            seen = nic.seen.isoformat(" ", "seconds") if nic and nic.seen else ""
            table.add_row(name, str(slot), nic.mac if nic else "-", nic.state if nic else "not known", seen)
    console = Console()
    console.print(table)
    missing = [*_missing(cluster, registry)]
    console.print(", ".join(f"{count} {state}" for state, count in states.items()) or "nothing is known yet")
    if missing:
        console.print(f"not known yet: {several(missing)}", highlight=False)


def _standard_input(name: str) -> bytes:
    raw = sys.stdin.buffer.read(MAX_BYTES + 1)
    return bounded(name, raw, len(raw))


def _merged(target: Path, cluster: Cluster, name: str, raw: bytes) -> Merged:
    """The registry with the list in it; raises InvalidInput with the problems of macs.yml and of the list at once."""
    known = Known.of(cluster)
    problems: list[Problem] = []
    registry = Registry(cluster=cluster.cluster)
    if not is_missing(target):
        try:
            fitted = fit_registry(read(target), known)
            problems += fitted.problems
            registry = registry if fitted.problems else fitted.model
        except InvalidInput as error:
            problems += error.problems
    entries, wrong = read_list(name, raw)
    merged = merge(registry, name, entries, known)
    problems += [*wrong, *merged.problems]
    if problems:
        raise InvalidInput(problems)
    return merged


def _diff(target: Path, registry: Registry) -> str:
    old = target.read_text(encoding="utf-8") if target.exists() else ""
    new = registry_text(target, registry)
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{target} (before)", f"{target} (after)", lineterm=""
    )
    return "\n".join(lines)


def _missing(cluster: Cluster, registry: Registry) -> list[str]:
    """The NICs that provisioning needs and nobody knows: all of the nodes, slot 0 of spares and head."""
    need = {name: cluster.nic_counts[name] for name in cluster.node_names}
    need |= dict.fromkeys((*cluster.spare_names, cluster.head.name), 1)
    known = {name: [slot for slot, nic in enumerate(nics) if nic] for name, nics in registry.nodes.items()}
    return [
        f"{name} slot {slot}"
        for name, count in need.items()
        for slot in range(count)
        if slot not in known.get(name, ())
    ]
