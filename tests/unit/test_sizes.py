# SPDX-License-Identifier: Apache-2.0
"""The sizes: never worse than the old tool's table, never above the bound, and every answer can be wired."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from flathood.design.planes import constructions
from flathood.design.request import Request
from flathood.design.sizes import max_nodes, min_ports

TABLE = Path(__file__).parents[1] / "data" / "cdr-2001-max-nodes.csv"


def old_table() -> dict[tuple[int, int], int]:
    with TABLE.open(encoding="ascii") as file:
        return {
            (int(row["ports"]), nics): int(row[f"nics_{nics}"]) for row in csv.DictReader(file) for nics in range(2, 7)
        }


def wired(request: Request) -> bool:
    """Whether a construction keeps the hardware's limits and lets every pair share a switch, counted here anew."""
    for _, design in constructions(request, np.random.default_rng(0)):
        cables = design.astype(np.float32)
        shared = cables @ cables.T
        fits = (cables.sum(axis=1) <= request.nics).all() and (cables.sum(axis=0) <= request.ports).all()
        return bool(fits and shared.all())
    return False


def test_the_old_table_is_reached_in_all_and_beaten_in_most_cells() -> None:
    old = old_table()
    found = {cell: max_nodes(*cell) for cell in old}
    assert len(found) == 5115
    assert all(old[cell] <= answer.nodes <= answer.bound for cell, answer in found.items())
    assert sum(answer.nodes > old[cell] for cell, answer in found.items()) >= 4200
    assert sum(not answer.optimal for answer in found.values()) <= 11


@pytest.mark.parametrize(("nics", "nodes"), [(2, 48), (3, 74), (4, 104), (5, 132), (6, 162)])
def test_switches_of_32_ports(nics: int, nodes: int) -> None:
    answer = max_nodes(32, nics)
    assert (answer.nodes, answer.optimal) == (nodes, True)


def test_what_is_said_can_be_wired() -> None:
    for ports, nics in np.random.default_rng(0).permutation(sorted(old_table()))[:30].tolist():
        answer = max_nodes(ports, nics)
        if answer.nodes <= 2000:
            assert wired(answer.request()), answer


@pytest.mark.parametrize("ports", range(1, 10))
@pytest.mark.parametrize("nics", range(1, 7))
def test_few_ports_can_be_wired(ports: int, nics: int) -> None:
    assert wired(max_nodes(ports, nics).request())


def test_least_ports_are_proved_but_for_a_few_sizes() -> None:
    answers = [min_ports(nodes, nics) for nics in (2, 3, 4, 5) for nodes in range(3, 1025)]
    assert len(answers) == 4088
    assert sum(answer.optimal for answer in answers) >= 4083
    assert all(answer.bound <= answer.ports <= answer.bound + 1 for answer in answers)


def test_least_ports_of_1024_nodes() -> None:
    answer = min_ports(1024, 5)
    assert (answer.ports, answer.bound, answer.most.switches) == (244, 244, 21)
    assert "Füredi 1981" in answer.theorem
    assert wired(answer.most.request(1024))
