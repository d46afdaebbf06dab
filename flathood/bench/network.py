# SPDX-License-Identifier: Apache-2.0
"""What the network delivers: playbooks/benchmark.yml on a cluster, or on its lab, and its figures as rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flathood import inventory
from flathood.bench.measure import Row
from flathood.benchmark.report import COLUMNS, cells
from flathood.benchmark.results import Row as Measured
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.lab.state import labs
from flathood.playbook import CHECKOUT, command, play

#: Seconds that the playbook may take.
_LIMIT = 4 * 3600


def run(directory: Path, variables: dict[str, Any]) -> list[Row]:
    """Run the playbook with these variables, at the head of the lab if there is one; all its figures.

    Raises FlathoodError with the end of what Ansible said when it fails; all of it is in ansible.log.
    """
    name = inventory.load(directory, need_macs=True).cluster.cluster
    output = CHECKOUT / "build" / name / "benchmark"
    output.mkdir(parents=True, exist_ok=True)
    told = variables | {"benchmark_directory": str(output)}
    argv = command("benchmark", directory.resolve() / "cluster.yml", **told)
    done = play(argv, Lab.open(name) if name in labs() else None, limit=_LIMIT)
    (output / "ansible.log").write_text(done.stdout, encoding="utf-8")
    if done.returncode:
        raise FlathoodError(f"bench: the playbook failed ({output / 'ansible.log'}):\n{done.stdout[-2000:]}")
    results = json.loads((output / "results.json").read_bytes())
    return [dict(zip(COLUMNS, cells(Measured(**row)), strict=True)) for row in results["rows"]]
