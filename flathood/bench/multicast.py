# SPDX-License-Identifier: Apache-2.0
"""Multicast across the uplink, measured in the lab: its rate to all members at once, and who gets what.

Of all nodes and spares the first sends to a group that all others but the last have joined, as fast as its NIC takes
the datagrams. Measured with switches that know nothing of groups, with an uplink switch that snoops and asks who is a
member (an IGMP querier), with neighborhood switches that snoop as well, and then with the head's querier in place of
the uplink switch's.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from flathood.bench.measure import Row
from flathood.bench.small_lab import copied, site, small_lab
from flathood.errors import FlathoodError
from flathood.lab import Lab

_LAB = "bench-multicast"
_GROUP, _PORT = "239.7.7.7", 7077
_SIZE, _COUNT = 1400, 6000
#: Seconds: one member's longest wait for the next datagram, and the querier's first question and its answers.
_SILENCE, _ASKED = 5.0, 15.0
_SEND = f"""
import socket
door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 32768)  # less than the NIC's queue: sending waits, nothing is lost
for number in range({_COUNT}):
    door.sendto(number.to_bytes(4, "big") + bytes({_SIZE - 4}), ("{_GROUP}", {_PORT}))
"""
_RECEIVE = f"""
import json, socket, time
door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
door.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
door.bind(("{_GROUP}", {_PORT}))
door.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("{_GROUP}") + bytes(4))
print("ready", flush=True)
seen, first, last = [], None, None
door.settimeout({_ASKED + 60})
try:
    while True:
        number = int.from_bytes(door.recv(2048)[:4], "big")
        last = time.perf_counter()
        first = first or last
        seen.append(number)
        if number == {_COUNT - 1}:
            break
        door.settimeout({_SILENCE})
except TimeoutError:
    pass
print(json.dumps([len(set(seen)), len(seen), (last or 0) - (first or 0)]), flush=True)
"""


def run(original: str, rate: int) -> list[Row]:
    """Bring a lab of a shipped inventory up and measure each kind of switches; needs root. Raises FlathoodError.

    ``rate``: of its links, bit/s: so low that processors are not the limit.
    """
    with small_lab(_LAB, copied(original, _LAB), rate) as (lab, folder):
        site(lab, folder)
        return list(_rows(lab, folder))


def _rows(lab: Lab, folder: Path) -> Iterator[Row]:
    uplink, *neighborhoods = lab.state.planned.all_switches[::-1]
    yield {"switches": "none snoops"} | _measured(lab)
    _set(lab, [uplink], "mcast_snooping 1 mcast_querier 1")
    yield {"switches": "uplink: snoops, querier"} | _measured(lab)
    _set(lab, neighborhoods, "mcast_snooping 1")
    yield {"switches": "all snoop, uplink: querier"} | _measured(lab)
    _set(lab, [uplink, *neighborhoods], "mcast_querier 0 mcast_snooping 0")  # and forget who is a member
    _set(lab, [uplink, *neighborhoods], "mcast_snooping 1")
    site(lab, folder, multicast_querier="present")
    yield {"switches": "all snoop, head: querier"} | _measured(lab)


def _set(lab: Lab, switches: list[str], settings: str) -> None:
    orders = "".join(f"link set {lab.bridge(switch)} type bridge {settings}\n" for switch in switches)
    argv = ["ip", "-netns", lab.fabric_namespace, "-batch", "-"]
    subprocess.run(argv, input=orders, text=True, check=True)


def _measured(lab: Lab) -> Row:
    """One sender; the least rate and the worst counts of all members, and bytes that came to who is none."""
    sender, *members, stranger = [name for name in lab.machines if name != "head"]
    with ExitStack() as stack:
        listening = []
        for member in members:
            argv = lab.command(member, ["python3", "-c", _RECEIVE], _ASKED + 120)
            process = stack.enter_context(subprocess.Popen(argv, stdout=subprocess.PIPE, text=True))
            if process.stdout is None or process.stdout.readline() != "ready\n":
                raise FlathoodError(f"bench: {member} cannot join {_GROUP}")
            listening.append(process)
        time.sleep(_ASKED)  # a bridge floods until its querier had answers
        before = _came(lab, stranger), _came(lab, "head")
        sent = lab.exec(sender, ["python3", "-c", _SEND], timeout=120)
        if sent.returncode:
            raise FlathoodError(f"bench: {sender} cannot send to {_GROUP}: {sent.stderr}")
        told = [json.loads(process.communicate()[0]) for process in listening]
    after = _came(lab, stranger), _came(lab, "head")
    rates = [8e-6 * _SIZE * (distinct - 1) / seconds if seconds else 0.0 for distinct, _, seconds in told]
    return {
        "members": len(members),
        "mbits_to_each": round(min(rates), 2),
        "lost": max(_COUNT - distinct for distinct, _, _ in told),
        "twice": max(total - distinct for distinct, total, _ in told),
        "other_node_bytes": after[0] - before[0],
        "head_bytes": after[1] - before[1],
    }


def _came(lab: Lab, machine: str) -> int:
    """Bytes that have come to a machine by its first NIC so far: what its switch port has sent."""
    argv = ["ip", "-netns", lab.fabric_namespace, "-json", "-stats", "link", "show", "dev", lab.port(machine, 0)]
    shown = json.loads(subprocess.run(argv, capture_output=True, text=True, check=True).stdout)
    return int(shown[0]["stats64"]["tx"]["bytes"])
