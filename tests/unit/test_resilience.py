# SPDX-License-Identifier: Apache-2.0
"""What a failure costs equals what is missing after the switch, NIC or cable is really gone."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.design.profiles import SHAPES, traffic
from flathood.design.request import Design, Request
from flathood.design.resilience import Loss, Resilience, resilience

HEXA = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1], [0, 1, 1], [0, 1, 1]], dtype=bool)


def of(design: Design, weights: np.ndarray) -> Request:
    return Request(design.sum(axis=1), np.full(design.shape[1], len(design)), weights, "test")


@st.composite
def problems(draw: st.DrawFn) -> tuple[Request, Design]:
    n, switches = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    design = rng.random((n, switches)) < draw(st.sampled_from([0.4, 0.7, 1.0]))
    return of(design, traffic(draw(st.sampled_from(sorted(SHAPES))), n)), design


def measured(request: Request, design: Design, left: Design) -> tuple[int, int, float, float]:
    """Nodes cut off, pairs and traffic lost, and the throughput of the rest, pair by pair."""
    off = sum(bool(before.any()) and not after.any() for before, after in zip(design, left, strict=True))
    lost, gone = 0, 0.0
    load = dict.fromkeys(((i, s) for i, s in np.argwhere(left).tolist()), 0.0)
    for i, j in combinations(range(len(design)), 2):
        ways = np.flatnonzero(left[i] & left[j]).tolist()
        if not ways and (design[i] & design[j]).any():
            lost += 1
            gone += request.weights[i, j]
        for switch in ways:
            for node in (i, j):
                load[node, switch] += request.weights[i, j] / len(ways)
    total = request.weights.sum() / 2
    most = max(load.values(), default=0.0)
    return off, lost, gone / total if total else 0.0, 1 / most if most else 1.0


def figures(loss: Loss) -> tuple[int, int, float, float]:
    return loss.cut_off, loss.pairs, pytest.approx(loss.traffic), pytest.approx(loss.throughput)


@settings(max_examples=120, deadline=None)
@given(problems())
def test_every_loss_equals_that_of_really_taking_it_out(problem: tuple[Request, Design]) -> None:
    request, design = problem
    found = resilience(request, design)
    assert [loss.switch for loss in found.switches] == np.flatnonzero(design.any(axis=0)).tolist()
    assert [[loss.node, loss.switch] for loss in found.cables] == np.argwhere(design).tolist()
    for loss in found.switches:
        left = design.copy()
        left[:, loss.switch] = False
        assert measured(request, design, left) == figures(loss)
    for loss in found.cables:
        left = design.copy()
        left[loss.node, loss.switch] = False
        assert measured(request, design, left) == figures(loss)


def test_the_first_example_of_the_paper() -> None:
    found = resilience(of(HEXA, traffic("all-to-all", 6)), HEXA)
    # Without a switch its four nodes have one NIC left; of their six pairs the two twins share their other switch.
    assert [(loss.pairs, loss.cut_off) for loss in found.switches] == [(4, 0)] * 3
    assert Resilience.worst(found.cables).pairs == 2


def test_worst_and_slowest() -> None:
    none = Loss(0, None, 0, 0, 0.0, 0.5)
    pairs = Loss(1, None, 0, 3, 0.1, 0.7)
    off = Loss(2, None, 1, 2, 0.1, 0.9)
    assert Resilience.worst((none, pairs, off)) is off
    assert Resilience.worst((none, pairs)) is pairs
    assert Resilience.slowest((none, pairs, off)) is none
    assert Resilience.worst(()) is Resilience.slowest(()) is None


def test_a_node_with_one_cable_is_cut_off_with_it() -> None:
    design = np.ones((2, 1), dtype=bool)
    found = resilience(of(design, traffic("ring", 2)), design)
    assert [(loss.cut_off, loss.pairs, loss.traffic, loss.throughput) for loss in found.cables] == [(1, 1, 1, 1)] * 2
    assert found.switches[0].cut_off == 2
