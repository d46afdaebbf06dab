# SPDX-License-Identifier: Apache-2.0
"""How long it takes to plan a cluster and to write every machine's files, and how much memory and disk."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from flathood.bench import synthetic
from flathood.bench.measure import Row
from flathood.plan.bundle import write_bundle
from flathood.plan.views import Options

SIZES = (6, 64, 256, 1024)


def work(nodes: int) -> Row:
    """Plan and write a synthetic cluster of so many nodes, once."""
    start = time.perf_counter()
    plan = synthetic.plan(nodes)
    planned = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        os.sync()  # what was written before, and is still on its way to the disk, is none of this measurement's
        start = time.perf_counter()
        written = write_bundle(plan, Path(folder) / "bundle", Options())
        wrote = time.perf_counter() - start
    return {
        "nodes": nodes,
        "plan_seconds": round(planned, 3),
        "write_seconds": round(wrote, 3),
        "total_seconds": round(planned + wrote, 3),
        "files": written.files,
        "written_bytes": written.bytes,
    }
