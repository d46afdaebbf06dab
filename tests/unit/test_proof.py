# SPDX-License-Identifier: Apache-2.0
"""The offline proof can fail: each way to break compiled files is found, and named well enough to be mended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from flathood.bench import synthetic
from flathood.plan import Options, Plan, routed
from flathood.plan.proof import Compiled, Finding, Report, prove, run
from flathood.registry.model import State
from tests.plans import HEXA, Files, InMemory, compiled, plan_of

NETWORK = "/etc/systemd/network/50-fnn"


@pytest.fixture(scope="module")
def plan() -> Plan:
    """n0, n1 on red and green; n2, n3 on red and blue; n4, n5 on green and blue; a spare x0.

    Subnets: blue 10.80.0.0/24, green 10.80.1.0/24, red 10.80.2.0/24.
    """
    return plan_of(HEXA, spares=1)


@pytest.fixture
def files(plan: Plan) -> Files:
    return compiled(plan, Options())


def proof(plan: Plan, files: Files) -> Report:
    return prove(plan.cluster, plan.wiring, plan.registry, InMemory(files), Options())


def change(files: Files, host: str, path: str, old: str, new: str) -> None:
    data = files[host][path]
    assert data.count(old.encode()) >= 1, f"{old!r} is not in {path}"
    files[host][path] = data.replace(old.encode(), new.encode(), 1)


def found(report: Report, check: str, *words: str) -> Finding:
    """The one finding of a check that has all these words in it."""
    hits = [f for f in report.failures if f.check == check and all(word in str(f) for word in words)]
    assert hits, "\n".join(map(str, report.failures)) or "nothing was found"
    return hits[0]


def test_what_the_compiler_makes_is_proved(plan: Plan, files: Files) -> None:
    report = proof(plan, files)
    assert report.failures == []
    assert report.exit_code == 0
    assert report.proved["neighborhoods"] == 36
    assert report.proved["paths"] == 6 * 5 * 4 - 36
    assert report.proved["choice"] == 15
    assert report.proved["arp"] == 13


def test_a_wrong_mac_is_told_with_nic_cable_and_the_right_one(plan: Plan, files: Files) -> None:
    wrong, right = plan.mac("n4", 0), plan.mac("n1", 0)
    change(files, "n0", f"{NETWORK}0.network.d/arp.conf", right, wrong)
    hit = found(proof(plan, files), "neighbors", "n0", "10.80.2.2 (n1)", f"has {wrong}", "n4's fnn0", right)
    assert (hit.nic, hit.cable, hit.file) == ("fnn0", "red #000002", f"{NETWORK}0.network.d/arp.conf")
    assert found(proof(plan, files), "neighborhoods", "n1 (10.80.2.2)", "frames for 10.80.2.2 go to n4's fnn0")


def test_the_mac_of_the_peer_s_other_nic_would_cross_the_uplink(plan: Plan, files: Files) -> None:
    change(files, "n0", f"{NETWORK}0.network.d/arp.conf", plan.mac("n2", 0), plan.mac("n2", 1))
    assert found(proof(plan, files), "neighborhoods", "n2", "fnn0 is on red", "is on blue", "cross the uplink")


def test_unicast_between_nodes_that_would_cross_the_uplink_is_told(plan: Plan, files: Files) -> None:
    """n0's outside NIC is on red, n4's on green: without its host route, n4's outside address is on-link for n0."""
    change(
        files, "n0", f"{NETWORK}1.network.d/routes.conf", "[Route]\nDestination=10.78.0.5/32\nGateway=10.80.1.5\n", ""
    )
    entry = f"\n[Neighbor]\nAddress=10.78.0.5\nLinkLayerAddress={plan.mac('n4', 0)}\n".encode()
    files["n0"][f"{NETWORK}0.network.d/arp.conf"] += entry
    hit = found(proof(plan, files), "paths", "n4 (10.78.0.5)", "fnn0 is on red", "is on green", "cross the uplink")
    assert hit.cable == "red #000002"


def test_two_entries_of_one_address_are_told(plan: Plan, files: Files) -> None:
    entry = f"\n[Neighbor]\nAddress=10.80.2.2\nLinkLayerAddress={plan.mac('n1', 0)}\n".encode()
    files["n0"][f"{NETWORK}0.network.d/arp.conf"] += entry
    assert found(proof(plan, files), "neighbors", "n0 fnn0", "there are 2 entries of 10.80.2.2")


def test_two_routes_to_one_address_are_told(plan: Plan, files: Files) -> None:
    path = f"{NETWORK}0.network.d/routes.conf"
    files["n0"][path] += b"\n[Route]\nDestination=10.79.0.3/32\nGateway=10.80.2.3\n"
    assert found(proof(plan, files), "paths", "n0 fnn0", "there are two routes to 10.79.0.3/32")


