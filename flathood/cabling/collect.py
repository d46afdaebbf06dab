# SPDX-License-Identifier: Apache-2.0
"""Gathering evidence on a running cluster: the schedule, the controller's part, and one evidence file of all words."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

from flathood.cabling.evidence import (
    Carriers,
    Change,
    Evidence,
    Flip,
    Frames,
    Learnt,
    MachineWord,
    NicWord,
    Period,
    Tables,
    device_id,
    wiring_digest,
)
from flathood.checks.evidence import IN_LAB
from flathood.inventory import Inventory
from flathood.lab import Lab

#: What every machine is asked, in this order.
PHASES = ("clock", "start", "collect")
#: Seconds after which a recorder that nobody collects ends by itself.
LIFETIME = 3600
#: Seconds that a round of probes lasts, and from the end of the first to the beginning of the second: the uplink switch
#: comes back between them, so telling a machine of the schedule may take this long and no longer.
ROUND, PAUSE = 3.0, 12.0
#: Seconds before and after a round in which the uplink switch is off too: switching is not exact.
_MARGIN = 1.0
#: Seconds that a switch is off, and on before the next one goes, at the least: longer than any carrier takes to show.
_FLIP = 1.5


def rounds_from(at: float) -> list[tuple[float, float]]:
    """Begin and duration of both rounds of probes: the uplink switch off, then on."""
    return [(at, ROUND), (at + ROUND + PAUSE, ROUND)]


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


def conduct(inventory: Inventory, hands: Power, at: float, delay: float, flips: bool) -> dict[str, Any]:
    """Switch switches as the schedule says; the flips with their times, and the MAC tables of switches that have some.

    ``at``: when the first round begins. ``delay``: seconds that it took to tell the slowest machine: it may be late by
    as much, and its clock is known no better. Every switch is switched on again, whatever happens.
    """
    uplink = inventory.cluster.uplink.name
    late = time.time() > at - _MARGIN or delay > PAUSE - 3 * _MARGIN
    noted = []
    if not late:
        _sleep_until(at - _MARGIN)
        noted.append(_flip(hands, uplink, lambda: _sleep_until(at + delay + ROUND + _MARGIN)))
        late = noted[0]["off_done"] > at or noted[0]["on"] > at + ROUND + PAUSE - _MARGIN
        _sleep_until(at + delay + 2 * ROUND + PAUSE + _MARGIN)
    tables = lab_tables(hands.lab, uplink) if isinstance(hands, LabPower) else None
    stay = _FLIP + delay
    for switch in inventory.cluster.switch_names if flips else ():
        noted.append(_flip(hands, switch, lambda: time.sleep(stay)))
        time.sleep(stay)
    return {"flips": noted, "tables": tables, "late": late}


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


def offset(words: Mapping[str, Mapping[str, Any]]) -> tuple[float, float]:
    """How far a machine's clock is ahead and by how much that may be wrong, in seconds.

    Each phase says what the machine's clock showed at some moment between two of the controller's: the offset is in
    all of these intervals. When they have nothing in common the clock was set meanwhile, and the doubt covers them all.

    >>> offset({"start": {"time": 105.0, "clock": [99.0, 101.0]}, "collect": {"time": 205.5, "clock": [200.0, 201.0]}})
    (5.0, 0.5)
    """
    bounds = [(word["time"] - word["clock"][1], word["time"] - word["clock"][0]) for word in words.values()]
    low, high = max(low for low, _ in bounds), min(high for _, high in bounds)
    if low > high:
        low, high = min(low for low, _ in bounds), max(high for _, high in bounds)
    return (low + high) / 2, (high - low) / 2


def assemble(
    inventory: Inventory, words: Mapping[str, Mapping[str, Mapping[str, Any]]], switches: Mapping[str, Any]
) -> Evidence:
    """The evidence of one run: of every machine what `start` and `collect` brought, and what `conduct` noted."""
    heard_all = {
        name: said
        for name, said in words.items()
        if "nics" in said.get("collect", {}) and "time" in said.get("start", {})
    }
    machines, changes = {}, []
    for name, said in heard_all.items():
        ahead, doubt = offset({phase: word for phase, word in said.items() if "time" in word})
        nics = tuple(NicWord(**nic) for nic in said["collect"]["nics"])
        machines[name] = MachineWord(nics=nics, clock=round(ahead, 3), doubt=round(doubt, 3))
        known = {nic.device for nic in nics}
        for device, at, up in said["collect"]["changes"]:
            if device in known:
                changes.append(Change(machine=name, device=device, at=round(at, 3), up=up))
    flips = tuple(Flip(switch=one["switch"], off=one["off"], on=one["on"]) for one in switches["flips"])
    moments = [moment for said in words.values() for word in said.values() for moment in word.get("clock", ())]
    tables = switches.get("tables")
    return Evidence(
        flathood_evidence=1,
        cluster=inventory.cluster.cluster,
        taken=Period(
            begin=datetime.fromtimestamp(min(moments, default=time.time()), UTC),
            end=datetime.fromtimestamp(max(moments, default=time.time()), UTC),
        ),
        wiring=wiring_digest(inventory.wiring),
        machines=machines,
        silent=tuple(name for name in words if name not in heard_all),
        carriers=Carriers(flips=flips, changes=tuple(changes)) if len(flips) > 1 else None,
        frames=() if switches.get("late") else _frames(heard_all),
        tables=None
        if tables is None
        else Tables(
            switches={
                name: tuple(Learnt(mac=entry["mac"], port=entry["port"]) for entry in entries)
                for name, entries in tables["switches"].items()
            },
            uplinks={name: tuple(ports) for name, ports in tables["uplinks"].items()},
        ),
    )


def _frames(words: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> tuple[Frames, ...]:
    """Both rounds, equal sets of heard NICs written once; probes of machines that were not collected do not count."""
    devices = {device_id(name, nic["device"]) for name, said in words.items() for nic in said["collect"]["nics"]}
    rounds = []
    for number, uplink in enumerate((False, True)):
        sets: dict[tuple[str, ...], int] = {}
        by: dict[str, int] = {}
        for name, said in words.items():
            for device, names in said["collect"]["heard"][number].items():
                own = device_id(name, device)
                if own in devices:
                    # With itself in it, the set is the same for all NICs of a domain.
                    by[own] = sets.setdefault(tuple(sorted(devices.intersection({*names, own}))), len(sets))
        rounds.append(Frames(uplink=uplink, heard=tuple(sets), by=by))
    return tuple(rounds)
