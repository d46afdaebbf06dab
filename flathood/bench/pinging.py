# SPDX-License-Identifier: Apache-2.0
"""Pings from every node of a lab to every other, again and again, and how long each pair was ever without an answer."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from flathood.lab import Lab
from flathood.plan.model import Plan

#: Runs on a node until its standard input ends. An echo counts as lost only when no answer ever comes, so a node that
#: has to wait for its processor is not taken for one that cannot be reached. ICMP: RFC 792.
_PROGRAM = """
import json, os, select, socket, struct, sys, time
work = json.loads(sys.stdin.readline())
ident, every, peers = os.getpid() & 0xFFFF, work["every"], work["peers"]
names = list(peers)
ear = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
ear.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
def echo(number):
    head = struct.pack("!BBHHH", 8, 0, 0, ident, number)
    total = sum(struct.unpack("!4H", head))
    total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!BBHHH", 8, 0, ~(total + (total >> 16)) & 0xFFFF, ident, number)
sent, back, by = [], {name: set() for name in names}, {peers[name]: name for name in names}
ending, due = 0.0, time.monotonic()
while not ending or time.monotonic() < ending:
    now = time.monotonic()
    if not ending and now >= due:
        for name in names:
            try:
                ear.sendto(echo(len(sent) & 0xFFFF), (peers[name], 0))
            except OSError:
                pass
        sent.append(now)
        due = max(due + every, now)
    wait = [ear] if ending else [ear, sys.stdin]
    for one in select.select(wait, [], [], max(0.0, (ending or due) - time.monotonic()))[0]:
        if one is ear:
            data, source = ear.recvfrom(256)
            size = (data[0] & 15) * 4
            kind, _, _, run, number = struct.unpack_from("!BBHHH", data, size)
            if kind == 0 and run == ident and source[0] in by:
                back[by[source[0]]].add(number)
        else:
            ending = time.monotonic() + work["patience"]
found = {}
for name in names:
    longest = since = None
    lost = 0
    for number, at in enumerate(sent):
        if number & 0xFFFF in back[name]:
            longest = max(longest or 0.0, at - since) if since is not None else longest
            since = None
        else:
            lost += 1
            since = at if since is None else since
    if since is not None:
        longest = max(longest or 0.0, sent[-1] + every - since)
    if lost:
        found[name] = [lost, longest]
print(json.dumps({"sent": len(sent), "lost": found}))
"""


@dataclass
class Pings:
    """What the pings of all pairs came to: how many were sent and lost, the longest time without an answer, whose."""

    sent: int = 0
    lost: int = 0
    longest: float = 0.0
    pair: str = ""
    pairs: dict[str, float] = field(default_factory=dict)

    def add(self, node: str, peers: int, said: dict[str, Any]) -> None:
        """Take in what one node said in the end."""
        self.sent += said["sent"] * peers
        for peer, (lost, longest) in said["lost"].items():
            self.lost += lost
            self.pairs[f"{node} to {peer}"] = longest
            if longest > self.longest:
                self.longest, self.pair = longest, f"{node} to {peer}"


@contextmanager
def all_pairs(lab: Lab, plan: Plan, every: float = 1.0, patience: float = 10.0) -> Iterator[Pings]:
    """Ping every node from every other at its node address while the block runs; the result is filled in at its end.

    ``every``: seconds between two echoes of a pair. ``patience``: seconds that answers may still come at the end.
    """
    nodes = plan.names[: plan.node_count]
    address = {name: str(plan.node_ip(number)) for name, number in plan.numbers.items() if name in nodes}
    result, running = Pings(), {}
    try:
        for name in nodes:
            peers = {other: ip for other, ip in address.items() if other != name}
            program = subprocess.Popen(
                lab.command(name, ["python3", "-c", _PROGRAM]),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            running[name] = program
            if program.stdin:
                program.stdin.write(json.dumps({"peers": peers, "every": every, "patience": patience}) + "\n")
                program.stdin.flush()
        yield result
        for program in running.values():
            if program.stdin:
                program.stdin.close()
                program.stdin = None
        for name, program in running.items():
            said, _ = program.communicate(timeout=patience + 60)
            result.add(name, len(nodes) - 1, json.loads(said))
    finally:
        for program in running.values():
            program.kill()
