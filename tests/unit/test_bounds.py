# SPDX-License-Identifier: Apache-2.0
"""The bounds: the known cases of the literature and of the KLAT2 paper, and refusals that say why."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from flathood.design.bounds import (
    Impossible,
    fewest_ports,
    matching_number,
    mean_bound,
    most_nodes,
    plane_excluded,
    profile_bound,
    require_possible,
)
from flathood.design.planes import constructions
from flathood.design.profiles import traffic
from flathood.design.request import Request


def request(nics: list[int], ports: list[int], profile: str = "all-to-all") -> Request:
    return Request(np.array(nics), np.array(ports), traffic(profile, len(nics)), profile)


@pytest.mark.parametrize(("nics", "nodes"), [(2, 48), (3, 74), (4, 104), (5, 132), (6, 162), (7, 192)])
def test_most_nodes_of_32_ports(nics: int, nodes: int) -> None:
    assert most_nodes(nics, 32).most == nodes  # 5, 6: Füredi's 134, 165 are not whole lines; 7: no plane of order 6


@pytest.mark.parametrize(
    ("switches", "ratio"),
    [(3, "3/2"), (4, "5/3"), (5, "9/5"), (6, "2"), (7, "7/3"), (8, "12/5"), (9, "3"), (13, "13/4")],
)
def test_few_switches(switches: int, ratio: str) -> None:
    assert matching_number(4, switches)[0] == Fraction(ratio)


def test_a_plane_needs_its_points_and_an_order_that_exists() -> None:
    assert [order for order in range(2, 15) if plane_excluded(order)] == [6, 10, 14]
    assert matching_number(3, 6)[0] == 2
    assert "no projective plane of order 6" in matching_number(7)[1]


@pytest.mark.parametrize(("nodes", "nics", "ports"), [(1024, 5, 244), (13, 4, 4), (21, 5, 5), (31, 6, 6), (128, 6, 26)])
def test_fewest_ports(nodes: int, nics: int, ports: int) -> None:
    assert fewest_ports(nodes, nics) == ports
    assert most_nodes(nics, ports).most >= nodes > most_nodes(nics, ports - 1).most


def test_mean_of_the_papers_networks() -> None:
    assert mean_bound(request([3] * 8, [4] * 6)) == pytest.approx(9 / 7)
    assert mean_bound(request([3] * 64, [32] * 6)) == pytest.approx((32 * 31 * 6) / (64 * 63))
    assert mean_bound(request([4] * 64, [31] * 9)) == pytest.approx((8 * 31 * 30 + 8 * 7) / (64 * 63))


def test_the_profile_bound_of_all_to_all_is_the_mean_bound() -> None:
    klat2 = request([4] * 64, [31] * 9)
    assert profile_bound(klat2) == pytest.approx(mean_bound(klat2))
    assert profile_bound(request([4] * 64, [31] * 9, "ring")) == 4


@pytest.mark.parametrize(
    ("nics", "ports", "reason"),
    [
        ([6] * 128, [24] * 40, r"reach at most 124 nodes \(Füredi 1981\)"),
        ([6] * 256, [48] * 40, "reach at most 248 nodes"),
        ([7] * 193, [32] * 100, r"reach at most 192 nodes \(Füredi 1981; no projective plane of order 6 exists\)"),
        ([1] * 5, [4, 4], "a node with 1 NIC on switches of 4 ports meets at most 3 others"),
        ([1, 3, 3, 3, 3], [4, 4, 4], "a node with 1 NIC meets at most 3 others on the widest switches"),
        ([2] * 10, [4] * 3, "all cables together join 18 pairs, and 10 nodes are 45 pairs"),
    ],
)
def test_what_is_impossible_is_refused_with_the_reason(nics: list[int], ports: list[int], reason: str) -> None:
    with pytest.raises(Impossible, match=reason):
        require_possible(request(nics, ports))


def test_a_refusal_names_the_nearest_that_can_be_wired() -> None:
    with pytest.raises(Impossible, match="These can be wired: switches of 26 ports; 124 nodes") as caught:
        require_possible(request([6] * 128, [24] * 40))
    assert caught.value.nearest == ("switches of 26 ports", "124 nodes")
    for possible in (request([6] * 128, [26] * 40), request([6] * 124, [24] * 40)):
        require_possible(possible)
        _, design = next(constructions(possible, np.random.default_rng(0)))
        assert possible.fits(design)
        assert (design.astype(int) @ design.T > 0).all()


@pytest.mark.parametrize(
    ("hardware", "nearest"),
    [
        (([6] * 256, [48] * 40), ("switches of 51 ports", "248 nodes")),
        (([7] * 193, [32] * 100), ("1 more NIC in every node", "switches of 38 ports")),
        (([2] * 6, [4, 4]), ("1 more switch of 4 ports",)),
        (([1, 3, 3, 3, 3], [4, 4, 4]), ("1 more NIC in every node",)),
    ],
)
def test_what_is_named_depends_on_what_can_be_wired(
    hardware: tuple[list[int], list[int]], nearest: tuple[str, ...]
) -> None:
    with pytest.raises(Impossible) as caught:
        require_possible(request(*hardware))
    assert set(nearest) <= set(caught.value.nearest)


def test_nothing_is_named_where_cables_are_kept() -> None:
    keep = np.zeros((5, 2), dtype=bool)
    keep[0, 0] = True
    with pytest.raises(Impossible) as caught:
        require_possible(replace(request([1] * 5, [4, 4]), keep=keep))
    assert caught.value.nearest == ()
