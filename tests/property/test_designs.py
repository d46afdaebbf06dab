# SPDX-License-Identifier: Apache-2.0
"""Designs of random hardware: never a limit broken, coverage true whenever claimed, figures as brute force has them."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.design.bounds import Impossible
from flathood.design.designer import Candidate, NotFound, search
from flathood.design.engine import Budget
from flathood.design.engines import ENGINES
from flathood.design.objective import evaluate
from flathood.design.profiles import SHAPES, traffic
from flathood.design.request import Design, Request, design_of
from flathood.design.slots import slots_of
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring


@st.composite
def requests(draw: st.DrawFn, most_nodes: int = 14) -> Request:
    nics = draw(st.lists(st.integers(1, 5), min_size=1, max_size=most_nodes))
    ports = draw(st.lists(st.integers(1, 16), min_size=1, max_size=8))
    profile = draw(st.sampled_from(sorted(SHAPES)))
    return Request(np.array(nics), np.array(ports), traffic(profile, len(nics)), profile)


@st.composite
def ruled(draw: st.DrawFn, most_nodes: int = 12) -> Request:
    """Requests of any mode, with nodes and switches that are not to be used and cables that stay."""
    plain = draw(requests(most_nodes))
    nics, ports = plain.nics.copy(), plain.ports.copy()
    nics[draw(st.lists(st.integers(0, len(nics) - 1), max_size=len(nics) - 1))] = 0
    ports[draw(st.lists(st.integers(0, len(ports) - 1), max_size=len(ports) - 1))] = 0
    used = np.logical_and.outer(nics > 0, nics > 0)
    request = replace(plain, nics=nics, ports=ports, weights=plain.weights * used, mode=draw(modes))
    any_design = _at_random(request, np.random.default_rng(draw(seeds)))
    share = draw(st.sampled_from([0.0, 0.2, 1.0]))
    some = any_design & (np.random.default_rng(draw(seeds)).random(any_design.shape) < share)
    return replace(request, keep=some if some.any() else None)


def _at_random(request: Request, rng: np.random.Generator) -> Design:
    design = np.zeros((request.nodes, request.switches), dtype=bool)
    for node, switch in rng.permutation(np.argwhere(~design)):
        design[node, switch] = (
            design[node].sum() < request.nics[node] and design[:, switch].sum() < request.ports[switch]
        )
    return design


seeds = st.integers(0, 2**32)
modes = st.sampled_from(["universal", "fractional", "sparse"])


@settings(max_examples=40, deadline=None)
@given(ruled(), seeds, st.booleans())
def test_every_engine_keeps_the_limits_and_claims_only_what_is_so(request: Request, seed: int, started: bool) -> None:
    small = request.without_unused()
    start = _at_random(small, np.random.default_rng(seed)) if started else None
    if start is not None and not small.fits(start):
        start = None
    told: list[Design] = []
    for engine in ENGINES.values():
        if not engine.suits(small):
            continue
        answer = engine.solve(small, start, Budget(seed, 0.2, 1), lambda design, _: told.append(design.copy()))
        for design in (*told, *([] if answer.design is None else [answer.design])):
            assert small.fits(design), engine.name
        if start is not None and answer.design is not None and engine.name in ("genetic", "local"):
            begun, ended = (Candidate.of(small, design, "") for design in (start, answer.design))
            assert not begun.better_than(ended), engine.name
        if answer.proof and answer.proof.kind == "impossible":
            assert answer.design is None or Candidate.of(small, answer.design, "").missing


@settings(max_examples=40, deadline=None)
@given(ruled(), seeds)
def test_what_the_designer_gives_keeps_the_rules_and_covers_what_it_must(request: Request, seed: int) -> None:
    try:
        best = search(request, Budget(seed, 0.2, 1)).best
    except (Impossible, NotFound):
        return
    design = best.design
    assert request.fits(design)
    assert not design[request.nics == 0].any()
    assert not design[:, request.ports == 0].any()
    assert request.keep is None or design[request.keep].all()
    shared = {(i, j) for i, j in combinations(range(request.nodes), 2) if (design[i] & design[j]).any()}
    for i, j in combinations(np.flatnonzero(request.nics).tolist(), 2):
        if request.mode == "universal" or (request.mode == "sparse" and request.weights[i, j] > 0):
            assert (i, j) in shared


@settings(max_examples=60, deadline=None)
@given(ruled(), st.data())
def test_slots_are_the_design_and_cables_that_stay_keep_theirs(request: Request, data: st.DataObject) -> None:
    cluster = Cluster.model_validate(
        {
            "cluster": "any",
            "nodes": [{"names": [f"n{k}"], "nics": max(int(nics), 1)} for k, nics in enumerate(request.nics)],
            "switches": [{"name": f"s{k}", "colour": f"#0000{k:02x}", "ports": 20} for k in range(request.switches)],
        }
    )
    old, new = (_at_random(request, np.random.default_rng(data.draw(seeds))) for _ in range(2))
    before = Wiring(cluster="any", nodes=slots_of(old, cluster))
    after = Wiring(cluster="any", nodes=slots_of(new, cluster, before))
    assert (design_of(after, cluster) == new).all()
    for node, switches in after.nodes.items():
        plugged = [switch for switch in switches if switch]
        assert len(set(plugged)) == len(plugged)
        for slot, switch in enumerate(before.nodes[node]):
            assert switch not in plugged or switches[slot] == switch


@settings(max_examples=100, deadline=None)
@given(requests(8), seeds)
def test_the_figures_equal_brute_force(request: Request, seed: int) -> None:
    design = _at_random(request, np.random.default_rng(seed))
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
    if not request.weights.any():  # bit-reversal of two nodes
        assert figures.throughput == figures.throughput_bound == 1
        return
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
