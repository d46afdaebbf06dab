# SPDX-License-Identifier: Apache-2.0
"""What a machine says of its kernel, over what `ip -json` prints, and the sentences about what differs."""

from itertools import permutations
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.machine import explain, live, nics, verbs
from ansible_collections.flathood.cluster.plugins.module_utils.machine.command import MachineError

RED = {
    "ifname": "fnn0",
    "link_type": "ether",
    "address": "02:00:00:00:00:01",
    "mtu": 1500,
    "ifalias": "red",
    "flags": ["BROADCAST", "NOARP", "UP", "LOWER_UP"],
    "addr_info": [
        {"family": "inet", "local": "10.80.0.1", "prefixlen": 24},
        {"family": "inet", "local": "10.78.0.1", "prefixlen": 24, "metric": 1024},
        {"family": "inet6", "local": "fe80::1", "prefixlen": 64},
    ],
}
BLUE = RED | {
    "ifname": "fnn1",
    "address": "02:00:00:00:00:02",
    "ifalias": "blue",
    "flags": ["UP"],
    "addr_info": [],
}
LO = {"ifname": "lo", "link_type": "loopback", "address": "00:00:00:00:00:00", "mtu": 65536, "flags": ["UP", "NOARP"]}


def test_links_addresses_and_arp_tell_our_devices_only() -> None:
    devices = [LO, BLUE, RED]
    assert live.links(devices) == [
        "fnn0 02:00:00:00:00:01 mtu 1500 alias red",
        "fnn1 02:00:00:00:00:02 mtu 1500 alias blue",
    ]
    assert live.addresses(devices) == ["fnn0 10.78.0.1/24 metric 1024", "fnn0 10.80.0.1/24"]
    assert live.arp(devices) == ["fnn0 off"]


def test_neighbors_are_permanent_ones_of_ipv4_on_our_nics() -> None:
    entry = {"dst": "10.80.0.2", "dev": "fnn0", "lladdr": "02:00:00:00:00:09", "state": ["PERMANENT"]}
    others = [entry | {"dst": "fe80::2"}, entry | {"dev": "eth0"}, entry | {"dst": "10.80.0.3", "state": ["STALE"]}]
    assert live.neighbors([entry, *others]) == ["fnn0 10.80.0.2 02:00:00:00:00:09"]


def test_routes_are_unicast_by_our_nics_and_multicast_is_apart() -> None:
    entries = [
        {"dst": "10.80.2.3", "gateway": "10.80.0.3", "dev": "fnn0"},
        {"dst": "10.79.0.3", "nexthops": [{"gateway": f"10.80.{k}.3", "dev": f"fnn{k}"} for k in (0, 1)]},
        {"dst": "default", "gateway": "192.0.2.1", "dev": "eth9"},
        {"dst": "224.0.0.0/4", "dev": "fnn0", "scope": "link"},
    ]
    assert live.routes(entries) == [
        "10.79.0.3 via 10.80.0.3 dev fnn0 via 10.80.1.3 dev fnn1",
        "10.80.2.3 via 10.80.0.3 dev fnn0",
    ]
    assert live.multicast(entries) == ["224.0.0.0/4 dev fnn0"]


def test_sysctls_of_a_role_come_from_its_own_file(tmp_path: Path) -> None:
    file = tmp_path / "etc/sysctl.d/60-fnn-arp.conf"
    file.parent.mkdir(parents=True)
    file.write_text("# header\nnet.ipv4.conf.all.arp_ignore = 1\n-net.ipv4.neigh.default.gc_thresh1 = 9\n")
    key = live.setting(tmp_path, "net.ipv4.conf.all.arp_ignore")
    key.parent.mkdir(parents=True)
    key.write_text("0\n")
    assert live.sysctl_keys(tmp_path, "arp") == ["net.ipv4.conf.all.arp_ignore"]
    assert live.sysctl(tmp_path, ["net.ipv4.conf.all.arp_ignore", "net.no.such"]) == ["net.ipv4.conf.all.arp_ignore 0"]
    assert live.sysctl_keys(tmp_path, "routes") == []


