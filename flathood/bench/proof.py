# SPDX-License-Identifier: Apache-2.0
"""How long the offline proof of all ordered pairs takes, compiling their files included."""

from __future__ import annotations

import time

from flathood.bench import synthetic
from flathood.bench.measure import Row
from flathood.plan.proof import Compiled, prove
from flathood.plan.views import Options


def work(nodes: int) -> Row:
    """Prove a synthetic cluster of so many nodes, once; RuntimeError when something is wrong with it."""
    plan, options = synthetic.plan(nodes), Options()
    start = time.perf_counter()
    report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, options), options)
    seconds = time.perf_counter() - start
    if report.failures:
        raise RuntimeError(f"{len(report.failures)} failures, such as: {report.failures[0]}")
    return {
        "nodes": nodes,
        "pairs": nodes * (nodes - 1),
        "proved": sum(report.proved.values()),
        "seconds": round(seconds, 3),
    }
