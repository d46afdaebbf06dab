# SPDX-License-Identifier: Apache-2.0
"""One evidence file of what all machines and switches said in one run."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from flathood.cabling.evidence import (
    Carriers,
    Change,
    Evidence,
    Flip,
    Frames,
    Learnt,
    MachineWord,
    Neighbor,
    NicWord,
    Period,
    Tables,
    device_id,
    wiring_digest,
)
from flathood.cabling.uplinks import with_uplinks
from flathood.inventory import Inventory
from flathood.registry.model import macs_of

#: What the machines said: by machine and phase.
Words = Mapping[str, Mapping[str, Mapping[str, Any]]]


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
    inventory: Inventory, words: Words, switches: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Evidence:
    """The evidence of one run: of every machine what its phases brought, and what `conduct` noted.

    ``names``: what switches are called by themselves (LLDP's system name, or chassis number) → in cluster.yml.
    """
    heard_all = {name: said for name, said in words.items() if "nics" in said.get("collect", {})}
    moments = [moment for said in words.values() for word in said.values() for moment in word.get("clock", ())]
    begin, end = min(moments, default=time.time()), max(moments, default=time.time())
    machines, changes = {}, []
    for name, said in heard_all.items():
        ahead, doubt = offset({phase: word for phase, word in said.items() if "time" in word})
        nics = tuple(NicWord(**nic) for nic in said["collect"]["nics"])
        machines[name] = MachineWord(nics=nics, clock=round(ahead, 3), doubt=round(doubt, 3))
        known = {nic.device for nic in nics}
        for device, at, up in said["collect"]["changes"]:
            # A machine's own recorder has what was before, too.
            if device in known and begin - doubt <= at - ahead <= end + doubt:
                changes.append(Change(machine=name, device=device, at=round(at, 3), up=up))
    machines |= _relayed(heard_all, [name for name in words if name not in machines])
    flips = tuple(Flip(switch=one["switch"], off=one["off"], on=one["on"]) for one in switches["flips"])
    lldp, notes = _neighbors(inventory, heard_all, names or {})
    return Evidence(
        flathood_evidence=1,
        cluster=inventory.cluster.cluster,
        taken=Period(begin=datetime.fromtimestamp(begin, UTC), end=datetime.fromtimestamp(end, UTC)),
        wiring=wiring_digest(inventory.wiring),
        machines=machines,
        silent=tuple(name for name in words if name not in machines),
        notes=(*switches.get("notes", ()), *notes),
        carriers=Carriers(flips=flips, changes=tuple(changes)) if len(flips) > 1 else None,
        frames=() if switches.get("late") else _frames(heard_all, machines, (not switches["dark"], True)),
        tables=_tables(inventory, switches.get("tables")),
        lldp=lldp,
    )


def _tables(inventory: Inventory, said: Mapping[str, Any] | None) -> Tables | None:
    """The switches' MAC tables, with the ports that lead to other switches."""
    if not said or not said["switches"]:
        return None
    tables = Tables(
        switches={
            name: tuple(Learnt(mac=entry["mac"], port=entry["port"]) for entry in entries)
            for name, entries in said["switches"].items()
        },
        uplinks={name: tuple(ports) for name, ports in said["uplinks"].items()},
    )
    head = next(iter(macs_of(inventory.registry, inventory.cluster.head.name)), None)
    return with_uplinks(tables, inventory.cluster.uplink.name, head)


def _relayed(heard: Words, missing: Sequence[str]) -> dict[str, MachineWord]:
    """What neighbors heard machines say of themselves that could not be asked.

    Frames can be forged: what does not fit is left out, and two versions of one machine's word are none.
    """
    found = {}
    for name in missing:
        told = {said["collect"].get("words", {}).get(name) for said in heard.values()} - {None}
        words = [word for text in sorted(told) if (word := _word(text)) is not None]
        # Its carriers may have changed from one probe to the next; its NICs do not.
        if words and len({tuple((nic.device, nic.mac) for nic in word.nics) for word in words}) == 1:
            found[name] = max(words, key=lambda word: sum(bool(nic.carrier) for nic in word.nics))
    return found


def _word(text: str) -> MachineWord | None:
    try:
        nics = [NicWord(device=device, mac=mac, carrier=carrier) for device, mac, carrier in json.loads(text)]
    except (ValueError, TypeError, ValidationError):
        return None
    return MachineWord(nics=tuple(nics), relayed=True) if nics else None


def _neighbors(
    inventory: Inventory, heard: Words, names: Mapping[str, str]
) -> tuple[tuple[Neighbor, ...], Iterator[str]]:
    """What lldpd heard of switches, and sentences about switches that nobody knows. Nodes are no switches."""
    cluster = inventory.cluster
    switches = {name: name for name in (*cluster.switch_names, cluster.uplink.name)}
    machines = {*cluster.node_names, *cluster.spare_names, cluster.head.name}
    known = switches | {theirs.lower(): ours for theirs, ours in names.items()}
    found, strange = [], dict[str, str]()
    for machine, said in heard.items():
        for device, *theirs, port in said.get("start", {}).get("lldp", ()):
            # A system name is often a whole domain name; its first label is the switch's own.
            called = [form for name in theirs for form in (name.lower(), name.lower().partition(".")[0])]
            switch = next((known[form] for form in called if form in known), None)
            if switch is not None:
                found.append(Neighbor(machine=machine, device=device, switch=switch, port=port or None))
            elif not machines.intersection(called):
                strange.setdefault(next(filter(None, theirs)), device_id(machine, device))
    notes = (
        f"lldp: {where} is plugged into {name!r}, which is no switch of cluster.yml: say which one in audit_names"
        for name, where in sorted(strange.items())
    )
    return tuple(found), notes


def _frames(heard: Words, machines: Mapping[str, MachineWord], lit: tuple[bool, bool]) -> tuple[Frames, ...]:
    """Both rounds, equal sets of heard NICs written once; probes of machines without a word do not count.

    ``lit``: whether the uplink switch had power in each.
    """
    devices = {device_id(name, nic.device) for name, word in machines.items() for nic in word.nics}
    rounds = []
    for number, uplink in enumerate(lit):
        sets: dict[tuple[str, ...], int] = {}
        by: dict[str, int] = {}
        for name, said in heard.items():
            for device, names in said["collect"]["heard"][number].items():
                own = device_id(name, device)
                if own in devices:
                    # With itself in it, the set is the same for all NICs of a domain.
                    by[own] = sets.setdefault(tuple(sorted(devices.intersection({*names, own}))), len(sets))
        rounds.append(Frames(uplink=uplink, heard=tuple(sets), by=by))
    return tuple(rounds)
