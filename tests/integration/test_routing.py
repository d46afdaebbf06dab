# SPDX-License-Identifier: Apache-2.0
"""The modes of routing on four real nodes: switched by one variable, without a reboot, and back to the byte.

a and b share three switches, c and d three others, any other pair one. The tests go on from one another, in order.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.mpi_alltoall import SOURCE

from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.plan import load_plan
from flathood.plan.views.mpi import OPEN_MPI, OPEN_MPI_HOSTS
from flathood.playbook import command, play
from tests.labs import AS_JSON, know_macs, running, told, until

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "routetest"
NODES = ("a", "b", "c", "d")
CLUSTER = f"""
plugin: flathood.cluster.inventory
cluster: {NAME}
nodes: {{names: [a, b, c, d], nics: 3}}
switches:
  - {{name: red, colour: "#c62828", ports: 4}}
  - {{name: green, colour: "#2e7d32", ports: 2}}
  - {{name: blue, colour: "#1565c0", ports: 2}}
  - {{name: yellow, colour: "#f9a825", ports: 2}}
  - {{name: grey, colour: "#757575", ports: 2}}
uplink: {{name: white, ports: 8}}
links: {{rate: 100M}}
"""
WIRING = f"""
cluster: {NAME}
nodes:
  a: [red, green, blue]
  b: [red, green, blue]
  c: [red, yellow, grey]
  d: [red, yellow, grey]
