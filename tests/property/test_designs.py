# SPDX-License-Identifier: Apache-2.0
"""Designs of random hardware: never a limit broken, coverage true whenever claimed, figures as brute force has them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.design.anneal import Effort, anneal, random_design
from flathood.design.bounds import Impossible
from flathood.design.designer import NotFound, search
from flathood.design.engine import Budget
from flathood.design.objective import evaluate
from flathood.design.planes import constructions
from flathood.design.polish import polish
from flathood.design.profiles import SHAPES, traffic
from flathood.design.request import Design, Request


@st.composite
def requests(draw: st.DrawFn, most_nodes: int = 14) -> Request:
    nics = draw(st.lists(st.integers(1, 5), min_size=1, max_size=most_nodes))
    ports = draw(st.lists(st.integers(1, 16), min_size=1, max_size=8))
    profile = draw(st.sampled_from(sorted(SHAPES)))
    return Request(np.array(nics), np.array(ports), traffic(profile, len(nics)), profile)


seeds = st.integers(0, 2**32)


@settings(max_examples=60, deadline=None)
@given(requests(), seeds)
def test_every_engine_keeps_the_limits(request: Request, seed: int) -> None:
    rng = np.random.default_rng(seed)
    start = random_design(request, rng)
    assert request.fits(start)
    found = anneal(request, start, rng, Effort(60), lambda best: None)
    assert request.fits(found)
    polished = polish(request, found, rng, 60)
    assert request.fits(polished)
    if not evaluate(request, found).uncovered:
        assert not evaluate(request, polished).uncovered
    for _, design in constructions(request, rng):
        assert request.fits(design)
        assert evaluate(request, design).uncovered == 0


@settings(max_examples=30, deadline=None)
@given(requests(10), seeds)
def test_what_the_designer_gives_covers_all_pairs(request: Request, seed: int) -> None:
    try:
        best = search(request, Budget(seed=seed, rounds=1)).best
    except (Impossible, NotFound):
        return
    assert request.fits(best.design)
    assert all((best.design[i] & best.design[j]).any() for i, j in combinations(range(request.nodes), 2))


@settings(max_examples=100, deadline=None)
@given(requests(8), seeds)
def test_the_figures_equal_brute_force(request: Request, seed: int) -> None:
    design = random_design(request, np.random.default_rng(seed))
    figures = evaluate(request, design)
    sets = [set(np.flatnonzero(row).tolist()) for row in design]
    pairs = list(combinations(range(request.nodes), 2))
    shared = {(i, j): len(sets[i] & sets[j]) for i, j in pairs}
    assert figures.pairs == len(pairs)
    assert figures.uncovered == sum(count == 0 for count in shared.values())
    assert figures.histogram == tuple(
        sum(count == k for count in shared.values()) for k in range(max(shared.values(), default=-1) + 1)
    )
    if not pairs:
        return
    assert figures.least == min(shared.values())
    assert figures.mean == pytest.approx(sum(shared.values()) / len(pairs))
    assert figures.mean <= figures.mean_bound + 1e-9
    weight = {pair: request.weights[pair] for pair in pairs}
    mean = sum(weight[pair] * shared[pair] for pair in pairs) / sum(weight.values())
    assert figures.profile_mean == pytest.approx(mean)
    load = _loads(sets, weight)
    if all(shared[pair] for pair in pairs if weight[pair]):
        assert figures.throughput == pytest.approx(1 / max(load.values()))
        assert figures.throughput <= figures.throughput_bound + 1e-9
    if figures.uncovered:
        assert figures.quality == 0
    else:
        assert figures.profile_mean <= figures.profile_bound + 1e-9
        assert 0 < figures.quality <= 1


def _loads(sets: list[set[int]], weight: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
    load = {(node, switch): 0.0 for node, mine in enumerate(sets) for switch in mine} or {(0, 0): 0.0}
    for (i, j), demand in weight.items():
        for switch in sets[i] & sets[j]:
            for node in (i, j):
                load[node, switch] += demand / len(sets[i] & sets[j])
    return load


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 3), min_size=2, max_size=4), st.lists(st.integers(1, 4), min_size=1, max_size=3), seeds)
def test_a_refusal_is_true(nics: list[int], ports: list[int], seed: int) -> None:
    request = Request(np.array(nics), np.array(ports), traffic("all-to-all", len(nics)), "all-to-all")
    qualities = [evaluate(request, design) for design in _all(request)]
    covering = [figures.quality for figures in qualities if not figures.uncovered]
    try:
        best = search(request, Budget(seed=seed, rounds=2)).best
    except Impossible:
        assert not covering
    except NotFound:
        assert not covering
    else:
        assert best.evaluation.quality == pytest.approx(max(covering))


def _all(request: Request) -> list[Design]:
    """Every design of very small hardware."""
    cells = request.nodes * request.switches
    every = (np.arange(2**cells)[:, None] >> np.arange(cells) & 1).astype(bool)
    designs = every.reshape(-1, request.nodes, request.switches)
    fits = (designs.sum(axis=2) <= request.nics).all(axis=1) & (designs.sum(axis=1) <= request.ports).all(axis=1)
    return list(designs[fits])
