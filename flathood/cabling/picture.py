# SPDX-License-Identifier: Apache-2.0
"""The as-is picture of a cabling: where each NIC's cable ends, as far as all evidence together tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

#: Where a NIC is when it is on no switch. No switch can have these names.
DARK, ABSENT = "(no carrier)", "(not found)"

#: Where a cable may end, by one kind of evidence or by all of them: one place, or several that it cannot tell apart.
Places = frozenset[str]


@dataclass(frozen=True, order=True)
class Nic:
    """A NIC of the plan: machine and slot."""

    machine: str
    slot: int

    def __str__(self) -> str:
        """Return how a NIC is written: ``k17:2``."""
        return f"{self.machine}:{self.slot}"

    @property
    def device(self) -> str:
        """Its name in a provisioned machine."""
        return f"fnn{self.slot}"


@dataclass(frozen=True)
class Stranger:
    """A MAC that no file knows, and where it is."""

    mac: str
    places: Places
    machine: str | None = None


@dataclass(frozen=True)
class OtherMac:
    """A NIC that carries another MAC than macs.yml has for its slot."""

    nic: Nic
    expected: str
    found: str


@dataclass
class Picture:
    """What all evidence together says; a NIC that is missing in `places` is one that nothing is known of.

    ``told`` keeps what each kind of evidence said of each NIC; ``disagreements`` are the NICs of which two kinds said
    what cannot both be; these are in ``places`` only when a majority of the kinds agrees. ``warnings`` make the picture
    less than certain, ``notes`` do not.
    """

    places: dict[Nic, Places] = field(default_factory=dict)
    told: dict[Nic, dict[str, Places]] = field(default_factory=dict)
    disagreements: list[Nic] = field(default_factory=list)
    joined: list[Places] = field(default_factory=list)
    cut: list[str] = field(default_factory=list)
    strangers: list[Stranger] = field(default_factory=list)
    other_macs: list[OtherMac] = field(default_factory=list)
    moved: dict[Nic, str] = field(default_factory=dict)
    twice: dict[str, tuple[str, ...]] = field(default_factory=dict)
    flapping: dict[Nic, tuple[str, ...]] = field(default_factory=dict)
    one_way: list[Nic] = field(default_factory=list)
    silent: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def one(self, nic: Nic) -> str | None:
        """The one place of a NIC; None where it may be in several, or nothing is known."""
        places = self.places.get(nic, frozenset())
        return next(iter(places)) if len(places) == 1 else None


def combine(told: Mapping[str, Places]) -> tuple[Places, bool]:
    """The places that all kinds of evidence allow, and whether they agree.

    Where no place suits all, the places that more than half of the kinds allow are taken; else none.

    >>> combine({"carriers": frozenset({"red"}), "frames": frozenset({"red", "blue"})})
    (frozenset({'red'}), True)
    >>> combine({"carriers": frozenset({"red"}), "frames": frozenset({"blue"})})
    (frozenset(), False)

    """
    everyone = list(told.values())
    common = frozenset.intersection(*everyone)
    if common:
        return common, True
    votes = {place: sum(place in places for places in everyone) for places in everyone for place in places}
    return frozenset(place for place, count in votes.items() if 2 * count > len(everyone)), False
