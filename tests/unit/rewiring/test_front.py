# SPDX-License-Identifier: Apache-2.0
"""The front of moves against gain: the best there is on small clusters, and every point what it says it is."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from flathood.cabling.moves import Cable
from flathood.cabling.picture import Nic
from flathood.cabling.ports import ports
from flathood.design.engine import Budget
from flathood.design.objective import evaluate, shared_switches
from flathood.design.request import Request, design_of
from flathood.design.tradeoff import MEASURES
from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.rewiring import Wish, front, moves_between
from flathood.rewiring.least import cables
from flathood.rewiring.plugged import plugged
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

ROOT = Path(__file__).parents[3]
COLOURS = ("#c62828", "#2e7d32", "#1565c0", "#f9a825")


def cluster_of(nodes: int, nics: int, switches: int, ports_: int, **keys: object) -> Cluster:
    named = [{"name": f"s{k}", "colour": COLOURS[k], "ports": ports_} for k in range(switches)]
    spec = {"cluster": "x", "nodes": {"count": nodes, "name": "n{}", "nics": nics}, "switches": named, **keys}
    return Cluster.model_validate(spec)


def designs(request: Request) -> Iterator[np.ndarray]:
    """Every design in which all NICs are used and every pair shares a switch."""
    rows = [
        np.isin(np.arange(request.switches), choice)
        for choice in itertools.combinations(range(request.switches), int(request.nics[0]))
    ]
    for choice in itertools.product(rows, repeat=request.nodes):
        design = np.array(choice)
        if request.fits(design) and not (request.required & (shared_switches(design) == 0)).any():
            yield design


def value(request: Request, design: np.ndarray, measure: str) -> float:
    figures = evaluate(request, design)
    return {
        "throughput": figures.throughput,
        "shared": figures.profile_mean,
        "quality": figures.profile_mean * figures.throughput,
    }[measure]


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize(("nodes", "switches", "width"), [(5, 3, 4), (6, 3, 4), (5, 4, 4), (4, 4, 4)])
def test_on_small_clusters_the_front_is_the_best_there_is(nodes, switches, width, measure):
    cluster = cluster_of(nodes, 2 if switches == 3 else 3, switches, width, profile="ring")
    request = Request.of(cluster)
    every = list(designs(request))
    rng = np.random.default_rng(nodes)
    there = every[int(rng.integers(len(every)))]
    rows = {f"n{k}": tuple(f"s{s}" for s in np.flatnonzero(row)) for k, row in enumerate(there)}
    found = front(cluster, Wiring(cluster="x", nodes=rows), Wish(measure=measure, budget=Budget(rounds=4)))
    for moves in range(nodes * 3):
        near = [each for each in every if (each & ~there).sum() <= moves]
        best = max(value(request, each, measure) for each in near)
        assert value(request, design_of(found.within(moves).wiring, cluster), measure) == pytest.approx(best)


@pytest.fixture(scope="module")
def klat2():
    return load(ROOT / "inventories" / "klat2", need_macs=False)


@pytest.fixture(scope="module")
def torus(klat2):
    return front(klat2.cluster, klat2.wiring, Wish("torus3d", budget=Budget(rounds=1)))


def _made(plugged_: set[Cable], moves) -> set[Cable]:
    for move in moves:
        plugged_.discard(move.before)
        if move.after is not None:
            plugged_.add(move.after)
    return plugged_


def test_every_point_takes_the_moves_it_says_and_covers_every_pair(klat2, torus):
    request = Request.of(klat2.cluster, None, "torus3d")
    before = ports(klat2.cluster, klat2.wiring)
    for point in torus.points:
        steps = moves_between(klat2.cluster, klat2.wiring, point.wiring)
        assert len(steps) == point.moves
        assert _made(set(cables(klat2.wiring.nodes)), steps) == set(cables(point.wiring.nodes))
        design = design_of(point.wiring, klat2.cluster)
        assert request.fits(design)
        assert (shared_switches(design) > 0).all()
        assert point.value == point.evaluation.throughput == evaluate(request, design).throughput
        after = ports(klat2.cluster, point.wiring)
        stays = set(cables(klat2.wiring.nodes)) & set(cables(point.wiring.nodes))
        assert all(before[nic.machine, nic.slot] == after[nic.machine, nic.slot] for nic, _ in stays)


def test_a_few_moves_bring_much_and_each_point_more_than_all_before(torus):
    assert torus.points[0].moves == 0
    assert torus.points[0].wiring is torus.plugged
    pairs = [(point.moves, point.value) for point in torus.points]
    assert all(a[0] < b[0] and a[1] <= b[1] + 1e-9 for a, b in itertools.pairwise(pairs))
    assert torus.reaching(0.5).moves <= 12
    assert torus.points[-1].value > 1.75 * torus.points[0].value


@pytest.fixture(scope="module")
def octet():
    return load(ROOT / "inventories" / "octet", need_macs=False)


def test_the_same_seed_gives_the_same_front(octet):
    fronts = [front(octet.cluster, octet.wiring, Wish("ring", budget=Budget(seed=3, rounds=1))) for _ in range(2)]
    assert fronts[0] == fronts[1]


def test_a_new_node_takes_its_cables_and_moves_few_others(klat2):
    spec = klat2.cluster.model_dump(exclude_unset=True, mode="json")
    nodes = [{"count": 64, "name": "k{:02d}", "nics": 4}, {"names": ["new"], "nics": 4}]
    cluster = Cluster.model_validate({**spec, "nodes": nodes})
    found = front(cluster, klat2.wiring, Wish(budget=Budget(rounds=1)))
    first = found.points[0]
    # No two switches have all 64 nodes (of 31 ports each), so it needs three cables at least.
    assert first.moves >= found.fewest >= 3
    assert first.moves <= 8
    assert {nic.machine for nic, _ in set(cables(first.wiring.nodes)) - set(cables(klat2.wiring.nodes))} >= {"new"}
    request = Request.of(cluster)
    assert not (request.required & (shared_switches(design_of(first.wiring, cluster)) == 0)).any()


def test_after_a_dead_switch_its_cables_go_where_they_help():
    cluster = cluster_of(6, 3, 4, 6)
    rows = {f"n{k}": ("s0", "s1", "s2" if k < 3 else "s3") for k in range(6)}
    rules = cluster.design.model_copy(update={"without": ("s0",)})
    old = Wiring(cluster="x", nodes=rows)
    found = front(cluster, old, Wish(rules=rules, budget=Budget(rounds=2)))
    # All share s1: no cable need be moved; three cables of each half into the other half's switch are all there is.
    assert (found.points[0].moves, found.fewest) == (0, 0)
    assert all("s0" not in row for point in found.points for row in point.wiring.nodes.values())
    assert found.points[-1].wiring.left_out == {"s0"}
    assert found.points[-1].moves == 6
    assert found.points[-1].evaluation.mean == 3.0


def test_a_dead_nic_stays_empty():
    cluster = cluster_of(6, 3, 4, 6)
    rows = {f"n{k}": ("s0", "s1", "s2" if k < 3 else "s3") for k in range(6)}
    wish = Wish("ring", broken=frozenset([Nic("n2", 0)]), budget=Budget(rounds=1))
    found = front(cluster, Wiring(cluster="x", nodes=rows), wish)
    assert all(point.wiring.nodes["n2"][0] is None for point in found.points)
    assert len(found.points) > 1


def test_too_few_moves_to_mend_a_rule_are_refused():
    cluster = cluster_of(3, 2, 3, 3)
    apart = Wiring(cluster="x", nodes={"n0": ("s0", None), "n1": ("s1", None), "n2": ("s2", None)})
    found = front(cluster, apart, Wish(budget=Budget(rounds=1)))
    assert found.points[0].moves == found.fewest == 2
    with pytest.raises(FlathoodError, match=r"1 moves are too few: .* which takes 2 to mend"):
        found.within(1)


def test_what_is_left_of_an_old_wiring_fits_the_cluster_of_today():
    cluster = cluster_of(3, 2, 3, 3)
    old = Wiring(
        cluster="x",
        nodes={"n0": ("s0", "gone"), "n1": ("s1", "s2", "s0"), "lost": ("s0", "s1")},
        ports={"n0": (2, 1), "n1": (1, 1, 3)},
    )
    left = plugged(cluster, old, without=("s1",), broken=frozenset([Nic("n0", 1)]))
    assert left.nodes == {"n0": ("s0", None), "n1": (None, "s2"), "n2": (None, None)}
    assert left.ports == {"n0": (2, None), "n1": (None, 1)}
