# SPDX-License-Identifier: Apache-2.0
"""A wire to speak on: a small cluster, and a log of DHCP events that a test writes as a story."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from flathood.discovery.replay import Replayed, replay
from flathood.discovery.work import Work
from flathood.registry.model import Nic, Registry, State
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

LEASE = 120


def cluster() -> Cluster:
    switches = [{"name": f"s{i}", "colour": f"#00000{i}", "ports": 8} for i in range(4)]
    return Cluster.model_validate(
        {
            "cluster": "c",
            "nodes": {"names": ["a", "b", "d"], "nics": 4},
            "spares": {"names": ["x"]},
            "switches": switches,
        }
    )


def wiring() -> Wiring:
    return Wiring.model_validate(
        {
            "cluster": "c",
            "nodes": {name: ["s0", "s1", "s2", "s3"] for name in ("a", "b")} | {"d": ["s0", None, "s1", "s2"]},
        }
    )


def mac(node: str, slot: int) -> str:
    """The MAC of a slot, told apart at sight."""
    return f"02:00:00:00:{ord(node[0]):02x}:{slot:02x}"


def registry(state: State = State.EXPECTED, *, without: tuple[str, ...] = ()) -> Registry:
    nodes = {n: tuple(Nic(mac=mac(n, s), state=state) for s in range(4)) for n in ("a", "b") if n not in without}
    return Registry(cluster="c", nodes=nodes)


@dataclass
class Wire:
    """A journal in the making; `now` is the time in seconds."""

    registry: Registry = field(default_factory=lambda: Registry(cluster="c"))
    now: float = 1_763_700_000.0
    lines: list[str] = field(default_factory=list)

    def say(self, event: str, **said: object) -> Wire:
        self.now += 0.1
        self.lines.append(json.dumps({"at": round(self.now, 3), "event": event} | said))
        return self

    def wait(self, seconds: float) -> Wire:
        self.now += seconds
        return self

    def lease(self, *macs: str, event: str = "add", granted: float | None = None, **said: object) -> Wire:
        """Leases that are given now, or were at `granted`."""
        for each in macs:
            expires = int(self.now if granted is None else granted) + LEASE
            self.say(event, mac=each, ip="198.18.1.1", expires=expires, host="bare", vendor="", user="", **said)
        return self

    def end(self, *macs: str) -> Wire:
        for each in macs:
            self.say("del", mac=each, ip="198.18.1.1", expires=int(self.now), host="", vendor="", user="")
        return self

    def turn(self, node: str, *macs: str) -> Wire:
        """A whole turn in which these MACs come up, in this order."""
        return self.open(node).wait(5).lease(*macs).wait(3).close(node)

    def open(self, node: str) -> Wire:
        return self.say("open", node=node)

    def close(self, node: str) -> Wire:
        return self.say("close", node=node)

    def told(self, *macs: str) -> Wire:
        return self.say("report", macs=list(macs))

    def replay(self) -> Replayed:
        work = Work.of(cluster(), wiring(), self.registry)
        return replay(self.lines, work, self.registry, ("a", "b", "d", "x", "head"))


@pytest.fixture
def wire() -> Wire:
    return Wire().say("begin", lease=LEASE)
