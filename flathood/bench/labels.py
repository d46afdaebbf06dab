# SPDX-License-Identifier: Apache-2.0
"""How long it takes to make all labels, sheets, lists and pictures of a cluster, in all formats."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from flathood.bench import synthetic
from flathood.bench.measure import Row
from flathood.labels import Options, products, save

SIZES = (64, 256, 1024)


def work(nodes: int) -> Row:
    """Make and write everything of a synthetic cluster of so many nodes, once."""
    spec = synthetic.cluster(nodes)
    wiring = synthetic.wiring(spec)
    options = Options()
    start = time.perf_counter()
    made = products(spec, wiring, options)
    done = time.perf_counter() - start
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        save(Path(folder), made, options)
        wrote = time.perf_counter() - start
    return {
        "nodes": nodes,
        "labels": made.labels,
        "make_seconds": round(done, 3),
        "write_seconds": round(wrote, 3),
        "total_seconds": round(done + wrote, 3),
        "files": len(made.files),
        "written_bytes": sum(map(len, made.files.values())),
    }
