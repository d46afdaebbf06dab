# SPDX-License-Identifier: Apache-2.0
"""The catalogue, counted by brute force from the wiring as the paper prints it."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood.checks.catalogue import CLUSTER, Catalogue, shipped
from flathood.checks.job import obstacle
from flathood.cli.validate import validate
from flathood.plan import Plan, routed

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["hexa", "octet"])
def test_the_number_of_checks_is_what_counting_over_the_wiring_gives(name: str, request: pytest.FixtureRequest) -> None:
    plan: Plan = request.getfixturevalue(name)
    wiring = {node: [switch for switch in slots if switch] for node, slots in plan.wiring.nodes.items()}
    nodes, nics = len(wiring), sum(map(len, wiring.values()))
    pairs = list(permutations(wiring, 2))
    shared = sum(len({*wiring[a]} & {*wiring[b]}) for a, b in pairs)
    addresses_of_peers = sum(len(wiring[b]) + 2 for _, b in pairs)
    head = Counter(nic=4, address=1, name=1 + 2 * nodes, route=nodes, neighbor=nodes + 1, echo=nodes, loss=1, cable=1)
    expected = Counter(
        nic=5 * nics,
        address=nics + nodes,
        sysctl=nodes * 15 + 2 * nics,
        name=len(pairs) * 3 + shared + (nics + 3 * nodes) + nodes,
        route=addresses_of_peers + nodes,
        neighbor=shared + nics + nodes,
        echo=addresses_of_peers + nodes,
        loss=nics,
        silence=nics,
        multicast=nodes * nodes,
        cable=nics,
        mpi=1,
    )
    expected["one-switch"] = shared
    assert Catalogue.of(plan).totals() == expected + head


def test_no_two_checks_are_the_same(octet: Plan) -> None:
    identities = Counter(check.identity for check in Catalogue.of(octet))
    assert max(identities.values()) == 1


def test_every_address_of_every_peer_is_reached_by_a_neighborhood_that_both_are_on(octet: Plan) -> None:
    wiring = octet.wiring.nodes
    for check in Catalogue.of(octet):
        if check.kind in {"route", "echo"} and octet.head not in {check.host, check.peer}:
            assert check.switch in wiring[check.host]
            assert check.switch in wiring[check.peer]
            assert wiring[check.host][int(check.nic[3:])] == check.switch


def test_an_echo_is_forced_out_by_a_nic_exactly_where_the_address_is_on_link(hexa: Plan) -> None:
    checks = Catalogue.of(hexa).checks("a")
    routes = {check.key: check.expected for check in checks if check.kind == "route"}
    echoes = {check.key: check.expected for check in checks if check.kind == "echo"}
    assert {key: text.split()[0] for key, text in echoes.items()} == {
        key: "routed" if text.startswith("via") else "bound" for key, text in routes.items()
    }


def test_a_smaller_scope_leaves_out_what_needs_the_word_of_others(hexa: Plan) -> None:
    alone = Catalogue.of(hexa, ["a", "nobody"])
    assert alone.scope == ("a",)
    counts = alone.counts("a")
    assert (counts["one-switch"], counts["multicast"]) == (0, 1)
    assert counts["echo"] == Catalogue.of(hexa).counts("a")["echo"]
    assert alone.checks(CLUSTER) == ()


def test_only_the_kinds_asked_for_are_shipped(hexa: Plan) -> None:
    work = shipped(Catalogue.of(hexa).checks("a"), ("echo", "mpi"))
    assert list(work) == ["echo"]
    assert work["echo"]["10.80.0.2"] == "bound fnn0"


def test_the_list_is_printed_before_anything_runs() -> None:
    done = CliRunner().invoke(validate, [str(ROOT / "inventories/hexa"), "--list"])
    assert done.exit_code == 0
    assert "hexa: 808 checks." in done.output
    assert max(map(len, done.output.splitlines())) <= 80


def test_the_list_of_one_node_names_every_check_of_it(hexa: Plan) -> None:
    done = CliRunner().invoke(validate, [str(ROOT / "inventories/hexa"), "--list", "--node", "c"])
    for check in Catalogue.of(hexa).checks("c"):
        assert f"  {check.key} → {check.expected}\n" in done.output


def test_the_list_as_json_counts_the_same(hexa: Plan) -> None:
    done = CliRunner().invoke(validate, [str(ROOT / "inventories/hexa"), "--list", "--json"])
    counted = json.loads(done.output)["machines"]
    assert sum(sum(kinds.values()) for kinds in counted.values()) + 1 == Catalogue.of(hexa).totals().total()


def test_an_unknown_machine_is_refused() -> None:
    done = CliRunner().invoke(validate, [str(ROOT / "inventories/hexa"), "--list", "--node", "zz"])
    assert done.exit_code == 2
    assert "zz: no such machine" in done.output


def test_no_job_is_started_over_a_broken_way_which_is_named(hexa: Plan) -> None:
    there = {node: {"deviations": {}} for node in hexa.names}
    assert obstacle(hexa, there, {}) == ""
    broken = {"a": {"deviations": {"echo": {"10.80.1.2": "no reply"}}}}
    assert obstacle(hexa, there, broken) == (
        "the plain traffic has to work first: 1 echoes failed: a to b by fnn1 (green)"
    )
    assert "these do not: b" in obstacle(hexa, {**there, "b": {}}, {})


def test_advanced_routing_is_checked_on_every_shared_switch_and_a_tree_on_none(hexa: Plan) -> None:
    advanced = {check.identity: check for check in Catalogue.of(routed(hexa, "advanced")).checks("a")}
    assert advanced["name", "a", "b"].expected == "10.79.0.2"
    ways = "via 10.80.0.2 dev fnn0 src 10.80.0.1 | via 10.80.1.2 dev fnn1 src 10.80.1.1"
    assert advanced["route", "a", "10.79.0.2"].expected == ways
    assert {key for kind, _, key in advanced if kind == "echo" and "%" in key} == {"10.79.0.2%fnn0", "10.79.0.2%fnn1"}
    tree = Catalogue.of(routed(hexa, "tree"))
    assert {check.nic for check in tree.checks("a") if check.kind == "echo"} == {"fnn0"}
    assert not any(check.kind == "one-switch" for check in tree)
