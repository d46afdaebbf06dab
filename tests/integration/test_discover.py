# SPDX-License-Identifier: Apache-2.0
"""Power-on discovery of six real nodes by real DHCP: killed midway, two at once, booted twice, flooded with nonsense.

The tests of this file go on from one another, in order.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from flathood.discovery import Session, Work, read_journal
from flathood.lab import Lab
from flathood.playbook import command, start
from flathood.registry import Registry, State, load_registry
from flathood.spec import load_cluster
from tests import bmcs
from tests.labs import copied, running, until

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "disctest"
NODES = ("a", "b", "c", "d", "e", "f")
HOME = "/var/lib/flathood/discovery"
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 240
# DHCP as a machine that was never there would send it: `request` asks for an address, `release` gives it back.
DHCP = r"""
import socket, struct
def frame(kind, mac, address, options=b"", own=bytes(4)):
    options = bytes([53, 1, kind]) + (b"" if any(own) else bytes([50, 4]) + address) + options + b"\xff"
    bootp = struct.pack("!BBBBIHH4s12x16s192x", 1, 1, 6, 0, 1, 0, 0x8000, own, mac) + b"\x63\x82\x53\x63" + options
    udp = struct.pack("!HHHH", 68, 67, 8 + len(bootp), 0) + bootp
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, own, b"\xff" * 4)
    total = sum(struct.unpack("!10H", ip))
    total = (total & 0xFFFF) + (total >> 16)
    ip = ip[:10] + struct.pack("!H", ~total & 0xFFFF) + ip[12:]
    return b"\xff" * 6 + mac + b"\x08\x00" + ip + udp
def request(mac, address, options=b""):
    wire.send(frame(3, mac, address, options))
def release(mac, address):
    wire.send(frame(7, mac, address, bytes([54, 4, 198, 18, 0, 1]), own=address))
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("eth0", 0))
"""
# Ten thousand, whose names are made to do harm.
FLOOD = r"""
name = b"\x1b[2J\n\"{{ lookup('pipe', 'id') }}\x00$(id)"
options = b"".join(bytes([12 + 48 * vendor, len(name)]) + name for vendor in (0, 1))
for number in range(10000):
    wanted = socket.inet_aton(f"198.18.{100 + number // 200}.{1 + number % 200}")
    request(struct.pack("!BBI", 2, 0x66, number), wanted, options)