"""
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 400
#: All that a mode may change, in the kernel and in files.
LOOK = r"""
ip -4 route show table all | sort; ip -4 neigh show nud permanent | sort; ip mptcp endpoint; ip mptcp limits
ip -o -4 address | sed 's/^[0-9]*: //'; cat /proc/sys/net/ipv4/conf/*/ignore_routes_with_linkdown
find /etc/hosts /etc/systemd /etc/sysctl.d /etc/flathood /etc/openmpi /etc/profile.d -type f | sort | xargs sha256sum
"""
BYTES = 24 << 20
#: Send BYTES bytes to a machine by TCP (6) or MPTCP (262); the far end tells their digest.
SEND = f"""
import hashlib, socket, sys
body = bytes(range(256)) * ({BYTES} // 256)
line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
line.settimeout({PATIENCE})
line.connect((sys.argv[2], 7077))
line.sendall(body)
line.shutdown(socket.SHUT_WR)
assert line.recv(64) == hashlib.sha256(body).hexdigest().encode()
"""
RECEIVE = f"""
import hashlib, socket, sys
door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
door.bind(("0.0.0.0", 7077))
door.listen(1)
print("ready", flush=True)
door.settimeout({PATIENCE})
line, _ = door.accept()
line.settimeout({PATIENCE})
found = hashlib.sha256()
while part := line.recv(1 << 20):
    found.update(part)
line.sendall(found.hexdigest().encode())
line.close()
"""
TCP, MPTCP = "6", "262"
#: Rank 0, on a, sends BYTES bytes to rank 1, on b, in messages of 4 MiB.
MESSAGES = f"""
from mpi4py import MPI
body, world = bytearray(4 << 20), MPI.COMM_WORLD
for _ in range({BYTES >> 22}):
    world.Send(body, 1) if world.Get_rank() == 0 else world.Recv(body, 0)
"""
#: The lab's nodes share two processors, and their one account is root's.
QUIETLY = ("--allow-run-as-root", "--mca", "mpi_yield_when_idle", "1")


@dataclass
class Rig:
    lab: Lab
    folder: Path

    def play(self, book: str, *options: str) -> dict[str, dict[str, int]]:
        """Run a playbook at the head; each machine's counts."""
        argv = command(book, self.folder, *options, validate_directory=str(self.folder.with_name("validate")))
        done = play(argv, self.lab, limit=PATIENCE, settings=AS_JSON)
        assert done.returncode == 0, done.stdout[-4000:]
        stats: dict[str, dict[str, int]] = told(done.stdout)["stats"]
        return stats

    def on(self, machine: str, *argv: str) -> str:
        done = self.lab.exec(machine, argv, timeout=PATIENCE)
        assert done.returncode == 0, f"{machine}: {argv}: {done.stdout}{done.stderr}"
        return done.stdout

    def look(self) -> dict[str, str]:
        return {node: self.on(node, "sh", "-c", LOOK) for node in NODES}

    def sent(self, machine: str) -> list[int]:
        """Bytes that each NIC of a machine has sent so far."""
        files = [f"/sys/class/net/fnn{slot}/statistics/tx_bytes" for slot in range(3)]
        return [int(text) for text in self.on(machine, "cat", *files).split()]

    def transfer(self, kind: str, to: str) -> list[float]:
        """Have a send BYTES bytes to b by its name ``to``; the share of them that left by each NIC of a."""
        before = self.sent("a")
        with self.receiving(kind):
            self.on("a", "python3", "-c", SEND, kind, to)
        return [(now - then) / BYTES for now, then in zip(self.sent("a"), before, strict=True)]

    def messages(self, *options: str) -> list[float]:
        """Have a send BYTES bytes to b by Open MPI; the share of them that left by each NIC of a."""
        before = self.sent("a")
        argv = ["mpirun", "--hostfile", OPEN_MPI_HOSTS, "-n", "2", *QUIETLY, *options, "python3", "-c", MESSAGES]
        self.lab.exec("a", argv, timeout=PATIENCE)
        return [(now - then) / BYTES for now, then in zip(self.sent("a"), before, strict=True)]

    def receiving(self, kind: str) -> subprocess.Popen[bytes]:
        """b waits for one transfer; when this returns, it can be connected to."""
        argv = self.lab.command("b", ["python3", "-c", RECEIVE, kind], PATIENCE)
        process = subprocess.Popen(argv, stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        return process


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = tmp_path_factory.mktemp("routing") / NAME
    folder.mkdir()
    (folder / "cluster.yml").write_text(CLUSTER)
    (folder / "wiring.yml").write_text(WIRING)
    with running(folder) as lab:
        know_macs(lab, folder)
        rig = Rig(lab, folder)
        rig.play("site")
        yield rig


@pytest.fixture(scope="module")
def basic(rig: Rig) -> dict[str, str]:
    """What basic routing made of the nodes."""
    found = rig.look()
    assert "nexthop" not in found["a"]
    return found


@pytest.mark.usefixtures("basic")
def test_open_mpi_keeps_to_the_switch_that_basic_routing_chose_which_it_does_not_by_itself(rig: Rig) -> None:
    plan = load_plan(rig.folder)
    chosen = int(plan.slot_on[0, plan.chosen[0, 1]])
    assert [share > 0.9 for share in rig.messages()] == [slot == chosen for slot in range(3)]
    assert min(rig.messages("--mca", "btl_tcp_if_include", "10.80.0.0/24,10.80.1.0/24,10.80.2.0/24")) > 0.15


@pytest.mark.usefixtures("basic")
def test_the_benchmark_playbook_measures_reports_and_leaves_all_as_it_was(rig: Rig) -> None:
    output = rig.folder.with_name("benchmark")
    wanted = {"modes": ["basic"], "benchmarks": ["exchange"], "sizes": [1 << 18], "groups": [2], "seconds": 0.1}
    wanted |= {"directory": str(output)}
    stats = rig.play("benchmark", "-e", json.dumps({f"benchmark_{key}": value for key, value in wanted.items()}))
    assert not any(counts["changed"] for node, counts in stats.items() if node in NODES)
    rows = json.loads((output / "results.json").read_text())["rows"]
    assert [(row["routing"], row["multi"], row["mbytes"] > 0) for row in rows] == [
        ("basic", False, True),
        ("basic", True, True),
    ]
    assert "<td>exchange</td>" in (output / "report.html").read_text()
    assert (output / "exchange.png").is_file()


@pytest.mark.usefixtures("basic")
def test_advanced_routing_is_installed_by_one_variable_and_proved_over_traffic(rig: Rig) -> None:
    changed = {host for host, counts in rig.play("site", "-e", "routing=advanced").items() if counts["changed"]}
    assert changed == set(NODES)
    assert "\tnexthop via 10.80.2.2 dev fnn2 weight 1" in rig.on("a", "ip", "-4", "route", "show", "10.79.0.2")
    rig.play("validate", "-e", "routing=advanced", "--tags", "state,traffic")


def test_one_mptcp_connection_uses_every_shared_switch_and_one_tcp_connection_one(rig: Rig) -> None:
    assert min(rig.transfer(MPTCP, "b")) > 0.15
    assert sorted(share > 0.5 for share in rig.transfer(TCP, "b")) == [False, False, True]
    green = rig.transfer(MPTCP, "b-green")
    assert (green[0] < 0.1, green[1] > 0.9, green[2] < 0.1) == (True, True, True)


def test_open_mpi_uses_every_shared_switch_and_without_our_transports_one_at_most(rig: Rig) -> None:
    assert min(rig.messages()) > 0.2
    without = "sed -i.ours -E '/^(pml|btl|osc) /d' "
    for node in ("a", "b"):
        rig.on(node, "sh", "-c", without + OPEN_MPI)
    shares = rig.messages()
    for node in ("a", "b"):
        rig.on(node, "mv", f"{OPEN_MPI}.ours", OPEN_MPI)
    assert sum(share > 0.05 for share in shares) <= 1


def test_open_mpi_uses_every_shared_switch_when_a_nic_is_listed_last_as_it_was_gone(rig: Rig) -> None:
    rig.lab.break_(FaultKind.DEAD_NIC, "b:1")
    rig.lab.mend()
    until(lambda: "10.80.1.2/24" in rig.on("b", "ip", "-4", "address", "show", "dev", "fnn1"), "the NIC is set up")
    rig.play("site", "-e", "routing=advanced")
    argv = ["mpirun", "--hostfile", OPEN_MPI_HOSTS, "-n", "4", *QUIETLY, "python3", "-c", SOURCE, str(PATIENCE / 4)]
    assert '"wrong": []' in rig.on("a", *argv)
    assert min(rig.messages()) > 0.2


def test_a_connection_outlives_each_of_its_cables_but_the_last(rig: Rig) -> None:
    with rig.receiving(MPTCP) as far:
        argv = rig.lab.command("a", ["python3", "-c", SEND, MPTCP, "b"], PATIENCE)
        with subprocess.Popen(argv) as near:
            base = sum(rig.sent("a"))
            for machine, slot in (("a", 1), ("b", 2)):
                deadline = time.monotonic() + PATIENCE
                while near.poll() is None and sum(rig.sent("a")) < base + BYTES * (slot / 4):
                    assert time.monotonic() < deadline
                    time.sleep(0.02)
                rig.lab.unplug(machine, slot)
            assert near.wait(PATIENCE) == 0
        assert far.wait(PATIENCE) == 0
    for machine, slot in (("a", 1), ("b", 2)):
        rig.lab.plug(machine, slot)


def test_with_failover_a_plain_connection_outlives_the_cable_at_its_far_end(rig: Rig) -> None:
    rig.play("site", "-e", "routing=advanced", "-e", "failover_state=present", "--tags", "failover")
    with rig.receiving(TCP) as far:
        before = rig.sent("a")
        argv = rig.lab.command("a", ["python3", "-c", SEND, TCP, "b"], PATIENCE)
        with subprocess.Popen(argv) as near:
            moved = [0]
            while near.poll() is None and max(moved) < BYTES / 8:
                time.sleep(0.02)
                moved = [now - then for now, then in zip(rig.sent("a"), before, strict=True)]
            slot = moved.index(max(moved))  # the same on both: a and b are wired alike
            rig.lab.unplug("b", slot)
            assert near.wait(PATIENCE) == 0
        assert far.wait(PATIENCE) == 0
    until(lambda: "7706" in rig.on("a", "ip", "rule"), "a goes around the cable")
    rig.lab.plug("b", slot)
    until(lambda: "7706" not in rig.on("a", "ip", "rule"), "a goes the planned way again")
    rig.play("site", "-e", "routing=advanced", "-e", "failover_state=absent", "--tags", "failover")


def test_advanced_routing_is_there_after_a_reboot(rig: Rig) -> None:
    before = rig.look()["a"]
    rig.lab.power_off("a")
    rig.lab.power_on("a")
    until(lambda: rig.look()["a"] == before, "a is as before")


def test_one_role_alone_keeps_the_routes_with_several_hops_that_another_wrote(rig: Rig) -> None:
    show = ("sh", "-c", "ip -4 route show table main | sort")
    before = rig.on("a", *show)
    assert "nexthop" in before
    rig.on("a", "rm", "/etc/systemd/network/50-fnn0.network.d/multicast.conf")
    assert rig.play("site", "--tags", "multicast", "--limit", "a", "-e", "routing=advanced")["a"]["changed"] == 1
    assert rig.on("a", *show) == before


def test_a_tree_is_installed_and_proved(rig: Rig) -> None:
    rig.play("site", "-e", "routing=tree")
    rig.play("validate", "-e", "routing=tree", "--tags", "state,traffic")


def test_basic_routing_comes_back_to_the_byte(rig: Rig, basic: dict[str, str]) -> None:
    rig.play("site", "-e", "routing=advanced")
    rig.play("site")
    assert rig.look() == basic
    again = rig.play("site")
    assert not any(counts["changed"] for counts in again.values())


def test_stock_open_mpi_works_with_our_files_and_routes_and_not_without(rig: Rig) -> None:
    ours = ["mpirun", "--hostfile", OPEN_MPI_HOSTS, "-n", "4", *QUIETLY, "python3", "-c", SOURCE]
    assert '"wrong": []' in rig.on("a", *ours, str(PATIENCE / 4))
    for node in NODES:
        rig.on(node, "sh", "-c", f"rm {OPEN_MPI}; ip -4 route flush proto static")
    stock = rig.lab.exec("a", [*ours, "20"], timeout=PATIENCE)
    assert stock.returncode
    assert "no-word" in stock.stderr
    rig.play("site")
    assert '"wrong": []' in rig.on("a", *ours, str(PATIENCE / 4))
