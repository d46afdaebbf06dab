# SPDX-License-Identifier: Apache-2.0
"""Exact search against brute force on tiny requests, and on the cases that only it can decide."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from flathood.design.engine import Budget
from flathood.design.exact import ExactSearch
from flathood.design.profiles import traffic
from flathood.design.request import Design, Request


def request(nics: list[int], ports: list[int], profile: str = "all-to-all") -> Request:
    return Request(np.array(nics), np.array(ports), traffic(profile, len(nics)), profile)


def shares(design: Design) -> Design:
    return (design.astype(int) @ design.T) > 0


def solve(wanted: Request, start: Design | None = None) -> tuple[Design | None, str | None]:
    assert ExactSearch().suits(wanted)
    answer = ExactSearch().solve(wanted, start, Budget(), lambda design, name: None)
    if answer.design is not None:
        assert wanted.fits(answer.design)
        assert not (wanted.required & ~shares(answer.design)).any()
    return answer.design, answer.proof.kind if answer.proof else None


def every_design(wanted: Request) -> list[Design]:
    bits = product((False, True), repeat=wanted.nodes * wanted.switches)
    designs = (np.array(bit).reshape(wanted.nodes, wanted.switches) for bit in bits)
    return [design for design in designs if wanted.fits(design)]


@pytest.mark.parametrize("mode", ["universal", "sparse", "fractional"])
@pytest.mark.parametrize("kept", [False, True])
def test_brute_force_comes_to_the_same(mode: str, kept: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(12):
        nodes, switches = ((4, 3), (3, 4), (5, 2))[rng.integers(3)]
        weights = np.triu(rng.integers(0, 3, (nodes, nodes)), 1).astype(float)
        wanted = replace(
            request(rng.integers(1, 3, nodes).tolist(), rng.integers(1, 4, switches).tolist()),
            mode=mode,
            weights=weights + weights.T,
            keep=(rng.random((nodes, switches)) < 0.12) if kept else None,
        )
        designs = every_design(wanted)
        fitting = [design for design in designs if not (wanted.required & ~shares(design)).any()]
        found, proof = solve(wanted)
        if mode == "fractional" and fitting:
            covered = [float((wanted.weights * shares(design)).sum()) for design in fitting]
            assert found is not None
            assert float((wanted.weights * shares(found)).sum()) == pytest.approx(max(covered))
            assert proof == "optimal"
        else:
            assert (found is not None) == bool(fitting)
            assert (proof == "impossible") == (not fitting)


@pytest.mark.parametrize(
    ("nodes", "ports", "nics", "switches"),
    [(128, 48, 4, 10), (10, 3, 5, 17), (64, 31, 4, 9), (120, 48, 4, 9), (60, 18, 5, 17)],
)
def test_large_requests_that_are_small_inside(nodes: int, ports: int, nics: int, switches: int) -> None:
    found, _ = solve(request([nics] * nodes, [ports] * switches))
    assert found is not None


def test_what_no_bound_forbids_is_proved_impossible() -> None:
    assert solve(request([3] * 5, [3] * 4 + [1]))[1] is None
    assert solve(request([2] * 10, [7, 6, 6])) == (None, "impossible")  # 19 ports for nodes that need 20
    assert solve(request([3] * 11, [5] * 6)) == (None, "impossible")


def test_unequal_hardware_and_kept_cables() -> None:
    wanted = request([4, 4, 4, 2, 2, 2, 2, 3, 3, 3], [6, 6, 6, 5, 8])
    keep = np.zeros((10, 5), dtype=bool)
    keep[0, 4] = keep[3, 3] = keep[9, 0] = True
    found, _ = solve(replace(wanted, keep=keep))
    assert found is not None
    assert found[keep].all()


def test_the_same_seed_gives_the_same_wiring() -> None:
    wanted = request([3] * 12, [7] * 5)
    one, other = solve(wanted)[0], solve(wanted)[0]
    assert one is not None
    assert other is not None
    assert (one == other).all()


def test_what_is_too_large_is_left_to_others() -> None:
    assert not ExactSearch().suits(request([4] * 127, [32] * 20))
    assert not ExactSearch().suits(replace(request([4] * 127, [32] * 9), mode="sparse"))
