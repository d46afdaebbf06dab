# SPDX-License-Identifier: Apache-2.0
"""What the lab plugs where: hardware from the files, faults, and the lines from one state to the next."""

from pathlib import Path

import pytest

from flathood.lab import fabric
from flathood.lab.errors import LabError
from flathood.lab.fabric import End, Link
from flathood.lab.faults import Fault, FaultKind, check, effect
from flathood.lab.hardware import Hardware, Kind, build, lab_mac, split_nic
from flathood.lab.paths import FABRIC
from flathood.lab.state import Phase, State
from flathood.registry.model import normal_mac
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

CLUSTER = {
    "cluster": "pair",
    "nodes": [{"names": ["a", "b"], "nics": 2}],
    "spares": [{"names": ["s"], "nics": 2}],
    "switches": [{"name": "red", "colour": "#ff0000", "ports": 4}, {"name": "blue", "colour": "#0000ff", "ports": 4}],
    "uplink": {"name": "white", "ports": 8},
    "links": {"rate": "100M"},
}
WIRING = {"cluster": "pair", "nodes": {"a": ["red", "blue"], "b": ["red", None]}}


@pytest.fixture
def hardware() -> Hardware:
    return build(Cluster.model_validate(CLUSTER), Wiring.model_validate(WIRING))


@pytest.fixture
def state(hardware: Hardware) -> State:
    return State(
        directory=Path("/pair"),
        nonce="0",
        phase=Phase.UP,
        root=Path("/root"),
        node_device="dummy",
        planned=hardware,
        cables=hardware.cables,
    )


def broken(state: State, kind: FaultKind, *on: str) -> State:
    return state.but(faults=(*state.faults, Fault(number=len(state.faults) + 1, kind=kind, on=on)))


def test_without_a_wiring_only_spares_and_head_are_cabled(hardware: Hardware) -> None:
    bare = build(Cluster.model_validate(CLUSTER), None)
    assert bare.cables == {"s:0": "white", "head:0": "white"}
    assert bare.machines == hardware.machines


def test_spares_and_head_have_one_cable_to_the_uplink(hardware: Hardware) -> None:
    assert hardware.cables == {"a:0": "red", "a:1": "blue", "b:0": "red", "s:0": "white", "head:0": "white"}
    assert [(machine.name, machine.kind, len(machine.macs)) for machine in hardware.machines] == [
        ("a", Kind.NODE, 2),
        ("b", Kind.NODE, 2),
        ("s", Kind.SPARE, 2),
        ("head", Kind.HEAD, 1),
    ]


def test_head_has_the_last_usable_outside_address(hardware: Hardware) -> None:
    assert hardware.head_address == "10.78.0.254/24"


def test_macs_are_local_unicast_distinct_and_always_the_same(hardware: Hardware) -> None:
    macs = [mac for machine in hardware.machines for mac in machine.macs]
    assert len(set(macs)) == len(macs) == 7
    for mac in macs:
        assert normal_mac(mac) == mac
        assert int(mac[:2], 16) & 3 == 2
    assert lab_mac("pair", "a", 1) == hardware.machines[0].macs[1] != lab_mac("other", "a", 1)


def test_a_machine_cannot_have_the_name_of_the_switches_namespace() -> None:
    cluster = Cluster.model_validate(CLUSTER | {"head": {"name": FABRIC}})
    with pytest.raises(LabError, match="fabric"):
        build(cluster, Wiring.model_validate(WIRING))


@pytest.mark.parametrize("text", ["a", "a:", ":", "a:x", "a:-1"])
def test_what_is_no_nic_is_refused(text: str) -> None:
    with pytest.raises(LabError, match="NODE:SLOT"):
        split_nic(text)


def test_each_cable_is_a_pair_from_a_port_to_a_nic(state: State) -> None:
    links = fabric.links(state)
    assert links["b:0"] == Link(
        End(FABRIC, "m1.0", 100_016, master="sw0", up=True),
        End("b", "eth0", 1000, lab_mac("pair", "b", 0)),
        100_000_000,
    )
    assert links["blue"] == Link(
        End(FABRIC, "u1.near", master="sw1", up=True), End(FABRIC, "u1.far", master="sw2", up=True), 100_000_000
    )


