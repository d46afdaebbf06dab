# SPDX-License-Identifier: Apache-2.0
"""The turn of one machine: what was heard since it was about to be powered. Bounded, whatever the wire brings."""

from __future__ import annotations

from dataclasses import dataclass, field

from flathood.discovery.journal import Lease
from flathood.discovery.work import Place
from flathood.registry.model import State

#: Machines that may tell of their NICs in one turn, and NICs of one machine that are kept.
MAX_TOLD = 8
MAX_NICS = 64
#: MACs kept beyond what the machine has, to name them; more are a flood.
_SPARE = 32


@dataclass(frozen=True, slots=True)
class Candidate:
    """A MAC that is new since the machine was powered: its address, and its slot if the client told that."""

    mac: str
    ip: str
    slot: int | None


@dataclass
class Window:
    """``own``: MACs that an earlier turn of this machine proved to be in it, without their slots."""

    node: str
    opened: float
    slots: int
    own: frozenset[str] = frozenset()
    candidates: dict[str, Candidate] = field(default_factory=dict)  # in the order heard
    listed: dict[str, Place] = field(default_factory=dict)  # expected in another machine by a list
    anew: dict[str, set[str]] = field(default_factory=dict)  # of other machines, heard as if they had just come up
    uncertain: set[str] = field(default_factory=set)  # heard before the window, and again when that was due
    told: list[tuple[str, ...]] = field(default_factory=list)
    flooded: bool = False
    last_new: float = 0.0

    @property
    def full(self) -> bool:
        """Whether as many new MACs were heard as the machine has cables, or more."""
        return self.flooded or len(self.candidates) >= self.slots

    def hear(self, lease: Lease, fresh: bool, place: Place | None, loose_in: str) -> None:
        """Note a lease that was given in this window; ``fresh``: as if its client had just come up."""
        if self.flooded:
            return
        mac = lease.mac
        if loose_in or (place is not None and place.node != self.node):
            self._hear_other(mac, fresh, place, loose_in)
        elif mac in self.candidates:
            known = self.candidates[mac]
            slot = lease.slot if lease.slot is not None else known.slot
            self.candidates[mac] = Candidate(mac, lease.ip, slot)
        elif fresh or mac in self.own or (place is not None and place.state in (State.SEEN, State.VERIFIED)):
            self._make_room(self.candidates)
            self.candidates[mac] = Candidate(mac, lease.ip, lease.slot)
            self.last_new = lease.at
        else:
            self._make_room(self.uncertain)
            self.uncertain.add(mac)

    def tell(self, macs: tuple[str, ...]) -> None:
        """Note what one machine says of its own NICs."""
        if len(self.told) < MAX_TOLD and macs not in self.told:
            self.told.append(macs[:MAX_NICS])

    def _hear_other(self, mac: str, fresh: bool, place: Place | None, loose_in: str) -> None:
        if not fresh:
            return
        if place is not None and place.state is State.EXPECTED:
            self._make_room(self.listed)
            self.listed[mac] = place
        else:
            macs = self.anew.setdefault(loose_in or (place.node if place is not None else ""), set())
            self._make_room(macs)
            macs.add(mac)

    def _make_room(self, full: dict[str, Candidate] | dict[str, Place] | set[str]) -> None:
        """Call it a flood when there is no end to it."""
        if len(full) >= 2 * self.slots + _SPARE:
            self.flooded = True
