# SPDX-License-Identifier: Apache-2.0
"""The least moves between wirings: against a search of all states that people can make by moving plugs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.moves import Cable
from flathood.cabling.ports import ports
from flathood.design.request import design_of
from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.rewiring import least, moves_between
from flathood.rewiring.least import cables, distance
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

ROOT = Path(__file__).parents[3]
SWITCHES = ("red", "green", "blue")

Rows = tuple[tuple[str | None, ...], ...]
#: What is plugged: the switch of each NIC of each node, one after another.
State = tuple[str | None, ...]


def cluster_of(nodes: int, widths: tuple[int, ...] = (4, 4, 4), **design: object) -> Cluster:
    colours = ("#c62828", "#2e7d32", "#1565c0")
    switches = [
        {"name": name, "colour": colour, "ports": width}
        for name, colour, width in zip(SWITCHES, colours, widths, strict=True)
    ]
    spec = {"cluster": "x", "nodes": {"count": nodes, "name": "n{}", "nics": 2}, "switches": switches, "design": design}
    return Cluster.model_validate(spec)


def wiring_of(cluster: Cluster, rows: Rows) -> Wiring:
    return Wiring(cluster="x", nodes=dict(zip(cluster.node_names, rows, strict=True)), design={"mode": "fractional"})


def neighbors(state: State) -> Iterator[State]:
    """Every state that is one plug away: pulled, plugged, its other end elsewhere, or this end in another NIC."""
    for nic, switch in enumerate(state):
        for other in (None, *SWITCHES):
            if other != switch:
                yield (*state[:nic], other, *state[nic + 1 :])
        for free, there in enumerate(state):
            if switch is not None and there is None:
                after = list(state)
                after[nic], after[free] = None, switch
                yield tuple(after)


def fewest(start: Rows, goals: set[State]) -> int:
    """The fewest moves to any of the goals, by breadth-first search; ports are taken to be enough meanwhile."""
    seen = {tuple(itertools.chain(*start))}
    ring = seen
    for moves in itertools.count():
        if ring & goals:
            return moves
        ring = {after for state in ring for after in neighbors(state)} - seen
        seen |= ring
    raise AssertionError


def goals(rows: Rows, widths: tuple[int, ...]) -> set[State]:
    """All states that are this wiring with its switches by other names and its slots in any order."""
    found = set()
    for names in itertools.permutations(SWITCHES):
        renamed = dict(zip(SWITCHES, names, strict=True))
        fills = [sum(renamed.get(switch or "") == name for row in rows for switch in row) for name in SWITCHES]
        if all(fill <= width for fill, width in zip(fills, widths, strict=True)):
            orders = [set(itertools.permutations([renamed.get(switch or "") for switch in row])) for row in rows]
            found |= {tuple(itertools.chain(*choice)) for choice in itertools.product(*orders)}
    return found


ROW = st.sampled_from(list(itertools.permutations((*SWITCHES, None, None), 2))).map(tuple)
WIRING = st.tuples(ROW, ROW, ROW)


@settings(max_examples=60, deadline=None)
@given(WIRING, WIRING, st.sampled_from([(3, 3, 3), (3, 2, 3), (3, 3, 1)]))
def test_no_sequence_of_plugs_is_shorter(old, new, widths):
    cluster = cluster_of(3, widths)
    wanted = goals(new, widths)
    before, after = wiring_of(cluster, old), wiring_of(cluster, new)
    if not wanted:
        with pytest.raises(FlathoodError, match="wide enough"):
            least(cluster, before, after)
        return
    found = least(cluster, before, after)
    assert len(found.moves) == found.bound == fewest(old, wanted)
    assert tuple(itertools.chain(*found.wiring.nodes.values())) in wanted


@settings(max_examples=60, deadline=None)
@given(WIRING, WIRING)
def test_the_moves_lead_from_the_one_to_the_other(old, new):
    cluster = cluster_of(3)
    found = least(cluster, wiring_of(cluster, old), wiring_of(cluster, new))
    plugged = _after(set(cables(wiring_of(cluster, old).nodes)), found.moves)
    assert plugged == set(cables(found.wiring.nodes))


def _after(plugged: set[Cable], moves) -> set[Cable]:
    for move in moves:
        plugged -= {move.before}
        if move.after is not None:
            plugged.add(move.after)
    return plugged


@settings(max_examples=60, deadline=None)
@given(WIRING, WIRING)
def test_written_slots_and_names_are_kept_where_that_is_asked(old, new):
    cluster = cluster_of(3)
    found = least(cluster, wiring_of(cluster, old), wiring_of(cluster, new), exact=True)
    assert tuple(found.wiring.nodes.values()) == new
    assert len(found.moves) == fewest(old, {tuple(itertools.chain(*new))})


def test_cables_that_must_stay_rule_out_names_under_which_they_would_go():
    old: Rows = (("red", None),) * 3
    new: Rows = (("blue", None), ("red", None), ("red", None))
    free = least(cluster_of(3), wiring_of(cluster_of(3), old), wiring_of(cluster_of(3), new))
    assert (len(free.moves), free.wiring.nodes["n1"]) == (1, ("red", None))
    cluster = cluster_of(3, keep={"n0": ["red"]})
    kept = least(cluster, wiring_of(cluster, old), wiring_of(cluster, new))
    assert (len(kept.moves), kept.wiring.nodes["n0"], kept.proved) == (2, ("red", None), True)
    assert kept.parts["blue"] == "red"


@pytest.fixture(scope="module")
def klat2():
    return load(ROOT / "inventories" / "klat2", need_macs=False)


def test_klat2_by_other_names_takes_no_move(klat2):
    names = klat2.cluster.switch_names
    other = dict(zip(names, (*names[1:], names[0]), strict=True))
    nodes = {node: tuple(other[switch] for switch in reversed(row)) for node, row in klat2.wiring.nodes.items()}
    found = least(klat2.cluster, klat2.wiring, klat2.wiring.model_copy(update={"nodes": nodes}))
    assert found.moves == ()
    assert found.wiring.nodes == klat2.wiring.nodes
    assert found.parts == {new: old for old, new in other.items()}


def test_klat2_for_any_other_wiring_meets_the_bound_of_the_program(klat2):
    rng = np.random.default_rng(5)
    names = klat2.cluster.node_names
    for _ in range(3):
        order = rng.permutation(len(names))
        nodes = {name: klat2.wiring.nodes[names[k]] for name, k in zip(names, order, strict=True)}
        found = least(klat2.cluster, klat2.wiring, klat2.wiring.model_copy(update={"nodes": nodes}))
        assert found.proved
        assert len(found.moves) == len(moves_between(klat2.cluster, klat2.wiring, found.wiring))
        assert 0 < len(found.moves) < 256


def test_what_stays_at_klat2_keeps_its_port(klat2):
    names = klat2.cluster.node_names
    nodes = {name: klat2.wiring.nodes[names[k ^ (k < 32)]] for k, name in enumerate(names)}
    found = least(klat2.cluster, klat2.wiring, klat2.wiring.model_copy(update={"nodes": nodes}))
    before, after = ports(klat2.cluster, klat2.wiring), ports(klat2.cluster, found.wiring)
    stay = [
        (node, slot)
        for node, slot in before
        if klat2.wiring.nodes[node][slot] is not None
        and klat2.wiring.nodes[node][slot] == found.wiring.nodes[node][slot]
    ]
    assert len(stay) > 60
    assert all(before[cable] == after[cable] for cable in stay)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_nodes_that_get_or_lose_cables_are_counted_as_the_moves_are(seed):
    rng = np.random.default_rng(seed)
    cluster = cluster_of(4)
    tables = rng.random((2, 4, 3)) < 0.5
    tables &= np.cumsum(tables, axis=2) <= 2  # two NICs a node
    rows = [
        tuple(tuple([*[SWITCHES[s] for s in np.flatnonzero(row)], None, None][:2]) for row in table) for table in tables
    ]
    old, new = (wiring_of(cluster, each) for each in rows)
    found = least(cluster, old, new)
    assert found.proved
    assert len(found.moves) == distance(design_of(old, cluster), design_of(found.wiring, cluster))
