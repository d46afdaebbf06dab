# SPDX-License-Identifier: Apache-2.0
"""playbooks/site.yml on six real nodes: what check mode foretells, what a run does, what it repairs, whom it names.

The tests of this file go on from one another, in order: from bare machines to a cluster that was broken and mended.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.playbook import command, play, start
from flathood.spec import load_cluster
from tests.labs import AS_JSON, copied, know_macs, running, told, until

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "sitetest"
NODES = ("a", "b", "c", "d", "e", "f")
ROLES = ("links", "arp", "hosts", "multicast", "routes", "mpi")
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 400
#: All that a power cycle must not change; indexes and random MACs of devices are the kernel's affair.
LOOK = r"""
ip -o -4 address | sed 's/^[0-9]*: //'; ip -o link | sed 's/^[0-9]*: //' | grep -v node0
ip -4 route show table all | sort; ip -4 neigh show nud permanent | sort; hostname; cat /etc/hosts
cd /proc/sys/net/ipv4
grep -r . ip_forward fib_multipath_hash_policy tcp_slow_start_after_idle tcp_congestion_control \
  conf/*/arp_ignore conf/*/arp_announce conf/*/rp_filter conf/*/accept_redirects conf/*/send_redirects
"""
DRIFT = """
ip neigh del 10.80.0.2 dev fnn0
ip neigh replace 10.80.1.5 lladdr 02:00:00:00:00:99 nud permanent dev fnn1
ip neigh add 10.80.1.77 lladdr 02:00:00:00:00:77 nud permanent dev fnn1
ip addr del 10.80.1.1/24 dev fnn1
ip route del 10.79.0.3
ip route del 224.0.0.0/4
ip link set fnn0 arp on
ip link set fnn0 alias nonsense
ip link set fnn1 mtu 1400
ip link del node0
echo 0 > /proc/sys/net/ipv4/conf/all/arp_ignore
echo other > /proc/sys/kernel/hostname
"""


@dataclass
class Ran:
    """One run: exit code, all that was printed, and from it each machine's counts and each task's result."""

    code: int
    text: str
    stats: dict[str, dict[str, int]]
    results: dict[tuple[str, str], dict[str, Any]]

    @property
    def changed(self) -> dict[str, int]:
        """How many tasks changed something, by machine; machines on which none did are left out."""
        return {host: counts["changed"] for host, counts in self.stats.items() if counts["changed"]}

    @property
    def diffs(self) -> dict[tuple[str, str], Any]:
        return {key: result["diff"] for key, result in self.results.items() if result.get("diff")}


@dataclass
class Rig:
    lab: Lab
    folder: Path

    def start(self, *options: str) -> subprocess.Popen[str]:
        return start(command("site", self.folder, *options), self.lab, group=True, settings=AS_JSON)

    def site(self, *options: str) -> Ran:
        done = play(command("site", self.folder, *options), self.lab, limit=PATIENCE, settings=AS_JSON)
        run = told(done.stdout)
        results = {
            (host, task["task"]["name"]): result
            for part in run["plays"]
            for task in part["tasks"]
            for host, result in task["hosts"].items()
        }
        return Ran(done.returncode, done.stdout, run["stats"], results)

    def lease(self) -> None:
        """Set the head up, then have the bare nodes boot: then they ask for an address at once, later every 64 s."""
        head = self.site("--limit", "head")
        assert (head.code, set(head.changed)) == (0, {"head"})
        self.lab.power_off(*NODES)
        self.lab.power_on(*NODES)
        until(lambda: all("10.78.0." in self.on(node, "ip -4 address") for node in NODES), "the nodes have addresses")

    def on(self, machine: str, script: str) -> str:
        done = self.lab.exec(machine, ["sh", "-c", script])
        assert done.returncode == 0, f"{machine}: {done.stdout}{done.stderr}"
        return done.stdout


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("site"), NAME)
    with running(folder) as lab:
        know_macs(lab, folder)
        assert load_cluster(folder / "cluster.yml").node_names == NODES
        yield Rig(lab, folder)


def test_a_run_broken_off_in_the_middle_leaves_what_the_next_one_completes(rig: Rig) -> None:
    rig.lease()
    broken = rig.start()
    # The first node has its links: most others are in the middle of theirs.
    until(lambda: any("fnn1" in rig.on(node, "ip -o link") for node in NODES), "a node was reached")
    os.killpg(broken.pid, signal.SIGKILL)
    broken.communicate(timeout=60)
    whole = rig.site()
    assert whole.code == 0, whole.text
    again = rig.site()
    assert (again.code, again.changed) == (0, {})
    for node in NODES:
        assert rig.on(node, "find /etc -name '*.flathood'") == ""


def test_check_mode_foretells_the_run(rig: Rig) -> None:
    """On bare machines: the head leases addresses, the nodes have nothing else."""
    rig.lab.down()
    rig.lab.up()
    rig.lease()
    bare = {node: rig.on(node, "find /etc -type f | sort | xargs sha256sum; ip -o link") for node in NODES}
    foretold = rig.site("--check", "--diff")
    assert foretold.code == 0, foretold.text
    assert {node: rig.on(node, "find /etc -type f | sort | xargs sha256sum; ip -o link") for node in NODES} == bare
    real = rig.site("--diff")
    assert real.code == 0, real.text
    assert real.changed == dict.fromkeys(NODES, len(ROLES)) == foretold.changed
    assert real.diffs == foretold.diffs
    assert len(real.diffs) == len(NODES) * len(ROLES)


def test_a_second_run_changes_nothing_and_a_role_costs_no_further_task(rig: Rig) -> None:
    again = rig.site("--diff")
    assert (again.code, again.changed, again.diffs) == (0, {}, {})
    assert {again.stats[node]["ok"] for node in NODES[1:]} == {len(ROLES)}


def test_limit_and_tags_reach_what_they_name(rig: Rig) -> None:
    limited = rig.site("--limit", "c", "--tags", "arp")
    assert limited.code == 0
    assert {host for host, _ in limited.results if host != "localhost"} == {"c"}
    assert {name for _, name in limited.results if "compiled files" not in name} == {
        "flathood.cluster.arp : Make the neighbor entries permanent and switch ARP off"
    }


def test_what_somebody_changed_is_repaired_and_reported(rig: Rig) -> None:
    before = rig.on("a", LOOK)
    rig.on("a", DRIFT)
    assert rig.on("a", LOOK) != before
    repaired = rig.site("--diff")
    assert repaired.code == 0, repaired.text
    assert set(repaired.changed) == {"a"}
    shown = json.dumps(list(repaired.diffs.values()))
    assert "alias nonsense" in shown
    assert rig.on("a", LOOK) == before
    assert rig.site().changed == {}


def test_one_deleted_neighbor_is_the_role_arp_s(rig: Rig) -> None:
    rig.on("b", "ip neigh del 10.80.0.3 dev fnn0")
    repaired = rig.site("--diff")
    [(host, task)] = repaired.diffs
    assert (host, "arp" in task) == ("b", True)
    [diff] = repaired.diffs[host, task]
    assert set(diff["after"].splitlines()) - set(diff["before"].splitlines()) == {
        next(line for line in diff["after"].splitlines() if " 10.80.0.3 " in line)
    }


def test_a_power_cycle_changes_nothing(rig: Rig) -> None:
    before = {machine: rig.on(machine, LOOK) for machine in ("c", "head")}
    rig.lab.power_off("c", "head")
    rig.lab.power_on("c", "head")
    until(lambda: {machine: rig.on(machine, LOOK) for machine in before} == before, "all is as before")
    assert rig.site().changed == {}


def test_a_node_that_is_off_is_named_and_the_others_go_on(rig: Rig) -> None:
    rig.lab.power_off("d")
    rig.on("e", "ip neigh flush nud permanent dev fnn1")
    try:
        ran = rig.site("-e", "links_patience=5")  # or more, as the head that leases addresses was started just now
    finally:
        rig.lab.power_on("d")
    assert ran.code == 4
    assert {host for host, counts in ran.stats.items() if counts["unreachable"]} == {"d"}
    assert set(ran.changed) == {"e"}
    assert "down: d (10.78.0.4)" in ran.text
    assert "--limit d" in ran.text
    assert rig.site().code == 0


def test_a_dead_nic_and_a_dead_cable_are_named_with_what_to_do(rig: Rig) -> None:
    rig.lab.unplug("e", 1)
    fault = rig.lab.break_(FaultKind.DEAD_NIC, "f:1")
    try:
        ran = rig.site("-e", "links_settle=5")
    finally:
        rig.lab.plug("e", 1)
        rig.lab.mend(fault.number)
    assert ran.code == 2
    assert {host for host, counts in ran.stats.items() if counts["failures"]} == {"f"}
    assert "no carrier: e: fnn1 (blue): check its cable and the switch's port" in ran.text
    assert "failed: f: role links: NIC fnn1 (blue) with MAC" in ran.text
    assert "macs.yml" in ran.text


def test_files_that_the_plan_no_longer_has_are_removed_and_hosts_kept_its_original(rig: Rig) -> None:
    stale = "/etc/systemd/network/50-fnn7.network.d/arp.conf"
    rig.on("a", f"mkdir -p {Path(stale).parent}; echo old > {stale}")
    ran = rig.site("--limit", "a")
    assert ran.changed == {"a": 1}
    assert rig.on("a", f"test -e {stale} || echo gone") == "gone\n"
    assert rig.on("a", "cat /etc/hosts.before-flathood") == "127.0.0.1 localhost\n"
