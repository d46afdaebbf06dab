# SPDX-License-Identifier: Apache-2.0
"""The designer: the paper's figures, known cases that planes give, one seed one wiring, and Ctrl-C."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flathood.design import designer
from flathood.design.anneal import Effort, anneal, random_design
from flathood.design.designer import Limits, NotFound, search
from flathood.design.objective import evaluate
from flathood.design.planes import constructions, prime_power, projective_plane
from flathood.design.polish import polish
from flathood.design.profiles import traffic
from flathood.design.request import Request, design_of, slots_of
from flathood.spec import load_cluster
from flathood.wiring import Wiring, load_wiring

INVENTORIES = Path(__file__).parents[2] / "inventories"


def request(nics: list[int], ports: list[int], profile: str = "all-to-all") -> Request:
    return Request(np.array(nics), np.array(ports), traffic(profile, len(nics)), profile)


def test_the_papers_figures_for_eight_nodes() -> None:
    cluster = load_cluster(INVENTORIES / "octet/cluster.yml")
    octet = design_of(load_wiring(INVENTORIES / "octet/wiring.yml", cluster), cluster)
    report = evaluate(Request.of(cluster), octet).report()
    assert str(report["shared"]["mean"]) == "1.28571428"
    assert str(report["bisection"]["best"]) == "24.0"
    assert str(report["bisection"]["conservative"]) == "10.28571428"
    assert str(report["latency"]) == "1.0"
    assert report["shared"]["histogram"] == [0, 24, 0, 4]
    assert report["optimal"]


def test_the_papers_tree_has_its_latency() -> None:
    tree = np.kron(np.eye(4), np.ones((2, 1))) > 0  # eight nodes, two on each of four switches, and an uplink
    evaluation = evaluate(request([1] * 8, [2] * 4), tree)
    assert evaluation.latency == pytest.approx((1 + 3 * 6) / 7)
    assert evaluation.quality == 0


@pytest.mark.parametrize("order", [2, 3, 4, 5, 7, 8, 9])
def test_two_lines_of_a_plane_meet_in_one_point(order: int) -> None:
    plane = projective_plane(order).astype(int)
    points = order * order + order + 1
    assert (plane @ plane.T == 1 + order * np.eye(points)).all()
    assert (plane.T @ plane == 1 + order * np.eye(points)).all()


def test_there_is_no_field_of_six_elements() -> None:
    assert prime_power(6) is None
    with pytest.raises(ValueError, match="6 is no prime power"):
        projective_plane(6)


@pytest.mark.parametrize(
    ("nodes", "ports", "nics", "switches"),
    [
        (13, 4, 4, 13),
        (21, 5, 5, 21),
        (31, 6, 6, 31),
        (74, 32, 3, 7),
        (104, 32, 4, 13),
        (128, 32, 5, 20),
        (156, 48, 4, 13),
        (1024, 244, 5, 21),
    ],
)
def test_known_cases_that_planes_give(nodes: int, ports: int, nics: int, switches: int) -> None:
    wanted = request([nics] * nodes, [ports] * switches)
    _, design = next(constructions(wanted, np.random.default_rng(0)))
    assert wanted.fits(design)
    assert evaluate(wanted, design).uncovered == 0


@pytest.mark.parametrize("name", ["hexa", "octet"])
def test_the_designer_finds_what_is_proved_optimal(name: str) -> None:
    cluster = load_cluster(INVENTORIES / name / "cluster.yml")
    assert search(Request.of(cluster)).best.evaluation.optimal


@pytest.mark.parametrize(
    ("nics", "ports"),
    [
        ([4, 4, 4, 2, 2, 2, 2, 3, 3, 3], [6, 6, 6, 5, 8]),
        ([1, 2, 2, 3, 3], [5, 3, 3]),
        ([2] * 5 + [4] * 5, [4, 4, 8, 8]),
        ([3] * 4, [8]),
        ([2], [1, 1]),
    ],
)
def test_unequal_hardware(nics: list[int], ports: list[int]) -> None:
    wanted = request(nics, ports)
    best = search(wanted, Limits(rounds=2)).best
    assert wanted.fits(best.design)
    assert best.evaluation.uncovered == 0


def test_a_search_that_finds_nothing_says_so() -> None:
    # No bound forbids it, yet eleven ports for twelve NICs leave one node with one cable, which meets only three.
    with pytest.raises(NotFound, match="no bound says that there is none"):
        search(request([2] * 6, [4, 4, 3]), Limits(rounds=1))


def test_the_same_seed_gives_the_same_design() -> None:
    wanted = request([4] * 16, [9] * 8)
    first, again, other = (search(wanted, Limits(seed=seed, rounds=1)).best.design for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_klat2s_wiring_is_the_designers_own() -> None:
    cluster = load_cluster(INVENTORIES / "klat2/cluster.yml")
    wiring = load_wiring(INVENTORIES / "klat2/wiring.yml", cluster)
    best = search(Request.of(cluster)).best
    assert (best.design == design_of(wiring, cluster)).all()
    assert wiring.design["quality"] == best.evaluation.report()["quality"]


def test_first_slots_are_dealt_out_evenly() -> None:
    cluster = load_cluster(INVENTORIES / "klat2/cluster.yml")
    wiring = load_wiring(INVENTORIES / "klat2/wiring.yml", cluster)
    firsts = np.bincount(wiring.matrix(cluster)[:, 0], minlength=9)
    assert firsts.max() - firsts.min() <= 1


def test_slots_and_design_are_inverse() -> None:
    cluster = load_cluster(INVENTORIES / "klat2/cluster.yml")
    design = np.random.default_rng(0).random((64, 9)) < 0.3
    design[:, 4:] = False  # no more than four NICs a node
    slots = slots_of(design, cluster)
    assert {len(mine) for mine in slots.values()} == {4}
    assert (design_of(Wiring(cluster="klat2", nodes=slots), cluster) == design).all()


def test_polish_keeps_every_pair_covered_also_those_without_traffic() -> None:
    wanted = request([3] * 8, [4] * 6, "ring")
    rng = np.random.default_rng(0)
    design = anneal(wanted, random_design(wanted, rng), rng, Effort(2000))
    assert evaluate(wanted, design).uncovered == 0
    polished = polish(wanted, design, rng, 2000)
    assert evaluate(wanted, polished).uncovered == 0
    assert evaluate(wanted, polished).quality >= evaluate(wanted, design).quality


def test_ctrl_c_keeps_what_the_running_search_has_met(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = request([4] * 16, [9] * 8)

    def interrupted(*arguments: Any) -> None:
        *others, effort, tell = arguments
        tell(anneal(*others, effort))
        raise KeyboardInterrupt

    monkeypatch.setattr(designer, "constructions", lambda *_: iter(()))
    monkeypatch.setattr(designer, "anneal", interrupted)
    found = search(wanted)
    assert found.interrupted
    assert found.best.engine == "local search"
    assert found.best.evaluation.uncovered == 0


def test_ctrl_c_keeps_the_best_design(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(designer, "polish", interrupt)
    wanted = request([4] * 16, [9] * 8)
    found = search(wanted)
    assert found.interrupted
    assert wanted.fits(found.best.design)
    assert found.best.evaluation.uncovered == 0
    monkeypatch.setattr(designer, "constructions", lambda *_: iter(()))
    monkeypatch.setattr(designer, "anneal", interrupt)
    with pytest.raises(KeyboardInterrupt):
        search(wanted)
