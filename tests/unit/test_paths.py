# SPDX-License-Identifier: Apache-2.0
"""Basic routing: the choice is a shared neighborhood, the same from both ends, and even."""

from __future__ import annotations

import numpy as np
import pytest

from flathood.bench import synthetic
from flathood.design.profiles import traffic
from flathood.fabrics import fabric_of
from flathood.plan import Plan
from flathood.plan.paths import balance, nic_loads, rounds
from tests.plans import HEXA, plan_of


def loads(plan: Plan) -> np.ndarray:
    return nic_loads(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)


@pytest.mark.parametrize("n", [1, 2, 5, 8, 13])
def test_rounds_have_every_pair_once_and_each_node_once_a_round(n: int) -> None:
    pairs = []
    for a, b in rounds(n):
        assert len({*a.tolist(), *b.tolist()}) == 2 * len(a)
        pairs += list(zip(a.tolist(), b.tolist(), strict=True))
    assert sorted(pairs) == [(i, j) for i in range(n) for j in range(i + 1, n)]


def test_the_paper_s_first_example_has_five_pairs_on_each_switch() -> None:
    plan = plan_of(HEXA)
    pairs = np.bincount(plan.chosen[np.triu_indices(6, 1)])
    assert pairs.tolist() == [5, 5, 5]


def test_a_blown_up_plane_is_loaded_evenly() -> None:
    plan = synthetic.plan(130)
    found = balance(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)
    assert found.nic_most <= 1.05 * found.nic_bound
    assert found.segment_most <= 1.05 * found.segment_bound


def test_an_irregular_network_reaches_the_bound_too() -> None:
    rng = np.random.default_rng(1)
    plan = plan_of(tuple(tuple(f"s{switch}" for switch in rng.permutation(7)[:4]) for _ in range(100)))
    found = balance(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)
    assert found.nic_most <= 1.01 * found.nic_bound


def test_heavy_pairs_of_a_profile_get_different_nics() -> None:
    rows = tuple(("s0", "s1") for _ in range(6))
    plan = plan_of(rows, profile="ring")
    ring = traffic("ring", 6) > 0
    for node in range(6):
        first, second = plan.chosen[node][ring[node]].tolist()
        assert first != second


def test_a_node_whose_first_slot_is_unused_has_its_outside_address_on_the_next() -> None:
    plan = plan_of(((None, "red"), ("red", None)))
    assert [plan.outside_slot(node) for node in (0, 1)] == [1, 0]


def test_the_bound_knows_pairs_that_have_no_choice() -> None:
    plan = plan_of((("red", "blue"), ("red",), ("red",), ("red",)))  # blue is of no use to anybody
    found = balance(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)
    assert found.nic_most == pytest.approx(found.nic_bound) == pytest.approx(1.0)
    assert loads(plan)[0].max() == pytest.approx(1.0)
