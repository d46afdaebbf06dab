# SPDX-License-Identifier: Apache-2.0
"""How long it takes to plan a cluster and to write every machine's files, and how much memory and disk.

Nothing is deleted before all is measured: for minutes after a deletion ext4 looks through the inodes that it freed
before it gives one out again (its recently_deleted()), which can cost more than all the rest.
"""

from __future__ import annotations

import os
import resource
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from flathood.bench import synthetic
from flathood.bench.measure import Row, measure
from flathood.plan.build import routed
from flathood.plan.bundle import write_bundle
from flathood.plan.views import Options
from flathood.spec.model import Routing

SIZES = (6, 64, 256, 1024)


def run(sizes: Iterable[int], modes: Iterable[Routing]) -> list[Row]:
    """Plan and write synthetic clusters of each size, in each mode of routing."""
    modes = tuple(modes)
    with tempfile.TemporaryDirectory() as folder:
        return [measure(work, size, mode, Path(folder) / f"{mode}-{size}") for size in sizes for mode in modes]


def work(nodes: int, routing: Routing, folder: Path) -> Row:
    """Plan and write a synthetic cluster of so many nodes, once.

    ``total_seconds`` is time on the clock; ``own_seconds`` and ``kernel_seconds`` are processor time, which
    another program's load does not lengthen: our own, and what the file system took.
    """
    os.sync()  # what was written before, and is still on its way to the disk, is none of this measurement's
    before = resource.getrusage(resource.RUSAGE_SELF)
    start = time.perf_counter()
    plan = routed(synthetic.plan(nodes), routing)
    planned = time.perf_counter() - start
    written = write_bundle(plan, folder, Options())
    total = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "nodes": nodes,
        "routing": routing,
        "plan_seconds": round(planned, 3),
        "total_seconds": round(total, 3),
        "own_seconds": round(after.ru_utime - before.ru_utime, 3),
        "kernel_seconds": round(after.ru_stime - before.ru_stime, 3),
        "files": written.files,
        "written_bytes": written.bytes,
    }
