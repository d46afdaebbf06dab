# SPDX-License-Identifier: Apache-2.0
"""What the network delivers: playbooks/benchmark.yml on a cluster, or on its lab, and its figures as rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from flathood import inventory
from flathood.bench.measure import Row
from flathood.benchmark.report import COLUMNS, cells, write_report
from flathood.benchmark.results import Row as Measured
from flathood.benchmark.results import unexplained
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.lab.state import labs
from flathood.plan import load_plan
from flathood.playbook import CHECKOUT, command, play

#: Seconds that the playbook may take.
_LIMIT = 4 * 3600


def run(directory: Path, variables: dict[str, Any], halvings: int) -> list[Row]:
    """Run the playbook with these variables, at the head of the lab if there is one; all its figures.

    As long as processors may be the limit and not the network, a lab's links are lowered to half their rate, at most
    ``halvings`` times, and all is measured again; in the end they have their rate back. Raises FlathoodError with the
    end of what Ansible said when it fails; all of it is in ansible.log.
    """
    name = inventory.load(directory, need_macs=True).cluster.cluster
    output = CHECKOUT / "build" / name / "benchmark"
    output.mkdir(parents=True, exist_ok=True)
    argv = command("benchmark", directory.resolve() / "cluster.yml", **variables, benchmark_directory=str(output))
    lab = Lab.open(name) if name in labs() else None
    first = lab.state.planned.rate if lab else 0
    found, faster = _measured(argv, lab, output), list[Measured]()
    try:
        while lab and halvings and unexplained(found, faster):
            halvings -= 1
            lab.set_rate(lab.state.planned.rate // 2)
            found, faster = _measured(argv, lab, output), found
    finally:
        if lab:
            lab.set_rate(first)
    _, said = write_report(load_plan(directory), output, faster)
    click.echo("\n".join(said), err=True)
    return [dict(zip(COLUMNS, cells(row), strict=True)) for row in found]


def _measured(argv: list[str], lab: Lab | None, output: Path) -> list[Measured]:
    """All figures of one run of the playbook, said with the rate that the lab's links have in it."""
    if lab:
        click.echo(f"links of {lab.state.planned.rate / 1e6:g} Mbit/s", err=True)
    done = play(argv, lab, limit=_LIMIT)
    (output / "ansible.log").write_text(done.stdout, encoding="utf-8")
    if done.returncode:
        raise FlathoodError(f"bench: the playbook failed ({output / 'ansible.log'}):\n{done.stdout[-2000:]}")
    results = json.loads((output / "results.json").read_bytes())
    return [Measured(**row) for row in results["rows"]]
