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
    start, busy = time.perf_counter(), time.process_time()
    made = products(spec, wiring, options)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), made, options)
        seconds, busy = time.perf_counter() - start, time.process_time() - busy
    return {
        "nodes": nodes,
        "labels": made.labels,
        "total_seconds": round(seconds, 3),
        # On a machine that does other work, too, this says more.
        "processor_seconds": round(busy, 3),
        "files": len(made.files),
        "written_bytes": sum(map(len, made.files.values())),
    }
