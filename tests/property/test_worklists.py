# SPDX-License-Identifier: Apache-2.0
"""What holds for every list of work, for any number of people and any racks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby, pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.moves import Move
from flathood.cabling.picture import Nic
from flathood.rewiring.people import places, shares, sheet
from flathood.spec.model import Cluster

RACKS = ("west", "east", "10", "9")


@st.composite
def works(draw: st.DrawFn) -> tuple[Cluster, list[Move], int]:
    """A cluster in racks, or some of it, with plugs to be moved in any order, and how many people there are."""
    groups = draw(st.lists(st.tuples(st.sampled_from([*RACKS, None]), st.integers(1, 3)), min_size=1, max_size=4))
    nodes = [
        {"names": [f"n{k}x{m}" for m in range(count)], "nics": 3, **({"rack": [rack]} if rack else {})}
        for k, (rack, count) in enumerate(groups)
    ]
    spec = {
        "cluster": "tiny",
        "nodes": nodes,
        "switches": [{"name": name, "colour": f"#0000{k:02x}", "ports": 30} for k, name in enumerate(("red", "blue"))],
        "uplink": {"name": "white", "ports": 30},
    }
    if draw(st.booleans()):
        spec["racks"] = list(RACKS)
    cluster = Cluster.model_validate(spec)
    nics = [Nic(name, slot) for name in cluster.node_names for slot in range(3)]
    chosen = draw(st.lists(st.sampled_from(nics), unique=True, max_size=12))
    return cluster, [Move((nic, "red"), (nic, "blue")) for nic in chosen], draw(st.integers(1, 5))


def _took(cluster: Cluster, mine: list[Move]) -> int:
    """Plugs and racks."""
    where = places(cluster)
    return len(mine) + len({where[move.nic.machine].rack for move in mine})


def _dealt(machines: list[list[Move]], people: int) -> Iterator[list[list[Move]]]:
    """Every way to cut a row of machines into so many lists at the most."""
    for count in range(min(people, len(machines))):
        for cuts in combinations(range(1, len(machines)), count):
            bounds = (0, *cuts, len(machines))
            yield [[move for mine in machines[a:b] for move in mine] for a, b in pairwise(bounds)]


@given(works())
@settings(max_examples=150, deadline=None)
def test_every_plug_is_in_one_list_and_no_lists_are_more_even(case: tuple[Cluster, list[Move], int]) -> None:
    cluster, moves, people = case
    lists = shares(cluster, moves, people)
    where = places(cluster)
    whole = [move for mine in lists for move in mine]
    assert sorted(whole, key=repr) == sorted(moves, key=repr)
    assert len(lists) <= people
    assert all(lists)
    # From one end of the racks to the other, and a machine is one person's.
    assert whole == sorted(whole, key=lambda move: (where[move.nic.machine], move.nic.slot))
    owners = [{move.nic.machine for move in mine} for mine in lists]
    assert all(not one & other for one, other in combinations(owners, 2))
    machines = [list(mine) for _, mine in groupby(whole, key=lambda move: move.nic.machine)]
    squares = [sum(_took(cluster, mine) ** 2 for mine in dealt) for dealt in _dealt(machines, people)]
    assert sum(_took(cluster, mine) ** 2 for mine in lists) == min(squares, default=0)


@given(works())
@settings(max_examples=30, deadline=None)
def test_what_is_printed_has_each_plug_once_under_its_rack(case: tuple[Cluster, list[Move], int]) -> None:
    cluster, moves, people = case
    lines = [line.strip() for line in sheet(cluster, moves, people)]
    where = places(cluster)
    rack = ""
    told = []
    for line in lines:
        if line.startswith("Person "):
            rack = ""
        elif line.startswith("Rack "):
            rack = line.removeprefix("Rack ")
        elif ": the cable" in line:
            assert where[line.partition(":")[0]].name == rack
            told.append(line)
    assert sorted(told) == sorted(move.sentence() for move in moves)
    assert sum(line.startswith("Person ") for line in lines) == (
        len(shares(cluster, moves, people)) if people > 1 else 0
    )


def test_two_people_take_half_of_the_racks_each() -> None:
    spec = {
        "cluster": "tiny",
        "nodes": {"count": 8, "name": "n{}", "nics": 2, "rack": ["A", "B", "C", "D"]},
        "switches": [{"name": name, "colour": f"#0000{k:02x}", "ports": 30} for k, name in enumerate(("red", "blue"))],
        "uplink": {"name": "white", "ports": 30},
    }
    cluster = Cluster.model_validate(spec)
    moves = [Move((Nic(name, 0), "red"), (Nic(name, 0), "blue")) for name in reversed(cluster.node_names)]
    assert list(sheet(cluster, moves, 2)) == [
        "  Person 1: 4 plugs",
        "    Rack A",
        "      n0: the cable in fnn0 goes from red to blue",
        "      n1: the cable in fnn0 goes from red to blue",
        "    Rack B",
        "      n2: the cable in fnn0 goes from red to blue",
        "      n3: the cable in fnn0 goes from red to blue",
        "  Person 2: 4 plugs",
        "    Rack C",
        "      n4: the cable in fnn0 goes from red to blue",
        "      n5: the cable in fnn0 goes from red to blue",
        "    Rack D",
        "      n6: the cable in fnn0 goes from red to blue",
        "      n7: the cable in fnn0 goes from red to blue",
    ]


def test_who_has_to_wait_for_another_plug_is_told_so() -> None:
    nodes = {"count": 2, "name": "n{}", "nics": 2}
    switches = [{"name": name, "colour": f"#0000{k:02x}", "ports": 30} for k, name in enumerate(("red", "blue"))]
    spec = {"cluster": "tiny", "nodes": nodes, "switches": switches, "uplink": {"name": "white", "ports": 30}}
    cluster = Cluster.model_validate(spec)
    moves = [
        Move((Nic("n0", 0), "red"), (Nic("n0", 0), "blue")),
        Move((Nic("n1", 0), "blue"), (Nic("n1", 0), "red")),
    ]
    first = "  A port that is still taken becomes free by another plug of this list"
    assert list(sheet(cluster, moves))[-1] == f"{first}: pull that one first."
    assert list(sheet(cluster, moves, 2))[-1] == f"{first}, or of another person's: pull that one first."
    assert not any(line.startswith(first) for line in sheet(cluster, moves[:1]))
