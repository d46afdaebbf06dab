# SPDX-License-Identifier: Apache-2.0
"""What one machine's window proves: which MACs are in it, and in which slots; as far as the evidence goes, no further.

Which machine: a MAC that is new while one machine comes up is that machine's, unless there are more than it has NICs.
If the machine itself tells of its NICs, what else came up is another one; two that nobody knows make all of it void.
Which slot, from the strongest: the machine's own list in its kernel's order; what the DHCP client says of itself; the
place that macs.yml has; the order heard, only when every cabled slot was heard, and never as verified.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from flathood.registry.model import State

if TYPE_CHECKING:
    from flathood.discovery.window import Window
    from flathood.discovery.work import Work

#: MACs that one sentence names.
_NAMED = 6


class Outcome(StrEnum):
    """What came of one machine's turn."""

    COMPLETE = "complete"  # every cabled slot was heard
    INCOMPLETE = "incomplete"  # some were, and they are this machine's
    AMBIGUOUS = "ambiguous"  # more was heard than one machine has: nothing is proved
    SILENT = "silent"  # nothing new was heard


@dataclass(frozen=True, slots=True)
class Placed:
    """A MAC in a slot; ``verified``: the slot, too, is proved."""

    slot: int
    mac: str
    verified: bool


@dataclass(frozen=True)
class Finding:
    """The result of one machine's turn; ``sentences`` say it to the operator."""

    node: str
    outcome: Outcome
    placed: tuple[Placed, ...] = ()
    loose: tuple[str, ...] = ()  # in this machine, slot not known
    replaced: tuple[str, ...] = ()  # were in this machine before, and others have their slots now
    strangers: tuple[str, ...] = ()
    disputed: tuple[str, ...] = ()  # in macs.yml, and the wire says otherwise
    sentences: tuple[str, ...] = ()


def decide(window: Window, work: Work) -> Finding:
    """What is proved of the window's machine."""
    node, cabled = window.node, work.cabled[window.node]
    if window.flooded:
        text = (
            f"{node}: a flood of MACs was heard, none is taken for its own: find what sends them, then power it again"
        )
        return Finding(node, Outcome.AMBIGUOUS, sentences=(text,))
    told = [macs for macs in window.told if not window.candidates.keys().isdisjoint(macs)]
    own = told[0] if told else ()
    mine = [mac for mac in window.candidates if not own or mac in own]
    strangers = tuple(mac for mac in window.candidates if mac not in mine)
    if len(told) > 1 or (strangers and not _at_home(own, node, work)):
        # The one that told may as well be the wrong one: it was quicker, or the other has no system to be asked.
        text = (
            f"{node}: more than one machine came up at once: nothing is taken from them "
            f"({_some(tuple(window.candidates))}); power one at a time"
        )
        return Finding(node, Outcome.AMBIGUOUS, strangers=_except(window, work), sentences=(text,))
    if len(mine) > len(cabled):
        text = (
            f"{node}: {len(mine)} new MACs were heard where {_count(len(cabled), 'NIC')} can be: were two machines "
            f"powered at once, or is a strange one on the wire ({_some(mine)})? Nothing is taken from it"
        )
        return Finding(node, Outcome.AMBIGUOUS, strangers=_except(window, work), sentences=(text,))
    sentences = [f"{node}: {_some(strangers)} came up at the same time and is not in it"] if strangers else []
    disputed, said = _disputes(window, work, own, missing=len(mine) < len(cabled))
    sentences += said
    if not mine:
        return Finding(
            node, Outcome.SILENT, (), (), (), strangers, disputed, (*sentences, _silence(node, window, cabled))
        )
    places = _slots(window, work, mine, own)
    placed, loose, replaced, held_back, said = _settle(window, work, mine, places)
    sentences += said
    complete = len(mine) == len(cabled) and not loose
    if len(mine) < len(cabled):
        sentences += _missing(work, node, mine, places, own)
    elif loose and not held_back:
        sentences.append(f"{node}: the slots of {_some(loose)} cannot be told: their clients contradict each other")
    return Finding(
        node,
        Outcome.COMPLETE if complete else Outcome.INCOMPLETE,
        placed=placed,
        loose=loose,
        replaced=replaced,
        strangers=strangers,
        disputed=tuple(dict.fromkeys((*disputed, *held_back))),
        sentences=tuple(sentences),
    )


def _slots(window: Window, work: Work, mine: list[str], own: tuple[str, ...]) -> dict[str, tuple[int, bool]]:
    """MAC → slot and whether that is proved, for all of which it can be told, also such as are only in ``own``."""
    node = window.node
    cabled = list(work.cabled[node])
    repeated = {mac for mac, times in Counter(own).items() if times > 1}
    if len(own) == work.counts[node]:
        return {mac: (slot, True) for slot, mac in enumerate(own) if mac not in repeated and _free(mac, node, work)}
    if len(own) > work.counts[node] and len(mine) == len(cabled) and not repeated:
        # The machine has NICs that are not on this network: those that were heard are in the kernel's order.
        return {mac: (slot, True) for slot, mac in zip(cabled, sorted(mine, key=own.index), strict=True)}
    hints = {mac: window.candidates[mac].slot for mac in mine}
    uses = Counter(slot for slot in hints.values() if slot is not None)
    found = {
        mac: (slot, True) for mac, slot in hints.items() if slot in cabled and slot is not None and uses[slot] == 1
    }
    for mac in mine:
        place = work.places.get(mac)
        if mac not in found and place is not None and place.slot not in uses:
            found[mac] = (place.slot, place.state is State.VERIFIED)
    rest = [mac for mac in mine if mac not in found]
    free = [slot for slot in cabled if slot not in {slot for slot, _ in found.values()}]
    if len(rest) == len(free) and all(hints[mac] is None for mac in rest):
        found |= {mac: (slot, False) for mac, slot in zip(rest, free, strict=True)}
    return found


