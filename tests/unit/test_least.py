# SPDX-License-Identifier: Apache-2.0
"""The least ports, switches and NICs that any design needs: known cases, and never more than there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from flathood.design.least import lower_bounds
from flathood.design.profiles import traffic
from flathood.design.request import Request


def request(nodes: int, ports: int, nics: int, switches: int, profile: str = "all-to-all") -> Request:
    return Request(np.full(nodes, nics), np.full(switches, ports), traffic(profile, nodes), profile)


@pytest.mark.parametrize(
    ("hardware", "least"),
    [
        ((6, 4, 2, 3), (4, 3, 2)),
        ((1024, 244, 5, 21), (244, 21, 5)),
        ((13, 4, 4, 13), (4, 13, 4)),
        ((66, 32, 3, 7), (29, 7, 3)),
        ((10, 48, 2, 4), (7, 1, 1)),
    ],
)
def test_universal(hardware: tuple[int, int, int, int], least: tuple[int, int, int]) -> None:
    bounds = lower_bounds(request(*hardware))
    assert [bound.what for bound in bounds] == ["ports", "switches", "nics"]
    assert tuple(bound.least for bound in bounds) == least
    assert all(bound.theorem for bound in bounds)


def test_sparse_counts_peers() -> None:
    torus = replace(request(1024, 64, 8, 128, "torus3d"), mode="sparse")  # 6 peers each
    assert [bound.least for bound in lower_bounds(torus)] == [2, 16, 1]
    star = np.zeros((9, 9))
    star[0, 1:] = star[1:, 0] = 1
    hub = replace(request(9, 3, 4, 9), weights=star, mode="sparse")  # the hub's 8 peers, 2 by each NIC
    assert [(bound.least, bound.theorem) for bound in lower_bounds(hub)] == [
        (3, "counting"),
        (4, "counting"),
        (4, "counting"),
    ]


def test_where_nothing_is_required_there_is_no_bound() -> None:
    assert lower_bounds(replace(request(6, 4, 2, 3), mode="fractional")) == ()