@pytest.fixture
def proc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(verbs, "ask", lambda *_: [LO, RED])
    for key in ("all", "default", "fnn0", "lo"):
        file = live.setting(tmp_path, f"net.ipv4.conf.{key}.arp_ignore")
        file.parent.mkdir(parents=True)
        file.write_text("0\n")
    (tmp_path / "etc/sysctl.d").mkdir(parents=True)
    return tmp_path


def test_default_reaches_our_devices_that_exist_and_no_others(proc: Path) -> None:
    (proc / "etc/sysctl.d/60-fnn-arp.conf").write_text("net.ipv4.conf.default.arp_ignore = 1\n")
    assert verbs.sysctl(proc, "arp").startswith("sysctl: 2 set")
    shown = {name: live.setting(proc, f"net.ipv4.conf.{name}.arp_ignore").read_text() for name in ("fnn0", "lo")}
    assert shown == {"fnn0": "1", "lo": "0\n"}
    assert verbs.sysctl(proc, "arp") == ""


def test_a_sysctl_that_the_kernel_lacks_is_named_unless_it_may_fail(proc: Path) -> None:
    file = proc / "etc/sysctl.d/60-fnn-arp.conf"
    file.write_text("-net.ipv4.no.such = 1\n")
    assert verbs.sysctl(proc, "arp") == ""
    file.write_text("net.ipv4.no.such = 1\n")
    with pytest.raises(MachineError, match=r"no sysctl net\.ipv4\.no\.such"):
        verbs.sysctl(proc, "arp")


@pytest.mark.parametrize(
    ("now", "wanted"),
    [
        ({"A": "eth0", "B": "eth1"}, {"A": "fnn0", "B": "fnn1"}),
        ({"A": "fnn1", "B": "fnn0"}, {"A": "fnn0", "B": "fnn1"}),
        ({"A": "fnn1", "B": "fnn2", "C": "fnn0"}, {"A": "fnn0", "B": "fnn1", "C": "fnn2"}),
        ({"A": "fnn1", "X": "fnn0"}, {"A": "fnn0", "B": "fnn1"}),
        ({"A": "fnn0", "B": "eth1"}, {"A": "fnn0", "B": "fnn1"}),
    ],
)
def test_renames_give_each_nic_its_name_and_never_use_one_twice(now: dict[str, str], wanted: dict[str, str]) -> None:
    names = dict(now)
    for old, new in nics.renames(now, wanted):
        assert new not in names.values()
        [mac] = [mac for mac, name in names.items() if name == old]
        names[mac] = new
    assert {mac: names[mac] for mac in wanted if mac in now} == {mac: wanted[mac] for mac in wanted if mac in now}


def test_nothing_is_renamed_when_all_names_are_right() -> None:
    assert nics.renames({"A": "fnn0", "B": "fnn1"}, {"A": "fnn0", "B": "fnn1"}) == []


def test_what_borrows_the_address_of_a_nic_is_not_that_nic() -> None:
    bridge = RED | {"ifname": "br0", "linkinfo": {"info_kind": "bridge"}}
    veth = BLUE | {"linkinfo": {"info_kind": "veth"}}
    assert nics.nics_by_mac([LO, RED, veth, bridge]) == {RED["address"]: "fnn0", BLUE["address"]: "fnn1"}


@pytest.mark.parametrize("shown", list(permutations(["10.80.0.1/24", "10.78.0.1/24", "10.77.0.1/24"])))
def test_addresses_added_anew_come_into_the_order_of_the_file(shown: tuple[str, ...]) -> None:
    configured = ["10.80.0.1/24", "10.78.0.1/24", "10.77.0.1/24"]
    now = list(shown)
    for address in nics.misplaced(configured, now):
        now.remove(address)
        now.append(address)
    assert now == configured


def test_addresses_in_order_or_not_all_there_are_left_alone() -> None:
    assert nics.misplaced(["a", "b"], ["a", "b"]) == []
    assert nics.misplaced(["a", "b"], ["b"]) == []


