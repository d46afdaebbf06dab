# SPDX-License-Identifier: Apache-2.0
"""Ways around dead NICs: from the files that the roles write to what the kernel is told, and when a NIC is dead."""

from __future__ import annotations

import json
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.failover import health as times
from ansible_collections.flathood.cluster.plugins.module_utils.failover import watch, words
from ansible_collections.flathood.cluster.plugins.module_utils.failover.detours import (
    TABLE,
    Detours,
    cut_off,
    detours,
    orders,
)
from ansible_collections.flathood.cluster.plugins.module_utils.failover.health import Health
from ansible_collections.flathood.cluster.plugins.module_utils.failover.service import service
from ansible_collections.flathood.cluster.plugins.module_utils.failover.view import View, read
from ansible_collections.flathood.cluster.plugins.module_utils.failover.words import Word
from hypothesis import given
from hypothesis import strategies as st

from flathood.plan import Options, Plan
from flathood.plan.build import routed
from flathood.plan.bundle import machine_files
from flathood.spec.model import Routing
from tests.plans import HEXA, plan_of

Rows = tuple[tuple[str, ...], ...]
#: Two neighbors share three switches, all others one.
PAIRS = tuple(("red", *pair) for pair in (("green", "blue"), ("grey", "pink")) for _ in range(2))


@cache
def views(rows: Rows, routing: Routing) -> tuple[Plan, dict[str, View]]:
    """What each node reads in its own files."""
    plan, found = routed(plan_of(rows), routing), {}
    for name in plan.names[: plan.node_count]:
        with TemporaryDirectory() as root:
            for file in machine_files(plan, name, Options()):
                path = Path(root + file.path)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(file.content)
            found[name] = read(Path(root, "etc/systemd/network"))
    return plan, found


def word(plan: Plan, view: View, name: str, dead: set[str]) -> Word:
    macs = plan.macs(name)
    return Word(
        {nic.address.ip: str(macs[int(device[-1])]) for device, nic in view.nics.items() if device not in dead},
        frozenset(view.nics[device].address.ip for device in dead),
    )


def test_the_ways_are_those_that_the_roles_wrote() -> None:
    _, found = views(HEXA, "advanced")
    assert {device: str(nic.address) for device, nic in found["n0"].nics.items()} == {
        "fnn0": "10.80.2.1/24",  # red is the last switch in alphabetical order
        "fnn1": "10.80.1.1/24",
    }
    ways = {str(to): [f"{ip} {dev}" for ip, dev in hops] for to, hops in found["n0"].ways.items()}
    assert ways["10.79.0.2"] == ["10.80.2.2 fnn0", "10.80.1.2 fnn1"]  # on both
    assert ways["10.80.2.2"] == ["10.80.2.2 fnn0"]
    assert len(ways) == 5 * 4  # of each peer the node address, the outside one, and one for each of its two NICs


def test_when_all_is_well_there_are_no_detours() -> None:
    for view in views(PAIRS, "basic")[1].values():
        assert detours(view, set(), {}) == Detours({}, {})
        assert cut_off(view, set(), {}) == set()


@given(st.data())
@pytest.mark.parametrize("routing", ["basic", "advanced"])
@pytest.mark.parametrize("rows", [HEXA, PAIRS], ids=["hexa", "pairs"])
def test_whoever_has_a_living_nic_is_reached_by_living_nics_alone(
    rows: Rows, routing: Routing, data: st.DataObject
) -> None:
    plan, found = views(rows, routing)
    nics = sorted((name, device) for name, view in found.items() for device in view.nics)
    broken = data.draw(st.sets(st.sampled_from(nics), max_size=8))
    dead = {name: {device for owner, device in broken if owner == name} for name in found}
    living = {found[name].nics[device].address.ip for name, device in nics if device not in dead[name]}
    told = {view.number(next(iter(view.nics.values())).address.ip): (name, view) for name, view in found.items()}
    heard = {number: word(plan, view, name, dead[name]) for number, (name, view) in told.items()}
    for name, view in found.items():
        others = {number: one for number, one in heard.items() if told[number][0] != name}
        made = detours(view, dead[name], others)
        for to, planned in view.ways.items():
            peer = told[view.number(to)][0]
            if dead[name] == view.nics.keys() or dead[peer] == found[peer].nics.keys():
                continue
            for gateway, device in made.routes.get(to, planned):
                assert device not in dead[name]
                assert gateway in living
                on_link = gateway in view.nics[device].address.network
                assert on_link or made.neighbors[gateway, device] == heard[view.number(to)].up[gateway]
                # Through the uplink only where no neighborhood works at both ends.
                assert on_link or view.number(to) in cut_off(view, dead[name], others)