def test_a_route_to_nobody_is_told(plan: Plan, files: Files) -> None:
    path = f"{NETWORK}0.network.d/routes.conf"
    files["n0"][path] += b"\n[Route]\nDestination=0.0.0.0/0\nGateway=10.80.2.3\n"
    assert found(proof(plan, files), "paths", "n0 fnn0", "a route to 0.0.0.0/0, which nobody has")


def test_a_missing_route_is_told_with_all_that_it_cuts_off(plan: Plan, files: Files) -> None:
    change(
        files, "n0", f"{NETWORK}0.network.d/routes.conf", "[Route]\nDestination=10.79.0.3/32\nGateway=10.80.2.3\n", ""
    )
    assert found(proof(plan, files), "paths", "n0", "n2 (10.79.0.3): there is no route")


def test_a_peer_s_address_without_its_route_goes_on_link_and_has_no_entry(plan: Plan, files: Files) -> None:
    change(
        files, "n0", f"{NETWORK}0.network.d/routes.conf", "[Route]\nDestination=10.78.0.3/32\nGateway=10.80.2.3\n", ""
    )
    assert found(proof(plan, files), "paths", "n2 (10.78.0.3)", "no permanent neighbor entry for 10.78.0.3 on fnn0")


def test_a_route_by_another_shared_neighborhood_is_against_the_choice(plan: Plan, files: Files) -> None:
    chosen = plan.chosen[0, 1]
    slot = int(plan.slot_on[0, chosen])
    other = 3 - chosen  # of green (1) and red (2), which n0 and n1 share
    section = f"\n[Route]\nDestination=10.79.0.2/32\nGateway={plan.neighborhood_ip(1, chosen)}\n"
    change(files, "n0", f"{NETWORK}{slot}.network.d/routes.conf", section, "")
    moved = section.replace(str(plan.neighborhood_ip(1, chosen)), str(plan.neighborhood_ip(1, other)))
    files["n0"][f"{NETWORK}{1 - slot}.network.d/routes.conf"] += moved.encode()
    assert found(proof(plan, files), "paths", "n1 (10.79.0.2)", "its plain name by another neighborhood")


def test_a_gateway_that_is_not_on_the_nic_s_subnet_is_refused(plan: Plan, files: Files) -> None:
    change(files, "n0", f"{NETWORK}0.network.d/routes.conf", "Gateway=10.80.2.3", "Gateway=10.80.0.3")
    assert found(proof(plan, files), "paths", "n2", "the next hop 10.80.0.3 is in no subnet of fnn0")


def test_a_wrong_line_in_hosts_is_told(plan: Plan, files: Files) -> None:
    change(files, "n0", "/etc/hosts", "10.80.2.3 n2", "10.80.2.4 n2")
    assert found(proof(plan, files), "names", "n0 /etc/hosts", "n2 is 10.80.2.4, an address of n3")


def test_ends_that_chose_differently_are_told(plan: Plan, files: Files) -> None:
    here, there = ("green", "red") if plan.chosen[0, 1] == 1 else ("red", "green")
    change(files, "n0", "/etc/hosts", f"n1 n1-{here}", f"n1-{here}")
    change(files, "n0", "/etc/hosts", f" n1-{there}", f" n1 n1-{there}")
    assert found(proof(plan, files), "choice", "n0", "goes to n1 by", "which comes back by")


def test_arp_left_on_is_told(plan: Plan, files: Files) -> None:
    change(files, "n3", f"{NETWORK}1.network.d/arp.conf", "[Link]\nARP=no\n", "")
    hit = found(proof(plan, files), "arp", "ARP is left on")
    assert (hit.machine, hit.nic, hit.cable) == ("n3", "fnn1", "blue #000000")


def test_an_address_that_two_nodes_have_is_told(plan: Plan, files: Files) -> None:
    change(files, "n3", f"{NETWORK}0.network", "Address=10.80.2.4/24", "Address=10.80.2.3/24")
    assert found(proof(plan, files), "addresses", "n3", "10.80.2.3 is n2's, too")


def test_swapped_link_files_are_told(plan: Plan, files: Files) -> None:
    one, two = f"{NETWORK}0.link", f"{NETWORK}1.link"
    files["n2"][one], files["n2"][two] = files["n2"][two], files["n2"][one]
    report = proof(plan, files)
    for slot in (0, 1):
        assert found(report, "links", f"n2 fnn{slot}", f"lacks MACAddress={plan.mac('n2', slot)}")


