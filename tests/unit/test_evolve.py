# SPDX-License-Identifier: Apache-2.0
"""The compiled search: what its loops do to a design, and that no step breaks a limit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flathood.design import kernels
from flathood.design.evolve import Task, anneal, begin, generation, polish, random_design
from flathood.design.objective import even_rate, shared_switches
from flathood.design.profiles import traffic
from flathood.design.request import Request

KLAT2 = Request(np.full(64, 4), np.full(9, 31), traffic("all-to-all", 64), "all-to-all")
TORUS = replace(KLAT2, weights=traffic("torus2d", 64), profile="torus2d")


def test_children_have_as_many_cables_as_their_mother_at_every_node_and_switch() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        mother, father = (random_design(KLAT2, rng).astype(np.uint8) for _ in range(2))
        kernels.seed(seed)
        child = mother.copy()
        kernels.cross(child, father, 12)
        assert (child.sum(axis=0) == mother.sum(axis=0)).all()
        assert (child.sum(axis=1) == mother.sum(axis=1)).all()
        taken = (child == 1) & (mother == 0)
        assert taken.any()
        assert (father[taken] == 1).all()
        assert (child[(mother == 1) & (father == 1)] == 1).all()  # what both parents have stays


def test_annealing_makes_klat2_a_flat_neighborhood() -> None:
    rng = np.random.default_rng(0)
    start = random_design(KLAT2, rng)
    assert (shared_switches(start) == 0).any()
    found = anneal(Task(KLAT2), start, rng, 0, 1.0)
    assert KLAT2.fits(found)
    assert shared_switches(found).all()


def test_polish_relieves_cables_and_costs_no_shared_switch_of_the_traffic() -> None:
    rng = np.random.default_rng(3)
    design = anneal(Task(TORUS), random_design(TORUS, rng), rng, 0, 1.0)
    polished = polish(Task(TORUS), design, rng)
    before, after = shared_switches(design), shared_switches(polished)
    assert after.all()
    assert TORUS.fits(polished)
    assert (TORUS.weights * after).sum() >= (TORUS.weights * before).sum() - 1e-9
    assert even_rate(TORUS.weights, polished, after) >= even_rate(TORUS.weights, design, before) - 1e-9


def test_idle_nics_are_plugged_where_there_are_ports() -> None:
    request = Request(np.full(4, 2), np.full(3, 4), traffic("all-to-all", 4), "all-to-all")
    rng = np.random.default_rng(0)
    found = anneal(Task(request), np.zeros((4, 3), dtype=bool), rng, 0, 1.0)
    assert (found.sum(axis=1) == 2).all()


def test_kept_cables_are_never_moved() -> None:
    rng = np.random.default_rng(5)
    keep = np.zeros((64, 9), dtype=bool)
    keep[:20, 0] = keep[40:60, 8] = True
    request = replace(TORUS, keep=keep)
    population = begin(Task(request), None, rng)
    population = generation(Task(request), population, rng, 0)
    assert all(request.fits(individual.design) for individual in population)


def test_a_population_is_of_different_designs_best_first() -> None:
    rng = np.random.default_rng(6)
    population = generation(Task(TORUS), begin(Task(TORUS), None, rng), rng, 0)
    scores = [individual.score for individual in population]
    assert scores == sorted(set(scores), reverse=True)


@pytest.mark.parametrize("nodes", [200, 260])
def test_a_shrunk_problem_gives_a_large_one_the_basic_property(nodes: int) -> None:
    request = Request(np.full(nodes, 4), np.full(13, 96), traffic("ring", nodes), "ring")
    first = begin(Task(request), None, np.random.default_rng(0))
    assert request.fits(first[0].design)
    assert first[0].score[0] == 0
