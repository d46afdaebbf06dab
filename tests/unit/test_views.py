# SPDX-License-Identifier: Apache-2.0
"""What the machines' files say, where the offline proof cannot know better than the code: options, live facets."""

from __future__ import annotations

from fnmatch import fnmatch
from pathlib import Path
from typing import get_args

import pytest
import yaml

from flathood.errors import InvalidInput
from flathood.plan import Options, Plan, make_plan, render, routed
from flathood.plan.bundle import machines
from flathood.plan.proof import prove
from flathood.plan.views import ROLES_OF, kind_of
from flathood.spec.model import Routing
from flathood.wiring.model import Idle
from tests.plans import HEXA, InMemory, compiled, plan_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plan() -> Plan:
    return plan_of(HEXA, spares=1)


def file(plan: Plan, host: str, role: str, path: str, **options: object) -> str:
    files = render(plan, host, role, Options(**options)).files  # type: ignore[arg-type]
    return next(file.content for file in files if file.path == path)


@pytest.mark.parametrize("routing", get_args(Routing))
def test_every_file_is_owned_by_its_role_and_begins_with_a_comment(plan: Plan, routing: Routing) -> None:
    plan = routed(plan, routing)
    for host in machines(plan):
        seen: set[str] = set()
        for role in ROLES_OF[kind_of(plan, host)]:
            made = render(plan, host, role)
            for each in made.files:
                assert any(fnmatch(each.path, glob) for glob in made.owns), each.path
                assert each.path == "/etc/hostname" or each.content.startswith("# Managed by flathood"), each.path
                assert each.content.endswith("\n")
                assert each.path not in seen
                seen.add(each.path)


def test_no_two_roles_of_a_machine_own_the_same_file(plan: Plan) -> None:
    roles = {role: render(plan, "n0", role) for role in ROLES_OF["node"]}
    for role, made in roles.items():
        for other, theirs in roles.items():
            taken = [f.path for f in made.files if any(fnmatch(f.path, glob) for glob in theirs.owns)]
            assert role == other or taken == []


def test_facets_are_sorted_and_say_what_the_files_say(plan: Plan) -> None:
    for role in ROLES_OF["node"]:
        for facet, lines in render(plan, "n0", role).live.items():
            assert list(lines) == sorted(lines), facet
    live = render(plan, "n0", "routes").live["routes"]
    assert "10.80.0.3 via 10.80.2.3 dev fnn0" in live  # n2 is on red and blue, n0 on red and green
    text = file(plan, "n0", "routes", "/etc/systemd/network/50-fnn0.network.d/routes.conf")
    assert text.count("[Route]") == sum(line.endswith("dev fnn0") for line in live)
    arp = render(plan, "n0", "arp").live
    assert arp["arp"] == ("fnn0 off", "fnn1 off")
    assert arp["neighbors"][0].split()[0] == "fnn0"


def test_a_spare_and_the_head_are_reached_by_the_outside_nic(plan: Plan) -> None:
    text = file(plan, "n0", "arp", "/etc/systemd/network/50-fnn0.network.d/arp.conf")
    assert f"Address={plan.head_ip}\nLinkLayerAddress={plan.mac('head', 0)}\n" in text
    assert f"Address={plan.outside_ip(6)}\nLinkLayerAddress={plan.mac('x0', 0)}\n" in text
    assert file(plan, "x0", "hosts", "/etc/hosts").splitlines()[3] == "10.78.0.1 n0 n0-out"


def test_unused_nics_are_named_and_left_down(plan: Plan) -> None:
    text = file(plan, "x0", "links", "/etc/systemd/network/50-fnn1.network")
    assert "ActivationPolicy=always-down\n" in text
    assert "Address=1" not in text
    assert "Alias=unused\n" in file(plan, "x0", "links", "/etc/systemd/network/50-fnn1.link")


def test_the_network_is_online_when_the_outside_nic_is(plan: Plan) -> None:
    required = [each.path for each in render(plan, "n0", "links").files if "RequiredForOnline=yes" in each.content]
    assert required == ["/etc/systemd/network/50-fnn0.network"]


def test_site_applies_the_roles_in_order_and_routes_are_the_last_of_systemd_networkd(plan: Plan) -> None:
    plays = yaml.safe_load((ROOT / "playbooks/site.yml").read_text())
    tasks = next(play["tasks"] for play in plays if play["name"] == "Set nodes and spares up")
    named = [str(task.get("ansible.builtin.import_role", {}).get("name")) for task in tasks]
    roles = [name.rpartition(".")[2] for name in named]
    assert tuple(role for role in roles if role in ROLES_OF["node"]) == ROLES_OF["node"]
    networked = [role for role in ROLES_OF["node"] if "networkd" in render(plan, "n0", role).apply]
    assert networked[-1] == "routes"


