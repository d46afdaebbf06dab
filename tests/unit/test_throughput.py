# SPDX-License-Identifier: Apache-2.0
"""Concurrent throughput: closed forms, another formulation with another solver, and what is not solved told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ortools.linear_solver import pywraplp

from flathood.design.objective import evaluate, shared_switches, throughput_bound
from flathood.design.profiles import SHAPES, traffic
from flathood.design.request import Design, Request, design_of
from flathood.design.throughput import concurrent
from flathood.inventory import load

INVENTORIES = Path(__file__).parents[2] / "inventories"


def of(design: object, weights: np.ndarray, ports: int = 64) -> tuple[Request, Design]:
    cables = np.array(design, dtype=bool)
    return Request(cables.sum(axis=1), np.full(cables.shape[1], ports), weights, "test"), cables


def by_directions(weights: np.ndarray, design: Design) -> float:
    """The largest t with every ordered pair and both directions of every cable on its own."""
    solver = pywraplp.Solver.CreateSolver("GLOP")
    t = solver.NumVar(0, solver.infinity(), "t")
    n, switches = design.shape
    out = {(i, s): [] for i in range(n) for s in range(switches)}
    back = {key: [] for key in out}
    for i in range(n):
        for j in range(n):
            if weights[i, j]:
                shares = []
                for s in np.flatnonzero(design[i] & design[j]).tolist():
                    flow = solver.NumVar(0, solver.infinity(), "")
                    shares.append(flow)
                    out[i, s].append(flow)
                    back[j, s].append(flow)
                solver.Add(sum(shares) == t * float(weights[i, j]))
    for flows in [*out.values(), *back.values()]:
        if flows:
            solver.Add(sum(flows) <= 1)
    solver.Maximize(t)
    assert solver.Solve() == pywraplp.Solver.OPTIMAL
    return t.solution_value()


@pytest.mark.parametrize("shared", [1, 2, 5])
def test_a_pair_alone_has_a_link_for_every_switch_it_shares(shared: int) -> None:
    design = np.ones((2, shared), dtype=bool)
    assert concurrent(*of(design, traffic("ring", 2))).t == pytest.approx(shared)


@pytest.mark.parametrize(("inventory", "links"), [("hexa", 2), ("octet", 3), ("klat2", 4)])
def test_all_to_all_traffic_fills_every_nic_of_the_example_clusters(inventory: str, links: int) -> None:
    folder = INVENTORIES / inventory
    there = load(folder, need_macs=False)
    request = Request.of(there.cluster, folder, "all-to-all")
    found = concurrent(request, design_of(there.wiring, there.cluster))
    assert found.t == pytest.approx(links)
    assert found.bound == pytest.approx(links)
    assert found.exact


def test_what_has_a_choice_makes_way_for_what_has_none() -> None:
    # a and b share red and blue, b and c only blue: an even split puts 1/2 + 1 on b's blue cable, but a and b can
    # leave it to b and c altogether.
    weights = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=float)
    request, design = of([[1, 1], [1, 1], [0, 1]], weights)
    assert evaluate(request, design).throughput == pytest.approx(2 / 3)
    found = concurrent(request, design)
    assert (found.t, found.limit, found.method) == (pytest.approx(1), pytest.approx(1), "linear program")


def test_a_pair_of_the_profile_without_a_switch_gets_nothing() -> None:
    request, design = of([[1, 0], [0, 1]], traffic("ring", 2))
    assert (concurrent(request, design).t, concurrent(request, design).limit) == (0, 0)


def test_no_traffic_fits_once() -> None:
    assert concurrent(*of([[1, 1]], traffic("ring", 1))).t == 1


def test_nodes_and_switches_that_are_not_used_do_not_count() -> None:
    weights = np.zeros((3, 3))
    weights[0, 1] = weights[1, 0] = 1
    request = Request(np.array([2, 2, 0]), np.array([2, 0, 2]), weights, "test")
    design = np.array([[1, 0, 1], [1, 0, 1], [0, 0, 0]], dtype=bool)
    assert concurrent(request, design).t == pytest.approx(2)


@st.composite
def problems(draw: st.DrawFn) -> tuple[Request, Design]:
    n, switches = draw(st.integers(2, 8)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    design = rng.random((n, switches)) < 0.7
    design[:, 0] = True
    if draw(st.booleans()):
        weights = traffic(draw(st.sampled_from(sorted(SHAPES))), n)
    else:
        weights = np.triu(rng.integers(0, 5, (n, n)), 1).astype(float)
        weights = weights + weights.T
    return of(design, weights, n)


@settings(max_examples=60, deadline=None)
@given(problems())
def test_throughput_equals_that_of_every_direction_on_its_own(problem: tuple[Request, Design]) -> None:
    request, design = problem
    found = concurrent(request, design)
    if not request.weights.any():
        assert found.t == 1
        return
    assert found.t == pytest.approx(by_directions(request.weights, design), rel=1e-5)
    assert found.exact
    assert evaluate(request, design).throughput <= found.t * (1 + 1e-9)
    assert found.t <= found.bound * (1 + 1e-6)


@settings(max_examples=40, deadline=None)
@given(problems())
def test_what_is_too_large_to_solve_is_enclosed(problem: tuple[Request, Design]) -> None:
    request, design = problem
    exact, rough = concurrent(request, design), concurrent(request, design, most_shares=0)
    assert rough.t <= exact.t * (1 + 1e-6)
    assert exact.t <= rough.limit * (1 + 1e-6)
    if request.weights.any():
        assert rough.method == "even split"
        assert rough.t == pytest.approx(evaluate(request, design).throughput)


def test_what_limits_a_throughput_that_is_not_solved() -> None:
    # Node 0 talks most, over two cables: 3 / 2 a cable at least. An even split puts 1 / 2 + 1 / 2 + 1 on one of them.
    star = np.zeros((4, 4))
    star[0, 1:] = star[1:, 0] = 1
    request, design = of([[1, 1], [1, 1], [1, 1], [1, 0]], star)
    rough = concurrent(request, design, most_shares=0)
    assert (rough.t, rough.limit) == (pytest.approx(1 / 2), pytest.approx(2 / 3))
    assert not rough.exact
    # Nodes 0 and 1 share one switch and have no choice: 2 a cable, though they have a second one.
    pairs = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]], dtype=float)
    request, design = of([[1, 1, 1, 1, 0], [1, 0, 0, 0, 1], [1, 1, 0, 0, 0]], pairs)
    rough = concurrent(request, design, most_shares=0)
    assert (rough.t, rough.limit) == (pytest.approx(1 / 2.5), pytest.approx(1 / 2))


@pytest.mark.parametrize(("nics", "ports", "bound"), [(3, 4, 3), (3, 2, 3 * 2 / 4), (1, 4, 1)])
def test_no_design_carries_more_than_its_nics_and_ports(nics: int, ports: int, bound: float) -> None:
    request = Request(np.full(4, nics), np.full(3, ports), traffic("ring", 4), "ring")
    assert throughput_bound(request) == pytest.approx(bound)


def test_an_even_split_that_meets_its_limit_needs_no_program() -> None:
    n = 1200
    design = np.ones((n, 3), dtype=bool)
    request, design = of(design, traffic("all-to-all", n), n)
    assert int(shared_switches(design).sum()) > 4_000_000
    found = concurrent(request, design)
    assert found.exact
    assert found.t == pytest.approx(3)
