# SPDX-License-Identifier: Apache-2.0
"""Planes, small families and their blow-ups: each checked by what it must be, not by how it was made."""

from __future__ import annotations

import numpy as np
import pytest

from flathood.design.blowup import group_sizes, most_nodes_on
from flathood.design.families import small_families
from flathood.design.planes import constructions, most_on_plane, plane_sizes, projective_plane
from flathood.design.request import Request


def request(nics: list[int], ports: list[int]) -> Request:
    return Request(np.array(nics), np.array(ports), np.ones((len(nics), len(nics))), "all-to-all")


@pytest.mark.parametrize("order", [2, 3, 4, 5, 7, 8, 9])
def test_planes_are_planes(order: int) -> None:
    plane = projective_plane(order).astype(int)
    one = np.ones((len(plane), len(plane)), dtype=int)
    assert len(plane) == order**2 + order + 1
    assert (plane @ plane.T == one + order * np.eye(len(plane))).all()
    assert (plane.T @ plane == one + order * np.eye(len(plane))).all()


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 7])
def test_the_sizes_of_lines_reach_what_is_said_to_be_the_most(order: int) -> None:
    plane = projective_plane(order)
    for ports in range(1, 4 * order + 6):
        sizes = plane_sizes(order, ports)
        if sizes is None:
            assert ports < order * (order + 1)
            continue
        assert sizes.min() >= 0
        assert (sizes @ plane <= ports).all()
        assert sizes.sum() == most_on_plane(order, ports)


@pytest.mark.parametrize("order", [2, 3, 4])
def test_no_integer_program_has_more_on_a_plane(order: int) -> None:
    for ports in range(1, 2 * order + 4):
        assert most_nodes_on(projective_plane(order), ports) <= most_on_plane(order, ports)


def test_small_families_meet_pairwise() -> None:
    names = []
    for name, family in small_families(6):
        names.append(name)
        assert (family.astype(int) @ family.T > 0).all(), name
        assert family.any(axis=0).all(), name
        assert family.sum(axis=1).max() <= 6
    assert len(names) == len(set(names)) == 10


@pytest.mark.parametrize(
    ("switches", "ports", "nodes"),
    [(4, 3, 5), (5, 5, 9), (6, 1, 2), (8, 10, 24), (9, 4, 10), (10, 6, 16), (11, 12, 33)],
)
def test_small_families_are_as_dense_as_their_comments_say(switches: int, ports: int, nodes: int) -> None:
    family = dict(small_families(4))[f"family on {switches} switches"]
    assert most_nodes_on(family, 2 * ports) == 2 * nodes


def test_sizes_that_are_known_are_taken_down_to_the_nodes() -> None:
    plane = projective_plane(4)
    sizes = group_sizes(plane, np.full(21, 32), np.full(131, 5), plane_sizes(4, 32))
    assert sizes is not None
    assert sizes.sum() == 131
    assert (sizes @ plane <= 32).all()
    assert group_sizes(plane, np.full(21, 32), np.full(133, 5), plane_sizes(4, 32)) is None


def test_nodes_of_few_nics_take_the_small_sets() -> None:
    wanted = request([2, 2] + [3] * 10, [7] * 5)
    found = dict(constructions(wanted, np.random.default_rng(0)))
    design = found["family on 5 switches"]
    assert wanted.fits(design)
    assert (design.astype(int) @ design.T > 0).all()


def test_128_nodes_of_4_nics_need_but_ten_switches() -> None:
    wanted = request([4] * 128, [48] * 10)
    name, design = next(constructions(wanted, np.random.default_rng(0)))
    assert name == "family on 10 switches"
    assert wanted.fits(design)
    assert (design.astype(int) @ design.T > 0).all()