@pytest.mark.parametrize(
    ("mode", "network", "devices"),
    [("basic", "10.79.0.0/16", "node0"), ("advanced", None, "fnn0,fnn1"), ("tree", "10.78.0.0/24", "fnn0")],
)
def test_mpi_gets_what_the_mode_of_routing_is_about(
    plan: Plan, mode: Routing, network: str | None, devices: str
) -> None:
    plan = routed(plan, mode)
    text = file(plan, "n0", "mpi", "/etc/openmpi/openmpi-mca-params.conf")
    assert (f"btl_tcp_if_include = {network}\n" in text) == (network is not None)
    assert ("btl_tcp_if_exclude" in text) == (network is None)
    assert f"export UCX_NET_DEVICES={devices}\n" in file(plan, "n0", "mpi", "/etc/profile.d/fnn-mpi.sh")


def test_with_advanced_routing_open_mpi_leaves_all_out_but_the_nics(plan: Plan) -> None:
    text = file(routed(plan, "advanced"), "n0", "mpi", "/etc/openmpi/openmpi-mca-params.conf")
    (line,) = (line for line in text.splitlines() if line.startswith("btl_tcp_if_exclude = "))
    beginnings = tuple(line.partition(" = ")[2].split(","))
    assert all(name.startswith(beginnings) for name in ("lo", "node0", "eth0", "docker0", "fwbr100i0", "fnord"))
    assert not any(name.startswith(beginnings) for name in ("fnn0", "fnn1", "fnn12"))


def test_open_mpi_leaves_an_idle_nic_out_too() -> None:
    whole = plan_of((("red", "green", "blue"),) * 3)
    wiring = whole.wiring.model_copy(update={"idle": (Idle(node="n0", slot=2),)})
    plan = routed(make_plan(whole.cluster, wiring, whole.registry), "advanced")
    ends = [
        file(plan, name, "mpi", "/etc/openmpi/openmpi-mca-params.conf").count(",fnz,fnn2\n") for name in ("n0", "n1")
    ]
    assert ends == [1, 0]
    report = prove(plan.cluster, plan.wiring, plan.registry, InMemory(compiled(plan, Options())), Options())
    assert [finding for finding in report.failures if finding.check == "mpi"] == []


def test_mpi_gets_all_nodes_in_order(plan: Plan) -> None:
    hosts = file(plan, "n0", "mpi", "/etc/flathood/mpi/openmpi.hosts", mpi_slots=2)
    assert hosts.splitlines()[1:] == [f"n{k} slots=2" for k in range(6)]


def test_in_tree_mode_a_peer_is_its_outside_address(plan: Plan) -> None:
    plan = routed(plan, "tree")
    hosts = file(plan, "n0", "hosts", "/etc/hosts")
    assert "10.78.0.2 n1 n1-out\n" in hosts
    live = render(plan, "n0", "routes").live["routes"]
    assert {line.split(" via ")[1] for line in live} == {f"10.78.0.{k} dev fnn0" for k in range(2, 7)}


def test_extra_lines_reach_every_hosts_file(plan: Plan) -> None:
    for host, role in (("n0", "hosts"), ("x0", "hosts"), ("head", "head")):
        assert file(plan, host, role, "/etc/hosts", hosts_extra=("192.0.2.1 store",)).endswith("192.0.2.1 store\n")


def test_neighbor_table_sizes_are_set_only_where_the_table_is_large() -> None:
    small, large = (plan_of((("red",),) * n) for n in (3, 600))
    assert "gc_thresh" not in file(small, "n0", "arp", "/etc/sysctl.d/60-fnn-arp.conf")
    text = file(large, "n0", "arp", "/etc/sysctl.d/60-fnn-arp.conf")
    assert "-net.ipv4.neigh.default.gc_thresh1 = 1200\n" in text
    assert large.subnets[0].prefixlen == 22


def test_a_mac_that_is_needed_and_not_known_is_named(plan: Plan) -> None:
    registry = plan.registry.model_copy(update={"nodes": {**plan.registry.nodes, "n2": (None, None), "x0": ()}})
    with pytest.raises(InvalidInput) as caught:
        make_plan(plan.cluster, plan.wiring, registry)
    assert [problem.where for problem in caught.value.problems] == ["nodes.n2.0", "nodes.n2.1", "nodes.x0.0"]


