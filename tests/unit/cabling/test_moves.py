# SPDX-License-Identifier: Apache-2.0
"""The least moves are least: held against a search through all sequences of single moves."""

from __future__ import annotations

import random
from collections import deque

import pytest

from flathood.cabling.moves import least_moves
from flathood.cabling.picture import Nic

NICS = [Nic(name, slot) for name in "ab" for slot in range(2)]
SWITCHES = ["red", "blue"]


def _steps(cables):
    """All cablings that one plug more, one less, or one moved gives; plugs may share a place meanwhile."""
    for cable in cables:
        yield cables - {cable}
        for nic in NICS:
            yield cables - {cable} | {(nic, cable[1])}
        for switch in SWITCHES:
            yield cables - {cable} | {(cable[0], switch)}
    for nic in NICS:
        for switch in SWITCHES:
            yield cables | {(nic, switch)}


def _fewest(start, goal):
    far, queue = {start: 0}, deque([start])
    while queue:
        at = queue.popleft()
        if at == goal:
            return far[at]
        for after in map(frozenset, _steps(at)):
            if after not in far:
                far[after] = far[at] + 1
                queue.append(after)
    raise AssertionError


@pytest.mark.parametrize("seed", range(12))
def test_no_shorter_sequence_of_moves_exists(seed):
    rng = random.Random(seed)  # noqa: S311 - trials that can be repeated
    found, wanted = (frozenset((nic, rng.choice(SWITCHES)) for nic in NICS if rng.random() < 0.7) for _ in range(2))
    moves = least_moves(found, wanted, {})
    assert len(moves) == _fewest(found, wanted)
    cables = set(found)
    cables -= {move.before for move in moves if move.before}
    cables |= {move.after for move in moves if move.after}
    assert cables == wanted


def test_moves_wait_for_a_free_port_and_a_ring_begins_by_pulling_a_cable():
    a, b, c = (Nic(name, 0) for name in "abc")
    chain = least_moves([(a, "red"), (b, "blue")], [(a, "blue"), (b, "grey")], {"red": 1, "blue": 1, "grey": 1})
    assert [move.nic for move in chain] == [b, a]
    ring = least_moves(
        [(a, "red"), (b, "blue"), (c, "grey")],
        [(a, "blue"), (b, "grey"), (c, "red")],
        {"red": 1, "blue": 1, "grey": 1},
    )
    assert [move.first for move in ring] == [True, False, False]
    assert "pull it first: blue is full" in ring[0].sentence()


def test_two_slots_of_one_machine_are_exchanged_at_the_machine():
    moves = least_moves(
        [(Nic("k17", 0), "red"), (Nic("k17", 1), "blue")], [(Nic("k17", 0), "blue"), (Nic("k17", 1), "red")], {}
    )
    assert [move.sentence() for move in moves] == [
        "k17: the blue cable goes from fnn1 to fnn0",
        "k17: the red cable goes from fnn0 to fnn1",
    ]
