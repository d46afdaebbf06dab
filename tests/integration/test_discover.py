# SPDX-License-Identifier: Apache-2.0
"""Power-on discovery of six real nodes by real DHCP: killed midway, two at once, booted twice, flooded with nonsense.

The tests of this file go on from one another, in order.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from flathood.discovery import Session, Work, read_journal
from flathood.lab import Lab
from flathood.registry import Registry, State, load_registry
from flathood.spec import load_cluster
from tests import bmcs
from tests.labs import copied, running

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

CHECKOUT = Path(__file__).resolve().parents[2]
NAME = "disctest"
NODES = ("a", "b", "c", "d", "e", "f")
HOME = "/var/lib/flathood/discovery"
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 240
# One DHCPREQUEST for each of many machines that were never there, whose names are made to do harm.
FLOOD = r"""
import socket, struct
def frame(number):
    mac = struct.pack("!BBI", 2, 0x66, number)
    name = b"\x1b[2J\n\"{{ lookup('pipe', 'id') }}\x00$(id)"
    wanted = socket.inet_aton(f"198.18.{100 + number // 200}.{1 + number % 200}")
    options = b"".join(bytes([12 + 48 * vendor, len(name)]) + name for vendor in (0, 1))
    options = bytes([53, 1, 3, 50, 4]) + wanted + options + b"\xff"
    bootp = struct.pack("!BBBBIHH16s16s192x", 1, 1, 6, 0, number, 0, 0x8000, b"", mac) + b"\x63\x82\x53\x63" + options
    udp = struct.pack("!HHHH", 68, 67, 8 + len(bootp), 0) + bootp
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    total = sum(struct.unpack("!10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack("!H", ~total & 0xFFFF) + ip[12:]
    return b"\xff" * 6 + mac + b"\x08\x00" + ip + udp
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("eth0", 0))
for number in range(200):
    wire.send(frame(number))
"""


@dataclass
class Run:
    """One run of the playbook: its process, and the file that takes what it says."""

    process: subprocess.Popen[bytes]
    output: Path

    @property
    def text(self) -> str:
        return self.output.read_text(errors="replace")

    def until(self, words: str) -> None:
        until(lambda: words in self.text or self.process.poll() is not None, f"the run says {words!r}:\n{self.text}")
        assert words in self.text

    def end(self) -> int:
        return self.process.wait(PATIENCE)


@dataclass
class Rig:
    lab: Lab
    folder: Path
    runs: list[Run] = field(default_factory=list)

    def start(self, *options: str, **variables: object) -> Run:
        argv = [str(Path(sys.executable).with_name("ansible-playbook")), str(CHECKOUT / "playbooks/discover.yml")]
        argv += ["-i", str(self.folder), *options]
        argv += ["-e", json.dumps({f"discover_{key}": value for key, value in variables.items()})]
        output = self.folder.parent / f"run{len(self.runs)}.log"
        settings = {"ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"}
        with output.open("wb") as file:
            process = subprocess.Popen(
                self.lab.at_head(argv),
                cwd=CHECKOUT,
                env=os.environ | self.lab.environment | settings,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.runs.append(Run(process, output))
        return self.runs[-1]

    @property
    def registry(self) -> Registry:
        return load_registry(self.folder / "macs.yml", load_cluster(self.folder / "cluster.yml"))

    @property
    def known(self) -> dict[str, dict[int, tuple[str, State]]]:
        """What macs.yml has of the nodes, by slot."""
        nodes = self.registry.nodes.items()
        return {
            name: {slot: (nic.mac, nic.state) for slot, nic in enumerate(nics) if nic} for name, nics in nodes if nics
        }

    def delivered(self, *names: str) -> dict[str, dict[int, tuple[str, State]]]:
        """The same as it must be: every NIC in its slot, each proved."""
        found: dict[str, dict[int, tuple[str, State]]] = {name: {} for name in names}
        for name, slot, mac in self.lab.macs():
            if name in found:
                found[name][slot] = (mac, State.VERIFIED)
        return found

    def on(self, machine: str, script: str) -> str:
        done = self.lab.exec(machine, ["sh", "-c", script])
        assert done.returncode == 0, f"{machine}: {done.stdout}{done.stderr}"
        return done.stdout

    def forget(self) -> None:
        """Everything off and nothing known, as on the first day."""
        self.lab.power_off(*NODES)
        self.on("head", f"rm -rf {HOME}")
        (self.folder / "macs.yml").unlink(missing_ok=True)


def until(true: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"not within {PATIENCE} s: {what}"
        time.sleep(0.05)


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("discover"), NAME)
    with running(folder) as lab:
        rig = Rig(lab, folder)
        yield rig
    for run in rig.runs:
        run.process.wait(PATIENCE)


def test_the_precheck_names_another_dhcp_server_and_touches_nothing(rig: Rig) -> None:
    rig.on(
        "f",
        "ip address add 192.0.2.1/24 dev eth0 && "
        "dnsmasq --conf-file=/dev/null --port=0 --no-ping --interface=eth0 --bind-dynamic "
        "--dhcp-range=192.0.2.10,192.0.2.20 --dhcp-leasefile=/run/rogue.leases --pid-file=/run/rogue.pid",
    )
    run = rig.start("--tags", "precheck")
    assert run.end() != 0
    assert "another DHCP server answers: 192.0.2.1 (" in run.text
    assert not (rig.folder / "macs.yml").exists()
    assert rig.lab.exec("head", ["test", "-e", HOME]).returncode == 1


def test_a_run_that_is_killed_goes_on_where_it_stopped(rig: Rig) -> None:
    rig.lab.power_off(*NODES)
    first = rig.start(power="lab", settle=1, timeout=60)
    first.until("  c: 2 of 2 NICs")
    os.killpg(first.process.pid, signal.SIGKILL)
    first.end()
    assert rig.known == rig.delivered("a", "b", "head")
    rig.on("head", "systemctl kill --kill-whom=main --signal=KILL flathood-discovery.service")
    until(
        lambda: "active" in rig.lab.exec("head", ["systemctl", "is-active", "flathood-discovery"]).stdout, "comes back"
    )
    second = rig.start(power="lab", settle=1, timeout=60)
    assert second.end() == 0, second.text
    assert rig.known == rig.delivered(*NODES, "head")
    assert "Begin the turn of b" not in second.text
    assert rig.on("head", f"grep -c '\"open\"' {HOME}/journal.jsonl") == "7\n"
    # The head is as it was: no service, no address, no hook.
    assert rig.on("head", "ip -4 -brief address show dev eth0").split()[2:] == ["10.78.0.254/24"]
    assert rig.lab.exec("head", ["test", "-e", "/usr/local/lib/flathood/dhcp-journal"]).returncode == 1


def test_when_all_is_known_nothing_is_powered_or_changed(rig: Rig) -> None:
    before = (rig.folder / "macs.yml").read_bytes()
    run = rig.start(power="lab")
    assert run.end() == 0, run.text
    assert "changed=0 " in run.text
    assert (rig.folder / "macs.yml").read_bytes() == before


def test_two_nodes_that_are_powered_at_once_are_told_and_not_taken(rig: Rig) -> None:
    rig.forget()
    # One of them may boot seconds after the other.
    run = rig.start(nodes=["a"], settle=15, timeout=90)
    run.until("Switch a on now (1 of 1)")
    rig.lab.power_on("a", "b")
    assert run.end() != 0
    assert "a: more than one machine came up at once: nothing is taken from them" in run.text
    assert rig.known == rig.delivered("head")


def test_a_node_that_boots_twice_is_taken_once(rig: Rig) -> None:
    rig.forget()
    run = rig.start(nodes=["a"], settle=8, timeout=60)
    run.until("Switch a on now")
    rig.lab.power_on("a")
    rig.lab.power_off("a")
    rig.lab.power_on("a")
    assert run.end() == 0, run.text
    # Both were heard as they came up: nothing waited for the end of the time.
    assert "  a: 2 of 2 NICs" in run.text
    assert rig.known == rig.delivered("a", "head")


def test_machines_are_powered_by_ipmi_and_by_redfish(rig: Rig, tmp_path: Path) -> None:
    rig.forget()
    variables = rig.folder / "host_vars"
    variables.mkdir()
    with (
        bmcs.ipmi(rig.lab, tmp_path / "ipmi", "c") as by_ipmi,
        bmcs.redfish(rig.lab, tmp_path / "rf", "d", "e") as by_rf,
    ):
        for node, known in {"c": by_ipmi, **by_rf}.items():
            (variables / f"{node}.yml").write_text(json.dumps(known))
        for power, node in (("ipmi", "c"), ("redfish", "d")):
            rig.lab.power_on(node)  # it is switched off first
            run = rig.start("-vv", power=power, nodes=[node], settle=1, timeout=120)
            assert run.end() == 0, run.text
            assert bmcs.PASSWORD not in run.text
        assert rig.known == rig.delivered("c", "d", "head")
        (variables / "e.yml").write_text(json.dumps(by_rf["e"] | {"bmc_password": "not-this-one"}))
        refused = rig.start(power="redfish", nodes=["e"])
        assert refused.end() != 0
        assert "HTTP Error 401" in refused.text
        assert "not-this-one" not in refused.text
    shutil.rmtree(variables)


def test_a_flood_of_nonsense_gets_no_entry(rig: Rig) -> None:
    known = rig.known
    run = rig.start(nodes=["b"], settle=1, timeout=30)
    run.until("Switch b on now")
    rig.on("a", f"python3 - <<'END'\n{FLOOD}\nEND")
    rig.lab.power_on("b")
    assert run.end() != 0
    assert "a flood of MACs was heard" in run.text
    assert rig.known == known
    journal = rig.on("head", f"cat {HOME}/journal.jsonl")
    assert journal.isascii()
    assert journal.replace("\n", "").isprintable()
    assert "{{" not in journal
    lines = journal.splitlines()
    cluster = load_cluster(rig.folder / "cluster.yml")
    session = Session(Work.of(cluster, None, rig.registry))
    for entry in read_journal(lines):
        session.feed(entry)
    assert session.unreadable == 0
    assert sum("02:66:00:00" in line for line in lines) > 36
