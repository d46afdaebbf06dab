# SPDX-License-Identifier: Apache-2.0
"""How long cables are, and which ports they are in: by hand on small rooms, by properties on any."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.lengths import cable_lengths, metres, places, uplink_lengths
from flathood.cabling.ports import neat_ports, ports, with_ports
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring
from flathood.wiring.save import render_wiring

COLOURS = ("#c62828", "#2e7d32", "#1565c0", "#f9a825")


def cluster_of(**keys: Any) -> Cluster:
    spec: dict[str, Any] = {
        "cluster": "room",
        "nodes": [
            {"names": ["a", "b"], "rack": "left"},
            {"names": ["c", "d"], "rack": "middle"},
            {"names": ["e", "f"], "rack": "right"},
        ],
        "switches": [
            {"name": name, "colour": colour, "ports": 6, "rack": "middle"}
            for name, colour in zip(("red", "green"), COLOURS, strict=False)
        ],
        "racks": ["left", "middle", {"name": "right", "x": 2.0}],
    }
    return Cluster.model_validate({**spec, **keys})


def wiring_of(cluster: Cluster, rows: tuple[tuple[str | None, ...], ...]) -> Wiring:
    return Wiring(cluster="room", nodes=dict(zip(cluster.node_names, rows, strict=True)))


ALL = (("red", "green"),) * 6


def test_racks_stand_side_by_side_machines_from_the_bottom_switches_from_the_top():
    where = places(cluster_of())
    assert [where[name].x for name in "ace"] == [0.0, 0.6, 2.0]
    assert where["a"].z == pytest.approx(0.04445 / 2)
    assert where["b"].z == pytest.approx(0.04445 * 1.5)
    assert where["red"].z == pytest.approx(0.04445 * 41.5)
    assert where["green"].z == pytest.approx(0.04445 * 40.5)


def test_a_length_is_the_way_up_across_and_down_with_its_slack():
    cluster = cluster_of(cabling={"slack": 1, "tray": 3.0})
    lengths = cable_lengths(cluster, wiring_of(cluster, ALL))
    where = places(cluster)
    # From the middle of unit 1 up to the tray, 0.6 m along the row, down to the middle of unit 42.
    assert lengths["a", 0] == pytest.approx(1 + (3 - 0.0222) + 0.6 + (3 - 1.8447), abs=0.005)
    # In its own rack it goes up its side.
    assert lengths["c", 1] == pytest.approx(1 + where["green"].z - where["c"].z, abs=0.005)


def test_without_a_tray_cables_go_straight_and_a_floor_is_a_tray_below():
    straight = cluster_of(cabling={"slack": 0, "tray": None})
    floor = cluster_of(cabling={"slack": 0, "tray": -0.3})
    assert cable_lengths(straight, wiring_of(straight, ALL))["a", 0] == pytest.approx(0.6 + 1.8447 - 0.0222, abs=0.005)
    assert cable_lengths(floor, wiring_of(floor, ALL))["a", 0] == pytest.approx(0.6 + 1.8447 + 0.0222 + 0.6, abs=0.005)


def test_what_stands_nowhere_has_no_length():
    cluster = cluster_of(nodes=[{"names": ["a"], "rack": "left"}, {"names": ["b", "c", "d", "e", "f"]}])
    lengths = cable_lengths(cluster, wiring_of(cluster, ALL))
    assert lengths["a", 0] is not None
    assert lengths["b", 0] is None
    assert metres(cluster) is None
    assert set(uplink_lengths(cluster).values()) == {None}
    assert metres(cluster_of()) is not None


def test_nodes_abreast_and_racks_in_a_list():
    nodes = {"count": 6, "name": "n{}", "rack": ["left", "right"], "abreast": 2, "height": 4}
    where = places(cluster_of(nodes=nodes))
    assert [
        (where[f"n{k}"].rack, round(where[f"n{k}"].x, 3), round(where[f"n{k}"].z / 0.04445, 3)) for k in range(6)
    ] == [
        ("left", -0.15, 2),
        ("left", 0.15, 2),
        ("left", -0.15, 6),
        ("right", 1.85, 2),
        ("right", 2.15, 2),
        ("right", 1.85, 6),
    ]


def test_without_racks_ports_go_by_the_order_of_the_nodes():
    cluster = cluster_of(racks=[], nodes={"names": list("abcdef")})
    rows = (("red", None), ("green", "red"), ("red", "green"), (None, "red"), ("red", None), ("green", None))
    assert ports(cluster, wiring_of(cluster, rows)) == {
        ("a", 0): 1,
        ("b", 0): 1,
        ("b", 1): 2,
        ("c", 0): 3,
        ("c", 1): 2,
        ("d", 1): 4,
        ("e", 0): 5,
        ("f", 0): 3,
    }


def _crossings(x: dict[str, float], far: dict[str, float]) -> int:
    """Pairs of arcs over a line that cross, each from a port at 0 … 0.1 to a node further away, on either side."""

    def crosses(one: str, other: str) -> bool:
        (a, b), (c, d) = sorted((x[one], far[one])), sorted((x[other], far[other]))
        return a < c < b < d or c < a < d < b

    return sum(crosses(one, other) for one, other in itertools.combinations(x, 2))


@given(st.lists(st.sampled_from([-3, -2, -1, 1, 2, 3]), min_size=1, max_size=8))
def test_no_two_cables_of_a_switch_cross_in_the_tray(racks):
    names = [f"r{place + 3}" for place in (-3, -2, -1, 0, 1, 2, 3)]
    cluster = cluster_of(
        racks=[{"name": name, "x": float(index - 3)} for index, name in enumerate(names)],
        nodes=[{"names": [f"n{k}"], "rack": f"r{place + 3}"} for k, place in enumerate(racks)],
        switches=[{"name": "red", "colour": COLOURS[0], "ports": 8, "rack": "r3"}],
    )
    given_ports = ports(cluster, wiring_of(cluster, (("red", None),) * len(racks)))
    at = {node: port / 100 for (node, _), port in given_ports.items()}
    assert _crossings(at, {f"n{k}": float(place) for k, place in enumerate(racks)}) == 0


ROWS = st.lists(
    st.lists(st.sampled_from([None, "red", "green", "blue"]), min_size=2, max_size=2, unique=True).map(tuple),
    min_size=6,
    max_size=6,
).map(tuple)


@settings(max_examples=60)
@given(ROWS, ROWS, ROWS)
def test_a_cable_that_stays_keeps_its_port_through_any_two_rewirings(first, second, third):
    colours = dict(zip(("red", "green", "blue"), COLOURS, strict=False))
    switches = [{"name": name, "colour": colour, "ports": 6, "rack": "middle"} for name, colour in colours.items()]
    cluster = cluster_of(switches=switches)
    old = wiring_of(cluster, first)
    for rows in (second, third):
        new = with_ports(cluster, old, wiring_of(cluster, rows))
        before, after = ports(cluster, old), ports(cluster, new)
        for (node, slot), port in after.items():
            if (node, slot) in before and old.nodes[node][slot] == new.nodes[node][slot]:
                assert port == before[node, slot]
        taken = [(new.nodes[node][slot], port) for (node, slot), port in after.items()]
        assert len(set(taken)) == len(taken)
        assert all(1 <= port <= 6 for port in after.values())
        old = new
    assert with_ports(cluster, old, old) == old


def test_ports_are_recorded_only_where_they_are_not_the_neat_ones():
    cluster = cluster_of()
    old = wiring_of(cluster, ALL)
    less = with_ports(cluster, old, wiring_of(cluster, ((None, "green"), *ALL[1:])))
    assert less.ports["b"] == (ports(cluster, old)["b", 0], ports(cluster, old)["b", 1])
    assert "ports:\n  a: [null, 3]\n" in render_wiring(less)
    assert with_ports(cluster, less, old).ports == {}
    assert neat_ports(cluster, less) != ports(cluster, less)
