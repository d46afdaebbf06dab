# SPDX-License-Identifier: Apache-2.0
"""Gathering evidence on a running cluster: the schedule, and the controller's part in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from flathood.cabling import snmp
from flathood.cabling.agents import Agent
from flathood.checks.evidence import IN_LAB
from flathood.inventory import Inventory
from flathood.lab import Lab

#: What every machine is asked, in this order.
PHASES = ("clock", "start", "collect")
#: Seconds after which a recorder that nobody collects ends by itself.
LIFETIME = 3600
#: Seconds that a round of probes lasts.
ROUND = 3.0
#: Seconds before and after a round in which the uplink switch is off too: switching is not exact.
_MARGIN = 1.0
#: Seconds that a switch is off, and on before the next one goes, at the least: longer than any carrier takes to show.
_FLIP = 1.5


def rounds_from(at: float, pause: float) -> list[tuple[float, float]]:
    """Begin and duration of both rounds of probes, `pause` seconds apart: the uplink switch off, then on."""
    return [(at, ROUND), (at + ROUND + pause, ROUND)]


class Power(Protocol):
    """Who switches switches off and on."""

    def off(self, switch: str) -> None:
        """Take the power from a switch; back when it is off."""

    def on(self, switch: str) -> None:
        """Give it back; back when it is on."""


class LabPower:
    """The lab's own switches."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def off(self, switch: str) -> None:
        """Take the power from a switch."""
        self.lab.switch_off(switch)

    def on(self, switch: str) -> None:
        """Give it back."""
        self.lab.switch_on(switch)


class HandPower:
    """A person who is asked, and says when it is done."""

    def __init__(self, ask: Callable[[str], None]) -> None:
        self._ask = ask

    def off(self, switch: str) -> None:
        """Ask for a switch to be switched off."""
        self._ask(f"Switch the switch {switch} OFF, then press Enter")

    def on(self, switch: str) -> None:
        """Ask for a switch to be switched on."""
        self._ask(f"Switch the switch {switch} ON again, wait until its lights are back, then press Enter")


def power(inventory: Inventory, ask: Callable[[str], None]) -> Power:
    """The lab's switches when this process runs at the head of this cluster's lab, else a person."""
    name = inventory.cluster.cluster
    return LabPower(Lab.open(name)) if os.environ.get(IN_LAB) == name else HandPower(ask)


@dataclass(frozen=True)
class Schedule:
    """When the first round begins, the second one's distance, and how long it took to tell the slowest machine of them.

    In seconds. A machine may be late by as much, and its clock is known no better; as the uplink switch comes back in
    the pause, telling may take that long and no longer. ``flips``: whether every switch is switched off once.
    """

    at: float
    pause: float
    delay: float
    flips: bool = True


def conduct(
    inventory: Inventory, schedule: Schedule, hands: Power | None, agents: Mapping[str, Agent]
) -> dict[str, Any]:
    """Switch switches as the schedule says; the flips with their times, and the MAC tables of switches that have some.

    ``hands``: None leaves all switches on. ``agents``: how switches are asked by SNMP; without any the lab's switches
    are read. Every switch is switched on again, whatever happens.
    """
    uplink, at, pause, delay = inventory.cluster.uplink.name, schedule.at, schedule.pause, schedule.delay
    late = hands is not None and (time.time() > at - _MARGIN or delay > pause - 3 * _MARGIN)
    noted = []
    if hands is not None and not late:
        _sleep_until(at - _MARGIN)
        noted.append(_flip(hands, uplink, lambda: _sleep_until(at + delay + ROUND + _MARGIN)))
        late = noted[0]["off_done"] > at or noted[0]["on"] > at + ROUND + pause - _MARGIN
    _sleep_until(at + delay + 2 * ROUND + pause + _MARGIN)
    # Now every NIC has sent, and no switch has lost its table yet.
    asked = _tables(hands, uplink, agents)
    stay = _FLIP + delay
    if hands is not None and schedule.flips:
        for switch in inventory.cluster.switch_names:
            noted.append(_flip(hands, switch, lambda: time.sleep(stay)))
            time.sleep(stay)
    return {"flips": noted, "late": late, "dark": hands is not None} | asked


def _tables(hands: Power | None, uplink: str, agents: Mapping[str, Agent]) -> dict[str, Any]:
    """MAC tables, and notes of switches that did not tell."""
    if agents:
        answers = snmp.ask(agents)
        return {"tables": answers.evidence().model_dump(mode="json"), "notes": list(answers.notes)}
    return {"tables": lab_tables(hands.lab, uplink) if isinstance(hands, LabPower) else None, "notes": []}


def _flip(hands: Power, switch: str, wait: Callable[[], None]) -> dict[str, Any]:
    begin = time.time()
    try:
        hands.off(switch)
        done = time.time()
        wait()
        back = time.time()
    finally:
        hands.on(switch)
    return {"switch": switch, "off": begin, "off_done": done, "on": max(back, done)}


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.time()))


def lab_tables(lab: Lab, uplink: str) -> dict[str, Any]:
    """The MAC tables of the lab's switches, with the ports of the cables to the uplink switch."""
    said = lab.evidence()
    ways: dict[str, list[str]] = {switch: [] for switch in said["switches"]}
    for port, facts in said["ports"].items():
        if facts["cable"].startswith("uplink:") and facts["switch"]:
            ways[facts["switch"]].append(port)
    return {"switches": {name: facts["table"] for name, facts in said["switches"].items()}, "uplinks": ways}
