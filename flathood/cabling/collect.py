# SPDX-License-Identifier: Apache-2.0
"""Gathering evidence on a running cluster: the schedule, and the controller's part in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from flathood.cabling import snmp
from flathood.cabling.agents import Agent
from flathood.checks.evidence import IN_LAB
from flathood.inventory import Inventory
from flathood.lab import Lab
from flathood.vms import inside as vms

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

    #: Seconds that it may take until the uplink switch is off, and until it is on again.
    reach: float

    def off(self, switch: str, within: float | None = None) -> None:
        """Take the power from a switch, in so many seconds if that matters; back when it is off."""

    def on(self, switch: str, within: float | None = None) -> None:
        """Give it back, in so many seconds if that matters; back when it is on."""


@dataclass(frozen=True)
class OwnPower:
    """Switches of a rehearsal: they need no hands, and can be read; ``evidence`` as `flathood.lab.evidence.gather`."""

    turn_off: Callable[[str], object]
    turn_on: Callable[[str], object]
    evidence: Callable[[], dict[str, Any]]
    reach = 0.0

    def off(self, switch: str, within: float | None = None) -> None:
        """Take the power from a switch."""
        self.turn_off(switch)

    def on(self, switch: str, within: float | None = None) -> None:
        """Give it back."""
        self.turn_on(switch)


class HandPower:
    """A person who is asked, and says when it is done; ``reach``: as in `Power`."""

    def __init__(self, ask: Callable[[str], None], reach: float) -> None:
        self._ask, self.reach = ask, reach

    def begin(self, uplink: str, others: Sequence[str]) -> None:
        """Say what is to come, and wait until somebody is ready: the time for the uplink switch runs from then."""
        rest = f" Then one after the other, without haste: {', '.join(others)}." if others else ""
        self._ask(
            f"You are asked to switch the switch {uplink} OFF within {self.reach:.0f} s, and ON again as fast."
            f"{rest} Stand where you reach it, then press Enter to begin"
        )

    def off(self, switch: str, within: float | None = None) -> None:
        """Ask for a switch to be switched off."""
        self._ask(f"Switch the switch {switch} OFF{_soon(within)}, then press Enter")

    def on(self, switch: str, within: float | None = None) -> None:
        """Ask for a switch to be switched on."""
        self._ask(f"Switch the switch {switch} ON again{_soon(within)}, wait until its lights are back, press Enter")


def _soon(within: float | None) -> str:
    return "" if within is None else f" within {max(0.0, within):.0f} s"


def power(inventory: Inventory, ask: Callable[[str], None], reach: float) -> Power:
    """The switches of the rehearsal that this process is in the middle of, else a person."""
    name = inventory.cluster.cluster
    if os.environ.get(IN_LAB) == name:
        lab = Lab.open(name)
        return OwnPower(lab.switch_off, lab.switch_on, lab.evidence)
    if wires := vms.fabric(inventory.cluster):
        return OwnPower(partial(wires.power, on=False), partial(wires.power, on=True), wires.evidence)
    return HandPower(ask, reach)


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

    ``hands``: None leaves all switches on. ``agents``: how switches are asked by SNMP; without any those of a
    rehearsal are read. Every switch is switched on again, whatever happens.
    """
    uplink, at, pause, delay = inventory.cluster.uplink.name, schedule.at, schedule.pause, schedule.delay
    late = hands is not None and (time.time() > at - _MARGIN or delay > pause - 3 * _MARGIN)
    noted = []
    if hands is not None and not late:
        off_by, on_by = at - _MARGIN, at + ROUND + pause - _MARGIN
        _sleep_until(off_by - hands.reach)
        wait = partial(_sleep_until, at + delay + ROUND + _MARGIN)
        noted.append(_flip(hands, uplink, wait, off_by, on_by))
        late = noted[0]["off_done"] > at or time.time() > on_by + _MARGIN
    _sleep_until(at + delay + 2 * ROUND + pause + _MARGIN)
    # Now every NIC has sent, and no switch has lost its table yet.
    asked = _tables(hands, uplink, agents)
    stay = _FLIP + delay
    if hands is not None and schedule.flips:
        for switch in inventory.cluster.switch_names:
            noted.append(_flip(hands, switch, partial(time.sleep, stay)))
            time.sleep(stay)
    return {"flips": noted, "late": late, "dark": hands is not None} | asked


def _tables(hands: Power | None, uplink: str, agents: Mapping[str, Agent]) -> dict[str, Any]:
    """MAC tables, and notes of switches that did not tell."""
    if agents:
        answers = snmp.ask(agents)
        return {"tables": answers.evidence().model_dump(mode="json"), "notes": list(answers.notes)}
    return {"tables": _read(hands, uplink) if isinstance(hands, OwnPower) else None, "notes": []}


def _flip(
    hands: Power, switch: str, wait: Callable[[], None], off_by: float | None = None, on_by: float | None = None
) -> dict[str, Any]:
    begin = time.time()
    try:
        hands.off(switch, off_by and off_by - begin)
        done = time.time()
        wait()
        back = time.time()
    finally:
        hands.on(switch, on_by and on_by - time.time())
    return {"switch": switch, "off": begin, "off_done": done, "on": max(back, done)}


def _sleep_until(moment: float) -> None:
    time.sleep(max(0.0, moment - time.time()))


def _read(hands: OwnPower, uplink: str) -> dict[str, Any]:
    """The MAC tables of a rehearsal's switches, with the ports of the cables to the uplink switch."""
    said = hands.evidence()
    ways: dict[str, list[str]] = {switch: [] for switch in said["switches"]}
    for port, facts in said["ports"].items():
        if facts["cable"].startswith("uplink:") and facts["switch"]:
            ways[facts["switch"]].append(port)
    return {"switches": {name: facts["table"] for name, facts in said["switches"].items()}, "uplinks": ways}
