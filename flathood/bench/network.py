# SPDX-License-Identifier: Apache-2.0
"""What the network delivers: playbooks/benchmark.yml on a cluster, or on its lab, and its figures as rows."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Timer
from typing import Any

import click

from flathood import inventory
from flathood.bench.measure import Row
from flathood.benchmark.report import COLUMNS, cells, write_report
from flathood.benchmark.results import Row as Measured
from flathood.benchmark.results import unexplained
from flathood.errors import FlathoodError
from flathood.following import follow
from flathood.lab import Lab
from flathood.lab.state import labs
from flathood.plan import load_plan
from flathood.playbook import CHECKOUT, command, start

#: Seconds that the playbook may take.
_LIMIT = 4 * 3600


def run(directory: Path, variables: dict[str, Any], rate: int | None, halvings: int) -> list[Row]:
    """Run the playbook with these variables, at the head of the lab if there is one; all its figures.

    ``rate``: bit/s of a lab's links while it is measured. As long as processors may be the limit and not the network,
    all is measured again at half the rate, at most ``halvings`` times. Raises FlathoodError with the end of what
    Ansible said when it fails; all of it is in ansible.log.
    """
    name = inventory.load(directory, need_macs=True).cluster.cluster
    output = CHECKOUT / "build" / name / "benchmark"
    output.mkdir(parents=True, exist_ok=True)
    file, told = directory.resolve() / "cluster.yml", variables | {"benchmark_directory": str(output)}
    lab = Lab.open(name) if name in labs() else None
    if rate and not lab:
        raise FlathoodError(
            f"bench: --rate: {name} is no lab that is up: the links of a cluster have the rate they have"
        )
    now = rate or (lab.state.planned.rate if lab else 0)
    found, faster = _measured(file, told, lab, now, output), list[Measured]()
    while lab and halvings and unexplained(found, faster):
        halvings, now = halvings - 1, now // 2
        found, faster = _measured(file, told, lab, now, output), found
    _, said = write_report(load_plan(directory), output, faster)
    click.echo("\n".join(said), err=True)
    return [dict(zip(COLUMNS, cells(row), strict=True)) for row in found]


def _measured(file: Path, told: dict[str, Any], lab: Lab | None, rate: int, output: Path) -> list[Measured]:
    """All figures of one run of the playbook; a lab's links have the rate while it measures, and are as before then."""
    if lab:
        click.echo(f"links of {rate / 1e6:g} Mbit/s", err=True)
        usual = lab.state.planned.rate
        told = told | {"benchmark_lab_rate": f"{rate // 1000}k", "benchmark_lab_rate_usual": f"{usual // 1000}k"}
    with start(command("benchmark", file, **told), lab) as ansible:
        limit = Timer(_LIMIT, ansible.kill)
        limit.start()
        try:
            said = "".join(follow(ansible.stdout or ()))
        finally:
            limit.cancel()
    (output / "ansible.log").write_text(said, encoding="utf-8")
    if ansible.returncode:
        raise FlathoodError(f"bench: the playbook failed ({output / 'ansible.log'}):\n{said[-2000:]}")
    results = json.loads((output / "results.json").read_bytes())
    return [Measured(**row) for row in results["rows"]]
