# SPDX-License-Identifier: Apache-2.0
"""The designer: the paper's figures, known cases that planes give, one seed one wiring, and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from flathood.design import designer
from flathood.design.bounds import Impossible
from flathood.design.designer import Candidate, NotFound, search
from flathood.design.engine import Answer, Budget, Proof, Tell
from flathood.design.objective import evaluate
from flathood.design.planes import constructions, prime_power, projective_plane
from flathood.design.profiles import traffic
from flathood.design.request import Design, Request, design_of
from flathood.design.slots import slots_of
from flathood.errors import FlathoodError
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
    best = search(wanted, Budget(rounds=2)).best
    assert wanted.fits(best.design)
    assert best.evaluation.uncovered == 0


def test_what_no_bound_forbids_is_refused_when_all_wirings_were_searched() -> None:
    # Eleven ports for twelve NICs leave one node with one cable, which meets only three.
    with pytest.raises(Impossible, match="all wirings were searched"):
        search(request([2] * 6, [4, 4, 3]))


def test_the_same_seed_gives_the_same_design() -> None:
    wanted = request([4] * 16, [9] * 8)
    first, again, other = (search(wanted, Budget(seed=seed, rounds=1)).best.design for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other).any()


def test_klat2s_wiring_is_hardly_better_than_the_designers_own() -> None:
    cluster = load_cluster(INVENTORIES / "klat2/cluster.yml")
    wiring = load_wiring(INVENTORIES / "klat2/wiring.yml", cluster)
    best = search(Request.of(cluster)).best
    assert best.evaluation.quality >= 0.98 * wiring.design["quality"]


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


class Stub:
    """An engine that tells, answers or raises what it is given."""

    def __init__(self, name: str, *told: Design, answer: Answer | None = None, suits: bool = True) -> None:
        self.name, self.told, self.answer, self.suited = name, told, answer, suits
        self.calls: list[tuple[Design | None, Budget]] = []

    def suits(self, request: Request) -> bool:
        return self.suited

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        self.calls.append((start, budget))
        for design in self.told:
            tell(design, f"{self.name}, still at work")
        if self.answer is None:
            raise KeyboardInterrupt
        return self.answer


@pytest.fixture
def play(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let the designer ask these engines, in this order."""

    def use(*stubs: Stub) -> None:
        monkeypatch.setattr(designer, "ENGINES", {stub.name: stub for stub in stubs})
        monkeypatch.setattr(designer, "TURNS", tuple(stub.name for stub in stubs))

    return use


SIX = request([2] * 6, [4] * 4)
PAIRS = np.array([[1, 1, 0, 0]] * 2 + [[1, 0, 1, 0]] * 2 + [[0, 1, 1, 0]] * 2, dtype=bool)  # optimal on three switches
POOR = np.array([[1, 0, 0, 0]] * 4 + [[1, 0, 0, 0], [0, 1, 0, 0]], dtype=bool)[[0, 1, 2, 3, 5, 5]]  # leaves pairs apart


def test_every_engine_begins_from_the_best_so_far_and_the_best_of_all_wins(play: Callable[..., None]) -> None:
    first = Stub("construction", answer=Answer(POOR, "a poor one"))
    second = Stub("genetic", answer=Answer(PAIRS, "genetic"))
    third = Stub("local", answer=Answer(POOR, "local"))
    play(first, second, third)
    found = search(request([2] * 6, [4] * 4, "ring"), Budget(seed=7, rounds=3, jobs=2))
    assert first.calls == [(None, Budget(seed=7, rounds=3, jobs=2))]
    assert second.calls[0][0] is POOR
    assert third.calls[0][0] is PAIRS
    assert (found.best.design == PAIRS).all()
    assert found.best.engine == "genetic"
    assert [(turn.engine, turn.missing) for turn in found.turns] == [("construction", 8), ("genetic", 0), ("local", 8)]


def test_nobody_searches_exhaustively_for_what_is_there(play: Callable[..., None]) -> None:
    exact = Stub("exact", answer=Answer(None, "exact"))
    play(Stub("construction", answer=Answer(PAIRS, "triangle")), exact)
    search(request([2] * 6, [4] * 4, "ring"))
    assert not exact.calls
    play(Stub("construction", answer=Answer(None, "construction")), exact, Stub("genetic", answer=Answer(PAIRS, "")))
    search(SIX)
    assert exact.calls


def test_what_does_not_suit_is_not_asked_and_refused_when_asked_for(play: Callable[..., None]) -> None:
    unfit = Stub("exact", suits=False)
    play(unfit, Stub("genetic", answer=Answer(PAIRS, "genetic")))
    assert [turn.engine for turn in search(SIX).turns] == ["genetic"]
    with pytest.raises(FlathoodError, match="the exact engine does not suit this request"):
        search(SIX, engine="exact")
    assert search(SIX, engine="genetic").best.engine == "genetic"