def test_a_nic_without_a_cable_is_there_without_a_carrier(state: State) -> None:
    assert fabric.links(state)["b:1"].near == End(FABRIC, "m1.1", 100_017, master=None, up=False)


def test_a_machine_that_is_off_has_no_nics(state: State) -> None:
    assert {"a:0", "a:1"}.isdisjoint(fabric.links(state.but(off=frozenset("a"))))


def test_a_dark_switch_gives_no_carrier_to_anybody(state: State) -> None:
    links = fabric.links(state.but(dark=frozenset({"red"})))
    assert not links["a:0"].near.up
    assert not links["b:0"].near.up
    assert not links["red"].near.up
    assert links["a:1"].near.up


def test_a_cable_between_two_machines_has_no_end_at_a_switch(state: State) -> None:
    links = fabric.links(state.but(cables={"a:1": "b:1"}))
    assert (links["a:1"].near.space, links["a:1"].far.space) == ("a", "b")
    assert "b:1" not in links
    alone = fabric.links(state.but(cables={"a:1": "b:1"}, off=frozenset("b")))
    assert alone["a:1"].near == End(FABRIC, "m0.1", 100_001, master=None, up=False)


def test_a_cable_between_two_machines_is_taken_out_whatever_its_nics_are_called_now(state: State) -> None:
    direct = state.but(cables={"a:1": "b:1"})
    assert fabric.change(direct, direct.but(cables={})).ip["a"] == ["link del dev if1001"]


def test_swapped_cables_end_at_each_others_switches(state: State) -> None:
    assert effect(state.planned, state.cables, broken(state, FaultKind.SWAP, "a:1", "b:0").faults).cables == (
        state.cables | {"a:1": "red", "b:0": "blue"}
    )


def test_swapping_with_a_free_nic_moves_the_cable(state: State) -> None:
    cables = effect(state.planned, state.cables, broken(state, FaultKind.SWAP, "a:1", "b:1").faults).cables
    assert cables["b:1"] == "blue"
    assert "a:1" not in cables


def test_the_first_state_makes_everything_once(state: State) -> None:
    batch = fabric.change(None, state)
    made = [line for line in batch.ip[FABRIC] if line.startswith("link add")]
    assert len(made) == 7 + 2
    assert made[2] == (
        "link add name m0.0 index 100000 mtu 9216 type veth peer "
        f"name eth0 index 1000 address {lab_mac('pair', 'a', 0)} netns fl-pair-a gso_max_segs 16"
    )
    assert "link set dev m0.0 master sw0" in batch.ip[FABRIC]
    assert batch.tc["b"] == [
        f"qdisc add dev if{1000 + slot} root tbf rate 100000000bit burst 50000 limit 675000" for slot in (0, 1)
    ]
    assert [line for line in batch.ip[FABRIC] if line.endswith(("sw0 up", "sw1 up", "sw2 up"))] != []


def test_no_change_has_no_lines(state: State) -> None:
    assert fabric.change(state, state) == fabric.Batch()


def test_another_rate_changes_the_shapers_of_all_cables_and_nothing_else(state: State) -> None:
    slow = state.but(planned=state.planned.model_copy(update={"rate": 10_000_000}))
    batch = fabric.change(state, slow)
    assert set(batch.ip) == set(slow.planned.by_name)
    assert {line.partition(" gso_max_segs ")[2] for lines in batch.ip.values() for line in lines} == {"4"}
    lines = [line for lines in batch.tc.values() for line in lines]
    assert len(lines) == 2 * len(fabric.links(state))
    assert all("qdisc change" in line and "rate 10000000bit" in line for line in lines)


