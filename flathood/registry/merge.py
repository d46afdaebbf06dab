# SPDX-License-Identifier: Apache-2.0
"""Taking a list of MAC addresses into the registry: all of it, or nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flathood.errors import Problem, enough
from flathood.registry.checks import slots_of, unknown_machine
from flathood.registry.lists import Entry
from flathood.registry.model import Nic, Registry, State, normal_mac
from flathood.spec.known import Known

_Place = tuple[str, int]  # machine and slot


@dataclass
class Merged:
    """The registry with a list in it, what is wrong with the list, and how many of its NICs were new or not."""

    registry: Registry
    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)  # added, changed, known before


def merge(registry: Registry, file: str, entries: Iterable[Entry], known: Known) -> Merged:
    """Take a list's NICs as expected ones; `file` is the list's name, for problems.

    A NIC that was seen or verified in the same slot stays as it is. Another MAC takes the place of one that was only
    expected; of one that was seen, never: discovery and the list then disagree, and a person must decide.
    """
    merged = Merged(registry)
    wanted = _wanted(merged, file, entries, known)
    slots = {name: list(nics) for name, nics in registry.nodes.items()}
    for (name, slot), (entry, mac) in wanted.items():
        nics = slots.setdefault(name, [])
        nics.extend([None] * (slot + 1 - len(nics)))
        old = nics[slot]
        if old is not None and old.mac == mac:
            merged.counts["known before"] += 1
        elif old is None or old.state is State.EXPECTED:
            merged.counts["changed" if old else "added"] += 1
            nics[slot] = Nic(mac=mac)
        else:
            differ = f"slot {slot} of {name!r} has {old.mac} by macs.yml ({old.state}), the list says {mac}"
            _say(merged, file, entry, f"{differ}: correct the list, or remove it from macs.yml if it was exchanged")
    places: dict[str, _Place] = {}
    for place, nic in _places(slots):
        other = places.setdefault(nic.mac, place)
        if other != place:
            _elsewhere(merged, file, nic.mac, [other, place], wanted)
    if not merged.problems:
        order = [name for names in (known.nodes, known.spares, [known.head]) for name in names or () if name in slots]
        nodes = {name: tuple(slots[name]) for name in order if name is not None}
        merged.registry = Registry(cluster=registry.cluster, nodes=nodes)
    return merged


def _wanted(merged: Merged, file: str, entries: Iterable[Entry], known: Known) -> dict[_Place, tuple[Entry, str]]:
    """What a list asks for, by place, with every problem that the list has by itself."""
    wanted: dict[_Place, tuple[Entry, str]] = {}
    first: dict[str, Entry] = {}
    for entry in entries:
        try:
            mac = normal_mac(entry.mac)
            wrong = _wrong(entry, known)
        except ValueError as error:
            mac, wrong = "", str(error)
        place = (entry.node, entry.slot)
        if not wrong and place in wanted:
            wrong = f"slot {entry.slot} of {entry.node!r} is in line {wanted[place][0].line} already: remove one"
        elif not wrong and mac in first:
            other = first[mac]
            wrong = (
                f"{mac} is in line {other.line} already, as slot {other.slot} of {other.node!r}: correct one of them"
            )
        if wrong:
            _say(merged, file, entry, wrong)
            continue
        wanted[place] = (entry, mac)
        first[mac] = entry
    return wanted


def _wrong(entry: Entry, known: Known) -> str:
    unknown = unknown_machine(known, entry.node)
    most = slots_of(known, entry.node)
    if unknown or most is None or entry.slot < most:
        return unknown
    if known.machine(entry.node) == "head":
        return f"there is no slot {entry.slot}: the head {entry.node!r} has slot 0 only, its NIC on the uplink switch"
    return f"there is no slot {entry.slot}: {entry.node!r} has {most} NICs, slots 0 to {most - 1}"


def _elsewhere(
    merged: Merged, file: str, mac: str, places: list[_Place], wanted: dict[_Place, tuple[Entry, str]]
) -> None:
    """Note a MAC that the list gives to one place while macs.yml has it in another."""
    asked = [place for place in places if place in wanted and wanted[place][1] == mac]
    for place in asked:
        name, slot = next(other for other in places if other != place)
        message = (
            f"{mac} is slot {slot} of {name!r} by macs.yml: correct the list, or remove it there if the NIC was moved"
        )
        _say(merged, file, wanted[place][0], message)


def _places(slots: dict[str, list[Nic | None]]) -> Iterator[tuple[_Place, Nic]]:
    for name, nics in slots.items():
        for slot, nic in enumerate(nics):
            if nic is not None:
                yield (name, slot), nic


def _say(merged: Merged, file: str, entry: Entry, message: str) -> None:
    merged.problems.append(Problem(file, entry.line, "", message))
    enough(merged.problems)