def test_a_missing_nic_is_told_once_with_what_to_do() -> None:
    drift = {
        "links": ([], ["fnn2 02:00:00:00:00:03 mtu 1500 alias green"]),
        "addresses": ([], ["fnn2 10.80.2.1/24"]),
    }
    [told] = explain.differences(drift, [LO, RED, BLUE])
    assert "fnn2 (green) with MAC 02:00:00:00:00:03 is not in this machine, which has fnn0" in told
    assert "macs.yml" in told


def test_a_nic_without_carrier_is_named_and_one_that_is_down_is_not() -> None:
    unused = BLUE | {"ifname": "fnn2", "flags": ["BROADCAST"]}
    assert live.without_carrier([LO, RED, BLUE, unused]) == ["fnn1 (blue)"]


def test_a_difference_names_what_the_kernel_shows_instead() -> None:
    drift = {"neighbors": (["fnn0 10.80.0.2 02:00:00:00:00:99"], ["fnn0 10.80.0.2 02:00:00:00:00:09"])}
    [told] = explain.differences(drift, [RED])
    assert "expected `fnn0 10.80.0.2 02:00:00:00:00:09`, the kernel shows `fnn0 10.80.0.2 02:00:00:00:00:99`" in told
    assert "networkctl status fnn0" in told


def test_many_differences_are_counted() -> None:
    drift = {"routes": ([], [f"10.80.2.{k} via 10.80.0.3 dev fnn0" for k in range(20)])}
    assert explain.differences(drift, [RED])[-1] == "and 15 more differences"


def test_routes_with_several_next_hops_and_endpoints_are_told_by_nic() -> None:
    hops = [
        {"gateway": "10.80.1.2", "dev": "fnn1", "weight": 1, "flags": []},
        {"gateway": "10.80.0.2", "dev": "fnn0", "weight": 1, "flags": []},
    ]
    assert live.routes([{"dst": "10.79.0.2", "nexthops": hops}]) == [
        "10.79.0.2 via 10.80.0.2 dev fnn0 via 10.80.1.2 dev fnn1"
    ]
    entries = [
        {"address": "10.80.0.1", "id": 1, "subflow": True, "dev": "fnn0"},
        {"address": "192.0.2.1", "id": 9, "signal": True},
    ]
    assert live.mptcp(entries) == ["fnn0 10.80.0.1 subflow"]


def test_a_route_with_several_next_hops_that_networkd_left_behind_is_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    hops = [{"gateway": f"10.80.{k}.2", "dev": f"fnn{k}"} for k in (0, 1)]
    shown = [{"dst": "10.79.0.2", "nexthops": hops}, {"dst": "192.0.2.0/24", "nexthops": hops}]
    orders = []
    monkeypatch.setattr(verbs, "ask", lambda *_: shown)
    monkeypatch.setattr(verbs.subprocess, "run", lambda *_, **given: orders.append(given["input"]))
    assert verbs.routes(["10.79.0.2 via 10.80.0.2 dev fnn0"]) == "routes: 1 with several next hops removed"
    assert orders == ["route del 10.79.0.2 nexthop via 10.80.0.2 dev fnn0 nexthop via 10.80.1.2 dev fnn1\n"]
    assert verbs.routes(["10.79.0.2 via 10.80.0.2 dev fnn0 via 10.80.1.2 dev fnn1"]) == ""


def test_routes_with_several_hops_that_were_lost_are_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = [f"10.79.0.{k} via 10.80.0.{k} dev fnn0 via 10.80.1.{k} dev fnn1" for k in (2, 3)]
    hops = [{"gateway": "10.80.0.3", "dev": "fnn0"}, {"gateway": "10.80.1.3", "dev": "fnn1"}]
    orders = []
    monkeypatch.setattr(verbs, "ask", lambda *_: [{"dst": "10.79.0.3", "nexthops": hops}])
    monkeypatch.setattr(verbs.subprocess, "run", lambda *_, **given: orders.append(given["input"]))
    assert verbs.put_back(kept) == "routes: 1 with several next hops put back"
    assert orders == [
        "route replace 10.79.0.2 proto static nexthop via 10.80.0.2 dev fnn0 nexthop via 10.80.1.2 dev fnn1\n"
    ]
    assert verbs.put_back(kept[1:]) == ""