@pytest.mark.parametrize("key", ["net.ipv4.ip_forward = 0", "net.ipv4.conf.all.rp_filter = 2"])
def test_a_missing_sysctl_is_told(plan: Plan, files: Files, key: str) -> None:
    change(files, "n1", "/etc/sysctl.d/60-fnn-routes.conf", f"{key}\n", "")
    assert found(proof(plan, files), "forwarding", "n1", f"{key.split(' ', maxsplit=1)[0]} is not set")


@pytest.mark.parametrize(("old", "new"), [(",n,", ","), (",fnz", ",fnz,fnn1"), (",fnz", "")])
def test_a_list_that_has_open_mpi_use_other_devices_than_the_nics_is_told(plan: Plan, old: str, new: str) -> None:
    advanced = routed(plan, "advanced")
    files = compiled(advanced, Options())
    change(files, "n0", "/etc/openmpi/openmpi-mca-params.conf", old, new)
    assert found(proof(advanced, files), "mpi", "n0", "right is the beginnings of all names but fnn0, fnn1")


def test_forwarding_switched_on_is_told(plan: Plan, files: Files) -> None:
    change(files, "n1", "/etc/sysctl.d/60-fnn-routes.conf", "ip_forward = 0", "ip_forward = 1")
    assert found(proof(plan, files), "forwarding", "n1", "net.ipv4.ip_forward is 1; right is 0")


def _twice(files: Files) -> None:
    files["n0"][f"{NETWORK}1.network.d/multicast.conf"] = files["n0"][f"{NETWORK}0.network.d/multicast.conf"]


def _never(files: Files) -> None:
    del files["n0"][f"{NETWORK}0.network.d/multicast.conf"]


@pytest.mark.parametrize("damage", [_twice, _never])
def test_multicast_by_two_nics_or_none_is_told(plan: Plan, files: Files, damage: Callable[[Files], None]) -> None:
    damage(files)
    assert found(proof(plan, files), "multicast", "n0", "right is 224.0.0.0/4 by fnn0")


def test_a_missing_machine_is_told(plan: Plan, files: Files) -> None:
    files["n5"] = {}
    report = proof(plan, files)
    assert found(report, "files", "n5 /etc/hosts: is missing")
    assert found(report, "names", "n0", "n5 is 10.80.1.6, nobody's address")


def test_a_lease_to_the_wrong_nic_is_told(plan: Plan, files: Files) -> None:
    change(files, "head", "/etc/dnsmasq.d/fnn.conf", f"{plan.mac('n0', 0)},10.78.0.1", f"{plan.mac('n0', 1)},10.78.0.1")
    assert found(proof(plan, files), "leases", "head", f"dhcp-host={plan.mac('n0', 0)},10.78.0.1,n0")


def test_the_head_s_own_entry_of_a_node_is_proved(plan: Plan, files: Files) -> None:
    change(files, "head", f"{NETWORK}0.network.d/arp.conf", plan.mac("n4", 0), plan.mac("n4", 1))
    assert found(proof(plan, files), "uplink", "head", "n4 (10.78.0.5)")


def test_a_file_that_nobody_writes_is_told(plan: Plan, files: Files) -> None:
    files["n0"][f"{NETWORK}7.network"] = b"[Match]\nName=*\n"
    assert found(proof(plan, files), "files", f"{NETWORK}7.network", "no role writes")


def test_a_mac_that_discovery_found_to_conflict_is_warned_of(plan: Plan, files: Files) -> None:
    nics = plan.registry.nodes["n1"]
    assert nics[0] is not None
    doubtful = nics[0].model_copy(update={"state": State.CONFLICTING})
    registry = plan.registry.model_copy(update={"nodes": {**plan.registry.nodes, "n1": (doubtful, *nics[1:])}})
    report = prove(plan.cluster, plan.wiring, registry, InMemory(files), Options())
    assert report.exit_code == 3
    assert [(finding.machine, finding.nic) for finding in report.warnings] == [("n1", "fnn0")]


def test_two_processes_prove_the_same_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = synthetic.plan(30)
    source = Compiled(plan, Options())
    one = prove(plan.cluster, plan.wiring, plan.registry, source, Options())
    monkeypatch.setattr(run, "_WORTH_TWO", 2)
    two = prove(plan.cluster, plan.wiring, plan.registry, source, Options())
    assert one.failures == two.failures == []
    assert one.proved == two.proved


def test_a_node_alone_has_nobody_to_reach_but_the_head() -> None:
    plan = plan_of((("red",),))
    report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, Options()), Options())
    assert report.exit_code == 0
    assert (report.proved["paths"], report.proved["uplink"]) == (0, 2)


def test_nothing_proved_is_an_exit_code_of_its_own() -> None:
    assert Report().exit_code == 2