def _free(mac: str, node: str, work: Work) -> bool:
    place = work.places.get(mac)
    return place is None or place.node == node


def _at_home(own: tuple[str, ...], node: str, work: Work) -> bool:
    """Whether macs.yml knows the machine that told of its NICs for this one."""
    places = [work.places[mac] for mac in own if mac in work.places]
    return any(place.node == node and place.state is not State.CONFLICTING for place in places)


def _settle(
    window: Window, work: Work, mine: list[str], places: dict[str, tuple[int, bool]]
) -> tuple[tuple[Placed, ...], tuple[str, ...], tuple[str, ...], list[str], list[str]]:
    """Placed, loose, replaced, disputed, sentences: the slots that were told, against what macs.yml has in them."""
    node = window.node
    held = work.held(node)
    placed, loose, replaced, disputed, sentences = [], [mac for mac in mine if mac not in places], [], [], []
    for mac, (slot, verified) in sorted(places.items(), key=lambda item: item[1]):
        before = held.get(slot)
        if before is not None and before != mac:
            sure = work.places[before].state is not State.EXPECTED and before not in places
            if sure and not verified:
                disputed.append(before)
                loose.append(mac)
                sentences.append(
                    f"{node} {work.slot(node, slot)}: {mac} was heard and may be here, macs.yml has {before}: "
                    "if the NIC was exchanged, remove the old line and power it again"
                )
                continue
            replaced.append(before)
            sentences.append(f"{node} {work.slot(node, slot)}: {mac} is here, macs.yml had {before}")
        placed.append(Placed(slot, mac, verified))
    here = {each.mac for each in placed}
    return tuple(placed), tuple(loose), tuple(mac for mac in replaced if mac not in here), disputed, sentences


def _disputes(window: Window, work: Work, own: tuple[str, ...], missing: bool) -> tuple[tuple[str, ...], list[str]]:
    """MACs that macs.yml has in other machines and that were heard as this one came up."""
    node = window.node
    disputed: list[str] = []
    sentences: list[str] = []
    for mac, place in window.listed.items():
        disputed.append(mac)
        sentences.append(
            f"{node}: {mac} came up with it, the list has it in {place.node} {work.slot(place.node, place.slot)}: "
            "was the right machine powered? If so, correct macs.yml"
        )
    for mac in own:
        other = work.places.get(mac)
        if other is not None and other.node != node and mac not in disputed:
            disputed.append(mac)
            sentences.append(
                f"{node}: its kernel has a NIC with {mac}, which macs.yml has in {other.node}, "
                f"{work.slot(other.node, other.slot)}: two NICs have one MAC, or it was moved"
            )
    for mac, times in Counter(own).items():
        if times > 1:
            sentences.append(f"{node}: {times} of its NICs have the MAC {mac}: give one of them another")
    for other_node, macs in window.anew.items() if missing and not own else ():
        # All of a machine's NICs: it has booted again. Only some: one of them may be in this machine, or have a twin.
        known = set(work.held(other_node).values())
        if macs < known:
            disputed += sorted(macs)
            sentences.append(
                f"{node}: {_some(sorted(macs))} of {other_node} came up with it: two NICs have one MAC, or it was moved"
            )
    return tuple(disputed), sentences


def _missing(
    work: Work, node: str, mine: list[str], places: dict[str, tuple[int, bool]], own: tuple[str, ...]
) -> list[str]:
    """The sentence about slots that were not heard; none where another one has told why already."""
    cabled = work.cabled[node]
    heard = {places[mac][0] for mac in mine if mac in places}
    if len(heard) < len(mine):
        lost = len(cabled) - len(mine)
        return [
            f"{node}: {lost} of {_count(len(cabled), 'NIC')} did not ask for an address; which slot cannot be told, "
            "so nothing is written of those whose slot is open: check its cables and power it again"
        ]
    # A NIC that has another's MAC was told of, and is not missing.
    twins = {slot for slot, mac in enumerate(own) if mac not in places} if len(own) == work.counts[node] else set()
    slots = [slot for slot in cabled if slot not in heard | twins]
    if not slots:
        return []
    names = ", ".join(work.slot(node, slot) for slot in slots)
    if {slot for mac, (slot, _) in places.items() if mac in own}.issuperset(slots):
        return [f"{node}: {names} is in the machine and did not ask for an address: check its cable and the switch"]
    return [f"{node}: {names} did not ask for an address: check the NIC, its cable and the switch"]


def _silence(node: str, window: Window, cabled: object) -> str:
    if window.uncertain:
        return (
            f"{node}: nothing new was heard, only {_some(sorted(window.uncertain))}, on the wire before: if it was on "
            "already, leave it off for two leases' time, then power it again"
        )
    return f"{node}: nothing was heard: check its power, its boot order and the uplink switch"


def _except(window: Window, work: Work) -> tuple[str, ...]:
    """The MACs that were heard and that macs.yml does not have in this machine."""
    return tuple(mac for mac in window.candidates if mac not in work.places)


def _some(macs: list[str] | tuple[str, ...]) -> str:
    more = len(macs) - _NAMED
    return ", ".join(macs[:_NAMED]) + (f" and {more} more" if more > 0 else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"
