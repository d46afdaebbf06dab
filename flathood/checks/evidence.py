# SPDX-License-Identifier: Apache-2.0
"""The switches as witnesses: MAC tables, and a count of unicast frames on the uplink switch.

The switches of a rehearsal are bridges that can be read. Cheap switches without management have no word to give:
`witness` then returns None, the checks that need them are "not run", and the validation ends with warnings, because
without the switches nothing proves the cabling: the uplink makes everything reach everything.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from flathood.checks import uplink
from flathood.checks.observed import SwitchWord
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.spec import Cluster
from flathood.vms import inside as vms

NO_WITNESS = "the switches cannot be asked (no switch evidence)"
#: Set for every command that runs at the head of a lab: the lab's name.
IN_LAB = "FLATHOOD_LAB"
#: Seconds after which a watch that nobody collects ends by itself.
LIFETIME = 1800


class Witness(Protocol):
    """Where the word of the switches comes from; another source is another class with these three."""

    @property
    def source(self) -> str:
        """In a few words, for the report."""

    def watch(self) -> None:
        """Begin to count the frames on the uplink switch. Every NIC has been heard by the switches before."""

    def collect(self) -> SwitchWord:
        """Stop counting; the counts and the MAC tables as they are now."""


def witness(cluster: Cluster) -> Witness | None:
    """The witness that this process can ask: the switches of a rehearsal that it is in the middle of."""
    if os.environ.get(IN_LAB) == cluster.cluster:
        lab = Lab.open(cluster.cluster)
        inside = ("ip", "netns", "exec", lab.fabric_namespace)
        return Bridges("the lab's switches", cluster.uplink.name, lab.evidence, lambda argv: [*inside, *argv])
    if wires := vms.fabric(cluster):
        return Bridges("the switches of the virtual machines", cluster.uplink.name, wires.evidence, list)
    return None


@dataclass(frozen=True)
class Bridges:
    """The bridges of a rehearsal: ``gather`` reads them, ``enter`` makes of a command one that runs beside them."""

    source: str
    uplink_switch: str
    gather: Callable[[], dict[str, Any]]
    enter: Callable[[Sequence[str]], list[str]]

    def watch(self) -> None:
        """Leave a process beside them that counts; it ends by itself after `LIFETIME` seconds."""
        ports = [port for port, facts in self.gather()["ports"].items() if facts["switch"] == self.uplink_switch]
        counter = subprocess.Popen(
            self._argv("watch", str(LIFETIME), *ports),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        if counter.stdout is None or counter.stdout.readline() != b"ready\n":
            raise FlathoodError("the frames on the uplink switch cannot be counted: the counting process did not start")

    def collect(self) -> SwitchWord:
        """Counts and tables."""
        done = subprocess.run(self._argv("collect"), capture_output=True, text=True, timeout=60, check=False)
        if not done.stdout:
            return SwitchWord(self.source, reason="the process that counted frames on the uplink switch was gone")
        counts = json.loads(done.stdout)
        return SwitchWord(
            source=self.source,
            tables=tables(self.gather(), self.uplink_switch),
            crossed={(source, target): count for source, target, count in counts["frames"]},
            lost=counts["lost"],
        )

    def _argv(self, *arguments: str) -> list[str]:
        return self.enter((sys.executable, uplink.__file__, *arguments))


def tables(evidence: dict[str, Any], uplink_switch: str) -> dict[str, dict[str, str]]:
    """MAC tables of a rehearsal: switch → learnt MAC → the switch behind the port, "" for a machine's port."""
    found: dict[str, dict[str, str]] = {}
    for switch, facts in evidence["switches"].items():
        table = found.setdefault(switch, {})
        for entry in facts["table"]:
            what, _, other = evidence["ports"][entry["port"]]["cable"].partition(":")
            behind = other if switch == uplink_switch else uplink_switch
            table[entry["mac"]] = behind if what == "uplink" else ""
    return found
