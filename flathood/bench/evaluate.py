# SPDX-License-Identifier: Apache-2.0
"""How long it takes to judge a wiring: the figures of a search, the best split of the traffic, all single failures."""

from __future__ import annotations

import time

import numpy as np

from flathood.bench import synthetic
from flathood.bench.measure import Row
from flathood.design.objective import evaluate, shared_switches
from flathood.design.request import Request, design_of
from flathood.design.resilience import resilience
from flathood.design.throughput import concurrent

SIZES = (64, 256, 1024)


def work(nodes: int, profile: str) -> Row:
    """Judge a synthetic cluster of so many nodes by a profile, once."""
    spec = synthetic.cluster(nodes)
    request, design = Request.of(spec, profile=profile), design_of(synthetic.wiring(spec), spec)
    shared = shared_switches(design)
    choices = int((shared * (np.triu(request.weights, 1) > 0) * (shared > 1)).sum())
    start = time.perf_counter()
    even = evaluate(request, design).throughput
    figures = time.perf_counter() - start
    start = time.perf_counter()
    best = concurrent(request, design)
    split = time.perf_counter() - start
    start = time.perf_counter()
    losses = resilience(request, design)
    failing = time.perf_counter() - start
    return {
        "nodes": nodes,
        "choices": choices,
        "parts": len(losses.switches) + len(losses.cables),
        "even_seconds": round(figures, 3),
        "best_seconds": round(split, 3),
        "losses_seconds": round(failing, 3),
        "even": round(even, 3),
        "best": round(best.t, 3),
        "limit": round(best.limit, 3),
    }