def test_the_kernel_is_told_what_differs_and_the_rule_goes_with_the_last_detour() -> None:
    to, gateway = IPv4Address("10.79.0.2"), IPv4Address("10.80.1.2")
    some, none = Detours({to: ((gateway, "fnn1"),)}, {(gateway, "fnn1"): "02:00:5e:10:00:01"}), Detours({}, {})
    assert orders(none, some) == [
        "neighbor replace 10.80.1.2 lladdr 02:00:5e:10:00:01 dev fnn1 nud permanent",
        f"route replace 10.79.0.2/32 table {TABLE} proto static nexthop via 10.80.1.2 dev fnn1 onlink",
        f"rule add preference {TABLE} lookup {TABLE}",
    ]
    assert orders(some, none) == [
        f"rule delete preference {TABLE} lookup {TABLE}",
        f"route delete 10.79.0.2/32 table {TABLE}",
        "neighbor delete 10.80.1.2 dev fnn1",
    ]


def test_routes_with_several_hops_are_set_whole_again() -> None:
    view = views(HEXA, "advanced")[1]["n0"]
    assert "route replace 10.79.0.2 proto static nexthop via 10.80.2.2 dev fnn0 nexthop via 10.80.1.2 dev fnn1" in (
        watch.whole(view)
    )
    assert watch.whole(views(HEXA, "basic")[1]["n0"]) == []


def test_a_carrier_lost_is_known_at_once_and_one_that_came_back_after_a_while() -> None:
    nic = Health(0.0, dead=False)
    nic.carrier(up=False, now=1.0)
    assert nic.judge(1.0)
    nic.carrier(up=True, now=2.0)
    assert nic.judge(2.0 + times.STEADY / 2)
    nic.carrier(up=False, now=3.5)
    nic.carrier(up=True, now=4.0)  # it flaps: the while begins anew
    assert nic.judge(3.9 + times.STEADY)
    assert not nic.judge(4.0 + times.STEADY)


def test_a_nic_that_gets_no_answers_is_dead_until_it_gets_some() -> None:
    nic = Health(0.0, dead=False)
    for _ in range(times.UNANSWERED):
        nic.ask()
    assert not nic.judge(2.0)
    nic.ask()
    assert nic.judge(2.4)
    assert nic.judge(100.0)
    nic.answered(101.0)
    assert nic.judge(101.0)
    assert not nic.judge(101.0 + times.STEADY)


def test_who_was_held_up_itself_takes_nobody_for_silent() -> None:
    nic = Health(0.0, dead=False)
    for _ in range(3 * times.UNANSWERED):
        nic.ask()
        nic.late()
    assert not nic.judge(9.0)


@given(st.binary(max_size=200) | st.recursive(st.none() | st.text() | st.integers(), st.lists).map(
    lambda told: words._TELL + json.dumps({"up": told, "down": told}).encode()
))  # fmt: skip
def test_what_strangers_send_is_no_word(noise: bytes) -> None:
    assert words.parse(noise) is None
    assert words.parse(bytes(14) + noise) is None
    assert words.parse(bytes(14) + words._TELL + noise) is None


def test_a_word_comes_back_as_it_was() -> None:
    told = Word({IPv4Address("10.80.0.3"): "02:00:5e:10:00:01"}, frozenset({IPv4Address("10.80.1.3")}))
    frame = told.frame("02:00:5e:10:00:09")
    assert words.parse(frame) == told
    assert frame[:14].hex() == "ffffffffffff02005e10000988b5"
    both = Word({IPv4Address("10.80.0.3"): "02:00:5e:10:00:01"}, frozenset({IPv4Address("10.80.0.3")}))
    assert words.parse(both.frame(both.up[IPv4Address("10.80.0.3")])) is None


def test_the_service_has_all_that_it_imports() -> None:
    files = {file.path.rpartition("/")[2]: (file.content or b"").decode() for file in service().files()}
    assert "failover.watch clear\n" in files["flathood-failover.service"]
    for text in files.values():
        for line in text.splitlines():
            if line.startswith("from . import "):
                for name in line.removeprefix("from . import ").split(", "):
                    assert f"{name}.py" in files
            elif line.startswith("from ."):
                assert f"{line.split()[1].removeprefix('.')}.py" in files