def test_a_proof_ends_the_search(play: Callable[..., None]) -> None:
    proof = Proof("optimal", "exhaustive search", "no other design is better")
    play(Stub("exact", answer=Answer(PAIRS, "exact", proof)), later := Stub("genetic", answer=Answer(POOR, "genetic")))
    assert search(request([2] * 6, [4] * 4, "ring")).proof == proof
    assert not later.calls


def test_a_proof_that_there_is_none_is_a_refusal(play: Callable[..., None]) -> None:
    proof = Proof("impossible", "exhaustive search", "each of the 12 designs leaves a pair apart")
    play(Stub("exact", answer=Answer(None, "exact", proof)))
    with pytest.raises(Impossible, match=r"each of the 12 designs leaves a pair apart \(exhaustive search\)"):
        search(SIX)


def test_ctrl_c_keeps_the_best_that_was_told(play: Callable[..., None]) -> None:
    play(Stub("construction", answer=Answer(POOR, "a poor one")), Stub("genetic", POOR, PAIRS))
    found = search(SIX)
    assert found.interrupted
    assert (found.best.design == PAIRS).all()
    assert found.best.engine == "genetic, still at work"
    assert [(turn.engine, turn.missing) for turn in found.turns] == [("construction", 8), ("genetic", 0)]
    play(Stub("construction", answer=Answer(PAIRS[:, [0, 1, 3, 2]], "triangle")), Stub("genetic", POOR))
    assert search(request([2] * 6, [4] * 4, "ring")).best.engine == "triangle"
    play(Stub("genetic", POOR))
    with pytest.raises(KeyboardInterrupt):
        search(SIX)


def test_nodes_and_switches_that_are_not_to_be_used_stay_out(play: Callable[..., None]) -> None:
    play(engine := Stub("genetic", answer=Answer(PAIRS[:, :3], "genetic")))
    found = search(request([2, 2, 0, 2, 2, 2, 2], [0, 4, 4, 4]))
    assert engine.calls
    assert not found.best.design[2].any()
    assert not found.best.design[:, 0].any()
    assert (found.best.design[[0, 1, 3, 4, 5, 6], 1:] == PAIRS[:, :3]).all()


def test_what_counts_more() -> None:
    ring = request([2] * 4, [2] * 4, "ring")
    covers_ring = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]], dtype=bool)
    covers_less = np.array([[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 1, 0, 1]], dtype=bool)
    for mode in ("sparse", "fractional"):
        wanted = replace(ring, mode=mode)
        good, bad = (Candidate.of(wanted, design, "") for design in (covers_ring, covers_less))
        assert good.better_than(bad)
        assert not bad.better_than(good)
        assert not good.better_than(good)
        assert (good.missing, bad.missing) == ((0, 2) if mode == "sparse" else (0, 0))


def test_a_search_that_leaves_pairs_apart_says_which_engines_ran(play: Callable[..., None]) -> None:
    play(Stub("construction", answer=Answer(None, "")), Stub("genetic", answer=Answer(POOR, "genetic")))
    with pytest.raises(NotFound, match=r"8 pairs left over; searched by: construction, genetic"):
        search(SIX)
    assert search(replace(SIX, mode="fractional")).best.evaluation.uncovered == 8


def test_cables_that_stay_keep_their_nics() -> None:
    cluster = load_cluster(INVENTORIES / "hexa/cluster.yml")
    before = load_wiring(INVENTORIES / "hexa/wiring.yml", cluster)
    design = design_of(before, cluster)
    design[0] = [False, True, True]  # red goes, blue comes
    assert before.nodes["a"] == ("red", "green")
    slots = slots_of(design, cluster, before)
    assert slots["a"] == ("blue", "green")
    assert all(slots[node] == before.nodes[node] for node in "bcdef")


def test_seed_rounds_and_jobs_give_the_same_design_again() -> None:
    wanted = request([3] * 12, [6] * 7, "ring")
    twice = [search(wanted, Budget(seed=1, rounds=1, jobs=2), engine="genetic").best.design for _ in range(2)]
    assert (twice[0] == twice[1]).all()


@pytest.mark.parametrize(
    ("profile", "mean"), [("ring", 3.6), ("torus2d", 3.05), ("torus3d", 2.75), ("hypercube", 2.75)]
)
def test_klat2_for_a_programs_traffic(profile: str, mean: float) -> None:
    found = search(request([4] * 64, [31] * 9, profile), Budget(rounds=1), engine="genetic").best.evaluation
    assert found.uncovered == 0
    assert found.profile_mean >= mean


def test_a_large_sparse_cluster() -> None:
    wanted = replace(request([4] * 256, [16] * 72, "torus3d"), mode="sparse")
    found = search(wanted, Budget(seconds=2.0), engine="genetic").best
    assert wanted.fits(found.design)
    assert found.missing == 0
    assert found.evaluation.uncovered > 0