def test_a_role_that_is_not_the_machine_s_is_refused(plan: Plan) -> None:
    with pytest.raises(ValueError, match="x0 is a spare and has no role mpi"):
        render(plan, "x0", "mpi")
    with pytest.raises(KeyError):
        render(plan, "nobody", "links")


def test_in_advanced_mode_a_peer_is_its_node_address_by_all_shared_neighborhoods(plan: Plan) -> None:
    advanced = routed(plan, "advanced")
    assert "10.79.0.2 n1 n1-node\n" in file(advanced, "n0", "hosts", "/etc/hosts")
    live = render(advanced, "n0", "routes").live
    assert "10.79.0.2 via 10.80.2.2 dev fnn0 via 10.80.1.2 dev fnn1" in live["routes"]
    assert "10.79.0.3 via 10.80.2.3 dev fnn0" in live["routes"]  # n2 shares red alone
    assert live["mptcp"] == ("fnn0 10.80.2.1 subflow", "fnn1 10.80.1.1 subflow")
    text = "".join(each.content for each in render(advanced, "n0", "routes").files)
    section = "Destination=10.79.0.2/32\nMultiPathRoute=10.80.2.2@fnn0\nMultiPathRoute=10.80.1.2@fnn1\n"
    assert text.count(section) == text.count("MultiPathRoute=") / 2 == 1
    assert render(plan, "n0", "routes").live["mptcp"] == ()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("MultiPathRoute=10.80.1.2@fnn1\n", "MultiPathRoute=10.80.2.2@fnn0\n", "goes by 1 of the neighborhoods"),
        ("MultiPathRoute=10.80.1.2@fnn1\n", "MultiPathRoute=10.80.1.2@fnn0\n", "is in no subnet of fnn0"),
        ("MultiPathRoute=10.80.1.2@fnn1\n", "MultiPathRoute=10.80.1.3@fnn1\n", "no permanent neighbor entry"),
        ("id 2 dev fnn1 subflow", "id 2 dev fnn0 subflow", "adds that of fnn1"),
    ],
)
def test_the_proof_finds_what_is_wrong_with_advanced_routes(plan: Plan, old: str, new: str, message: str) -> None:
    advanced = routed(plan, "advanced")
    files = compiled(advanced, Options())
    changed = {path: data.replace(old.encode(), new.encode()) for path, data in files["n0"].items()}
    assert changed != files["n0"]
    files["n0"] = changed
    report = prove(advanced.cluster, advanced.wiring, advanced.registry, InMemory(files), Options())
    assert any(message in str(finding) for finding in report.failures), report.failures
    assert {finding.machine for finding in report.failures} == {"n0"}


@pytest.fixture(scope="module")
def twins() -> Plan:
    """Two nodes that share red (10.80.4.0/24) and green (10.80.1.0/24), and have two more switches each."""
    rows = (("red", "green", "blue", "teal"), ("red", "green", "pink", "grey"))
    return routed(plan_of(rows), "advanced")


def test_in_advanced_mode_a_peer_s_other_addresses_are_dealt_out_to_the_shared_neighborhoods(twins: Plan) -> None:
    over = twins.reached_over(0, 1)
    assert sorted(over) == [2, 3]  # grey and pink
    assert sorted(over.values()) == [1, 4]
    nics = {1: "10.80.1.2 dev fnn1", 4: "10.80.4.2 dev fnn0"}
    live = render(twins, "n0", "routes").live["routes"]
    for switch in (2, 3):
        assert f"10.80.{switch}.2 via {nics[over[switch]]}" in live
    basic = routed(twins, "basic")
    assert set(basic.reached_over(0, 1).values()) == {int(basic.chosen[0, 1])}


def test_the_proof_finds_more_addresses_on_one_shared_neighborhood_than_its_share(twins: Plan) -> None:
    files = compiled(twins, Options())
    report = prove(twins.cluster, twins.wiring, twins.registry, InMemory(files), Options())
    assert not report.failures, report.failures
    here, there = (f"/etc/systemd/network/50-fnn{slot}.network.d/routes.conf" for slot in (0, 1))
    sections = files["n0"][there].split(b"\n[Route]\n")
    (moved,) = (part for part in sections[1:] if b"Destination=10.80." in part)
    files["n0"][there] = b"\n[Route]\n".join(part for part in sections if part != moved)
    files["n0"][here] += b"\n[Route]\n" + moved.replace(b"Gateway=10.80.1.2", b"Gateway=10.80.4.2")
    report = prove(twins.cluster, twins.wiring, twins.registry, InMemory(files), Options())
    assert {finding.machine for finding in report.failures} == {"n0"}
    assert all("too many of its addresses" in str(finding) for finding in report.failures), report.failures
    assert report.failures
