# SPDX-License-Identifier: Apache-2.0
"""The probe on the real kernel: two machines (network namespaces) on two switches (bridges), nothing else.

Each function runs in a process of its own inside one namespace, as a task of Ansible would on a node.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]

CHECKOUT = Path(__file__).resolve().parents[2]
GROUP = ["239.192.70.76", 7076]
MACS = {m: {f"fnn{s}": f"02:00:00:00:0{s}:0{n}" for s in (0, 1)} for n, m in enumerate("ab", 1)}
PROGRAM = """
import dataclasses, json, sys
from ansible.plugins.loader import init_plugin_loader
init_plugin_loader([sys.argv[1]])
from ansible_collections.flathood.cluster.plugins.module_utils.probe import echo, listen, recorder
from ansible_collections.flathood.cluster.plugins.modules import probe
what, arguments = sys.argv[2], json.loads(sys.argv[3])
call = {"start": recorder.start, "ask": recorder.ask, "send": listen.send_datagrams, "echo": echo.echo_all}[what]
answer = call(*arguments)
print(json.dumps(dataclasses.asdict(answer) if what == "echo" else answer))
"""


def ip(*words: str) -> None:
    subprocess.run(("ip", *words), check=True, capture_output=True)


class Rig:
    def __init__(self, tag: str) -> None:
        self.tag = tag

    def space(self, name: str) -> str:
        return f"{self.tag}-{name}"

    def run(self, machine: str, what: str, *arguments: object) -> Any:
        done = subprocess.run(
            (
                *("ip", "netns", "exec", self.space(machine), sys.executable, "-c", PROGRAM),
                *(str(CHECKOUT / "collections"), what, json.dumps(arguments)),
            ),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def start(self, machine: str, lifetime: int = 60) -> None:
        assert not self.run(machine, "start", MACS[machine], GROUP, "token", lifetime)

    def recording(self, machine: str) -> bool:
        return (
            "@flathood-probe"
            in subprocess.run(
                ("ip", "netns", "exec", self.space(machine), "cat", "/proc/net/unix"),
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        )


@pytest.fixture
def rig() -> Iterator[Rig]:
    rig = Rig(f"fp{os.getpid()}")
    spaces = [rig.space(name) for name in ("a", "b", "sw")]
    try:
        for space in spaces:
            ip("netns", "add", space)
        for slot in (0, 1):
            ip("-n", spaces[2], "link", "add", f"sw{slot}", "type", "bridge", "forward_delay", "0")
            ip("-n", spaces[2], "link", "set", f"sw{slot}", "up")
            for number, machine in enumerate("ab", 1):
                space, port, nic = rig.space(machine), f"{machine}{slot}", f"fnn{slot}"
                mac, peer = MACS[machine][nic], MACS["ba"[number - 1]][nic]
                ip("-n", spaces[2], "link", "add", port, "type", "veth", "peer", nic, "netns", space, "address", mac)
                ip("-n", spaces[2], "link", "set", port, "master", f"sw{slot}", "up")
                ip("-n", space, "link", "set", nic, "arp", "off", "up")
                ip("-n", space, "address", "add", f"10.80.{slot}.{number}/24", "dev", nic)
                neighbor = (f"10.80.{slot}.{3 - number}", "lladdr", peer, "dev", nic, "nud", "permanent")
                ip("-n", space, "neighbor", "add", *neighbor)
        for machine in "ab":
            ip("-n", rig.space(machine), "route", "add", "224.0.0.0/4", "dev", "fnn0")
        yield rig
    finally:
        for machine in "ab":
            rig.run(machine, "ask", "stop")
        for space in spaces:
            ip("netns", "delete", space)


def test_traffic_of_a_healthy_pair_is_heard_once_and_without_arp(rig: Rig) -> None:
    rig.start("a")
    rig.start("b")
    assert rig.run("b", "send", *GROUP, "token b", 5) == ""
    expected = {"10.80.0.2": "bound fnn0", "10.80.1.2": "bound fnn1"}
    assert rig.run("a", "echo", expected, 1500, 10**9) == {
        "failed": {},
        "echoes": {"fnn0": 1, "fnn1": 1},
        "repeats": {},
    }
    heard = [["b", number, "fnn0", 1] for number in range(5)]
    for machine in "ab":
        assert rig.run(machine, "ask", "collect") == {"frames": [], "lost": 0, "heard": heard}
        assert not rig.recording(machine)


def test_datagrams_of_another_run_are_not_counted(rig: Rig) -> None:
    rig.start("a")
    rig.run("b", "send", *GROUP, "other b", 5)
    assert rig.run("a", "ask", "collect")["heard"] == []


def test_an_address_without_entry_makes_the_nic_ask_and_both_ends_record_it(rig: Rig) -> None:
    rig.start("a")
    rig.start("b")
    ip("-n", rig.space("a"), "link", "set", "fnn1", "arp", "on")
    failed = rig.run("a", "echo", {"10.80.1.9": "bound fnn1"}, 1500, 10**9)["failed"]
    assert set(failed) == {"10.80.1.9"}
    sent = rig.run("a", "ask", "collect")["frames"]
    seen = rig.run("b", "ask", "collect")["frames"]
    assert {tuple(frame[:6]) for frame in sent} == {
        ("fnn1", "sent", "request", MACS["a"]["fnn1"], "10.80.1.1", "10.80.1.9")
    }
    assert {tuple(frame[:6]) for frame in seen} == {
        ("fnn1", "seen", "request", MACS["a"]["fnn1"], "10.80.1.1", "10.80.1.9")
    }


@pytest.mark.parametrize("where", ["switch", "own"])
def test_a_small_mtu_is_told_from_a_dead_cable(rig: Rig, where: str) -> None:
    space, device = ("sw", "b0") if where == "switch" else ("a", "fnn0")
    ip("-n", rig.space(space), "link", "set", device, "mtu", "1300")
    ip("-n", rig.space("sw"), "link", "set", "b1", "down")
    failed = rig.run("a", "echo", {"10.80.0.2": "bound fnn0", "10.80.1.2": "bound fnn1"}, 1500, 10**9)["failed"]
    assert failed["10.80.0.2"].startswith("only small packets pass")
    assert failed["10.80.1.2"] == "no reply"


def test_a_reply_by_the_wrong_nic_is_told(rig: Rig) -> None:
    for machine, peer in (("a", "2"), ("b", "1")):
        ip("-n", rig.space(machine), "address", "add", f"10.79.0.{'1' if machine == 'a' else '2'}/32", "dev", "lo")
        ip("-n", rig.space(machine), "route", "add", f"10.79.0.{peer}", "via", f"10.80.1.{peer}")
    assert rig.run("a", "echo", {"10.79.0.2": "routed fnn0"}, 1500, 10**9)["failed"] == {
        "10.79.0.2": "the reply came in by fnn1"
    }


def test_a_recorder_that_nobody_collects_ends_by_itself(rig: Rig) -> None:
    rig.start("a", lifetime=1)
    deadline = time.monotonic() + 30
    while rig.recording("a"):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert rig.run("a", "ask", "collect") is None


def test_a_new_recorder_takes_the_place_of_the_old_one(rig: Rig) -> None:
    rig.start("a")
    rig.start("a")
    assert rig.run("a", "ask", "collect") is not None
    assert rig.run("a", "ask", "collect") is None


def test_a_group_that_no_route_leads_to_cannot_be_joined(rig: Rig) -> None:
    ip("-n", rig.space("a"), "route", "del", "224.0.0.0/4")
    assert rig.run("a", "start", MACS["a"], GROUP, "token", 60) == "239.192.70.76 cannot be joined: No such device"
    assert rig.run("a", "ask", "collect")["heard"] == []
