# SPDX-License-Identifier: Apache-2.0
"""Basic routing: the choice is a shared neighborhood, the same from both ends, and even."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from flathood.bench import synthetic
from flathood.cli.main import cli
from flathood.design.profiles import SHAPES, traffic
from flathood.fabrics import fabric_of
from flathood.inventory import load
from flathood.plan import Plan, make_plan
from flathood.plan.balance import balance, least, nic_bound, nic_loads
from flathood.plan.chains import relieve
from flathood.plan.paths import choose, rounds
from tests.plans import HEXA, plan_of

ROOT = Path(__file__).resolve().parents[2]


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


@pytest.mark.parametrize("profile", list(SHAPES))
def test_klat2_is_at_the_bound_for_every_profile(profile: str) -> None:
    loaded = load(ROOT / "inventories/klat2", need_macs=True)
    cluster = loaded.cluster.model_copy(update={"profile": profile})
    plan = make_plan(cluster, loaded.wiring, loaded.registry)
    fabric = fabric_of(cluster, loaded.wiring)
    assert nic_bound(fabric, plan.weights) <= loads(plan).max() <= 1.01 * nic_bound(fabric, plan.weights)
    alone = traffic(profile, 64)  # the profile without the little of all-to-all that the choice adds
    assert nic_loads(fabric, plan.chosen, alone).max() <= 1.01 * nic_bound(fabric, alone)


def test_a_chain_of_moves_colours_a_complete_graph() -> None:
    """Eight nodes on the same seven switches: 28 pairs, seven perfect matchings; one by one, some NIC gets two."""
    plan = plan_of(tuple(tuple(f"s{k}" for k in range(7)) for _ in range(8)))
    assert loads(plan).max() == pytest.approx(1 / 7)


@pytest.mark.parametrize("seed", range(6))
def test_the_least_load_is_that_of_the_best_of_all_choices(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = tuple(tuple(f"s{k}" for k in rng.permutation(3)[:2]) for _ in range(5))
    plan = plan_of(rows)
    fabric = fabric_of(plan.cluster, plan.wiring)
    weights = np.triu(rng.integers(1, 5, (5, 5)).astype(float), 1)
    weights += weights.T
    pairs = list(combinations(range(5), 2))
    best = np.inf
    for choice in product(*(plan.shared(*pair) for pair in pairs)):
        chosen = np.full((5, 5), -1, dtype=np.int16)
        for (i, j), segment in zip(pairs, choice, strict=True):
            chosen[i, j] = chosen[j, i] = segment
        best = min(best, nic_loads(fabric, chosen, weights).max())
    assert least(fabric, weights) == pytest.approx(best)
    assert nic_bound(fabric, weights) <= best + 1e-9
    settled = choose(fabric, weights)
    relieve(fabric, settled, weights)
    found = balance(fabric, settled, weights)
    assert found.proved
    assert found.nic_bound == pytest.approx(best)
    assert found.nic_most <= 1.2 * best


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


def test_one_command_tells_the_balance_of_every_profile() -> None:
    told = CliRunner().invoke(cli, ["balance", str(ROOT / "inventories/hexa"), "--json"])
    rows = {row["profile"]: row for row in json.loads(told.output)["rows"]}
    assert rows.keys() == SHAPES.keys()
    # Five peers on two NICs: 3 of 5 on one of them; 15 pairs, 5 on each of 3 switches.
    assert rows["all-to-all"]["nic_most"] == pytest.approx(0.6)
    assert rows["all-to-all"]["segment_most"] == pytest.approx(1)
    assert all(row["nic_bound"] - 1e-9 <= row["nic_most"] <= 1.05 * row["nic_bound"] for row in rows.values())
    shown = CliRunner().invoke(cli, ["balance", str(ROOT / "inventories/hexa"), "--profile", "ring"]).output
    assert "0.9960" in shown
    assert "all-to-all" not in shown