"""
#: Nodes that play machines without a system: NIC and the slot that it says it is in.
FIRMWARE = {"b": {"eth0": 1, "eth1": 0}, "d": {"eth0": 0, "eth1": 1}}
BY_CLASS = """\
[Match]
Name={device}
[Network]
DHCP=ipv4
[DHCPv4]
ClientIdentifier=mac
{key}=flathood:slot:{slot}
"""
#: What the head's DHCP server may have had in memory at most, KiB: it has about 3 MiB before anybody asks.
MOST_MEMORY = 16 * 1024


@dataclass
class Run:
    """One run of the playbook: its process, and the file that takes what it says."""

    process: subprocess.Popen[str]
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

    def start(self, *options: str, terminal: bool = False, **variables: object) -> Run:
        """Run the playbook; on a terminal of its own where one is wanted."""
        variables = {f"discover_{key}": value for key, value in variables.items()}
        argv = command("discover", self.folder, *options, **variables)
        argv = ["script", "--quiet", "--return", "--command", shlex.join(argv), "/dev/null"] if terminal else argv
        output = self.folder.parent / f"run{len(self.runs)}.log"
        with output.open("wb") as file:
            process = start(argv, self.lab, output=file, group=True)
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


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("discover"), NAME)
    with running(folder) as lab:
        rig = Rig(lab, folder)
        yield rig
    for run in rig.runs:
        run.process.wait(PATIENCE)


def test_the_precheck_names_another_dhcp_server_and_touches_nothing(rig: Rig) -> None:
    # All nodes ask it, too: a server that has no address left is silent.
    rig.on(
        "f",
        "ip address add 192.0.2.1/24 dev eth0 && "
        "dnsmasq --conf-file=/dev/null --port=0 --no-ping --interface=eth0 --bind-dynamic "
        "--dhcp-range=192.0.2.10,192.0.2.250 --dhcp-leasefile=/run/rogue.leases --pid-file=/run/rogue.pid",
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


def test_people_are_led_through_firmware_strangers_and_a_nic_that_stays_silent(rig: Rig) -> None:
    """On a terminal, as a person runs it; b and d have nothing but firmware that says which of its NICs asks."""
    rig.lab.power_on(*NODES)
    for node, slots in FIRMWARE.items():
        # One says it in its vendor class, the other in its user class, as iPXE does.
        for (device, slot), key in zip(slots.items(), ("VendorClassIdentifier", "UserClass"), strict=True):
            file = BY_CLASS.format(device=device, key=key, slot=slot)
            rig.on(node, f"echo '{file}' > /etc/systemd/network/10-{device}.network")
        rig.on(node, "mv /root/.ssh/authorized_keys /root/.ssh/kept")
    rig.on("f", "systemctl stop systemd-networkd.socket systemd-networkd.service; ip link set eth0 up")
    burnt = {(name, slot): mac for name, slot, mac in rig.lab.macs()}
    rig.lab.power_off("a", "b", "c", "d", "e")
    rig.on("head", f"rm -rf {HOME}")
    (rig.folder / "macs.yml").unlink(missing_ok=True)
    run = rig.start(terminal=True, nodes=["a", "b", "d"], settle=1, timeout=60)

    def say(words: str) -> None:
        rig.on("f", f"python3 - <<'END'\n{DHCP}{words}\nEND")

    run.until("Switch a on now (1 of 3)")
    say("request(bytes.fromhex('027700000001'), socket.inet_aton('198.18.77.1'))")
    rig.lab.power_on("a")
    run.until("Switch b on now (2 of 3)")
    rig.lab.power_on("b")
    run.until("Switch d on now (3 of 3)")
    # One of b shows up again, as if somebody had moved it; and the cable of d's second NIC is out.
    journal = [json.loads(line) for line in rig.on("head", f"cat {HOME}/journal.jsonl").splitlines()]
    [*_, address] = [entry["ip"] for entry in journal if entry.get("mac") == burnt["b", 0]]
    moved = f"bytes.fromhex('{burnt['b', 0].replace(':', '')}'), socket.inet_aton('{address}')"
    say(f"release({moved})")
    until(lambda: '"del"' in rig.on("head", f"cat {HOME}/journal.jsonl"), "the lease ends")
    say(f"request({moved})")
    rig.lab.unplug("d", 1)
    rig.lab.power_on("d")
    assert run.end() != 0
    # In words that depend on whether a was asked before the third MAC was heard.
    assert re.search(r"a: (more than one machine came up at once|3 new MACs were heard)", run.text)
    assert re.search(r"  d: 1 of 2 NICs, \d+ s left", run.text)
    assert f"d: {burnt['b', 0]} of b came up with it: two NICs have one MAC, or it was moved" in run.text
    assert re.search(r"d: slot 1 \(\w+\) did not ask for an address", run.text)
    assert rig.known == {
        "b": {1: (burnt["b", 0], State.CONFLICTING), 0: (burnt["b", 1], State.VERIFIED)},
        "d": {0: (burnt["d", 0], State.VERIFIED)},
        **rig.delivered("head"),
    }
    rig.lab.plug("d", 1)
    rig.lab.power_off("f")
    for node in FIRMWARE:
        rig.on(node, "mv /root/.ssh/kept /root/.ssh/authorized_keys; rm /etc/systemd/network/10-*")


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
    rig.lab.power_on("a")
    run = rig.start(nodes=["b"], settle=1, timeout=30)
    run.until("Switch b on now")
    watched = (
        "pid=$(systemctl show --property MainPID --value flathood-discovery); while grep VmHWM /proc/$pid/status; "
    )
    watcher = subprocess.Popen(
        rig.lab.command("head", ["sh", "-c", watched + "do sleep 0.1; done"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    rig.on("a", f"python3 - <<'END'\n{DHCP}{FLOOD}\nEND")
    rig.lab.power_on("b")
    assert run.end() != 0
    assert "a flood of MACs was heard" in run.text
    peaks = [int(line.split()[1]) for line in watcher.communicate(timeout=PATIENCE)[0].splitlines()]
    assert 0 < max(peaks) < MOST_MEMORY
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
    # Leases end at 16 for each machine and 1024 more, and so does what the journal has of a burst.
    assert 36 < sum("02:66:00:00" in line for line in lines) <= 7 * 16 + 1024