def test_recabling_touches_that_port_only(state: State) -> None:
    batch = fabric.change(state, state.but(cables=state.cables | {"a:0": "blue"}))
    assert batch.tc == {}
    assert batch.ip == {
        FABRIC: [
            "link set dev m0.0 down",
            "link set dev m0.0 alias a:0",
            "link set dev m0.0 master sw1",
            "link set dev m0.0 up",
        ]
    }


def test_a_dead_cable_stays_where_it_is_without_a_carrier(state: State) -> None:
    lines = fabric.change(state, broken(state, FaultKind.DEAD_CABLE, "a:0")).ip[FABRIC]
    assert lines == ["link set dev m0.0 down", "link set dev m0.0 alias a:0", "link set dev m0.0 master sw0"]


def test_a_dead_nic_is_gone_and_comes_back_with_its_mac(state: State) -> None:
    dead = broken(state, FaultKind.DEAD_NIC, "a:0")
    assert fabric.change(state, dead).ip == {FABRIC: ["link del dev m0.0"]}
    assert (
        f"address {lab_mac('pair', 'a', 0)} netns fl-pair-a gso_max_segs 16" in fabric.change(dead, state).ip[FABRIC][0]
    )


def test_a_duplicate_mac_is_another_card_in_the_same_place(state: State) -> None:
    lines = fabric.change(state, broken(state, FaultKind.DUPLICATE_MAC, "a:0", "b:0")).ip[FABRIC]
    assert lines[0] == "link del dev m0.0"
    assert f"name eth0 index 1000 address {lab_mac('pair', 'b', 0)} netns fl-pair-a gso_max_segs 16" in lines[1]


def test_another_mac_is_that_of_no_machine(state: State) -> None:
    now = effect(state.planned, state.cables, broken(state, FaultKind.OTHER_MAC, "a:0").faults)
    known = {mac for machine in state.planned.machines for mac in machine.macs}
    assert now.macs.keys() == {"a:0"}
    assert not known & {*map(normal_mac, now.macs.values())}


def test_joined_switches_share_a_cable_and_make_no_loop(state: State) -> None:
    joined = broken(state, FaultKind.JOINED, "red", "blue")
    cable = fabric.links(joined)["red"]
    assert (cable.near.master, cable.far.master, cable.far.up) == ("sw0", "sw1", True)
    assert fabric.links(joined)["blue"] == fabric.links(state)["blue"]
    dark = joined.but(dark=frozenset({"blue"}))
    assert not fabric.links(dark)["red"].far.up
    assert fabric.links(joined.but(dark=frozenset({"white"})))["red"].far.up


@pytest.mark.parametrize(
    ("kind", "on", "words"),
    [
        (FaultKind.SWAP, ("a:0",), "needs 2 different names"),
        (FaultKind.JOINED, ("red", "red"), "needs 2 different names"),
        (FaultKind.JOINED, ("red", "white"), "no switch 'white'"),
        (FaultKind.DEAD_NIC, ("a:2",), "a has no slot 2"),
        (FaultKind.DEAD_NIC, ("z:0",), "no machine 'z'"),
        (FaultKind.DEAD_SWITCH, ("mauve",), "no switch 'mauve'"),
        (FaultKind.DEAD_CABLE, ("white",), "NODE:SLOT"),
    ],
)
def test_faults_on_what_is_not_there_are_refused(
    hardware: Hardware, kind: FaultKind, on: tuple[str, ...], words: str
) -> None:
    with pytest.raises(LabError, match=words):
        check(hardware, Fault(number=1, kind=kind, on=on))


@pytest.mark.parametrize(
    ("rate", "burst", "waiting"),
    [(2_000_000, 32768, 131072), (100_000_000, 50_000, 625_000), (25 * 10**9, 12_500_000, 156_250_000)],
)
def test_the_shapers_bucket_keeps_up_with_the_rate_and_a_slow_one_has_memory_too(
    rate: int, burst: int, waiting: int
) -> None:
    assert fabric.shaper(rate) == f"tbf rate {rate}bit burst {burst} limit {burst + waiting}"
