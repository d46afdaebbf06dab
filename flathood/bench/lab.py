# SPDX-License-Identifier: Apache-2.0
"""How long a lab takes to come up and to go, and how much memory its machines take."""

from __future__ import annotations

import time
from pathlib import Path

from flathood.bench import synthetic
from flathood.bench.measure import Row
from flathood.lab import Lab, host, rootfs
from flathood.lab.bringup import bring_up
from flathood.lab.hardware import build
from flathood.lab.progress import silent
from flathood.lab.recipe import recipe
from flathood.lab.teardown import locked

SIZES = (6, 64)


def work(nodes: int) -> Row:
    """Bring a synthetic cluster of so many nodes up and take it down, once; the root file system is there before."""
    host.check_tools()
    made = recipe()
    rootfs.ensure(made)
    spec = synthetic.cluster(nodes)
    hardware = build(spec, synthetic.wiring(spec))
    free = host.memory_free()
    start = time.perf_counter()
    with locked(spec.cluster, "lab bench", 0):
        bring_up(hardware, Path.cwd(), made, silent)
    up = time.perf_counter() - start
    used = free - host.memory_free()
    start = time.perf_counter()
    Lab(spec.cluster, None).down()
    return {
        "nodes": nodes,
        "machines": len(hardware.machines),
        "cables": len(hardware.cables) + len(hardware.switches),
        "up_seconds": round(up, 2),
        "down_seconds": round(time.perf_counter() - start, 2),
        "lab_bytes": used,
    }
