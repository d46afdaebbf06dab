# SPDX-License-Identifier: Apache-2.0
"""From who heard whom to which NICs are on one switch, and to which switch each such domain is.

Probes tell which NICs are together, not where: domains have no names. They get those that fit best to what other
evidence says of their NICs, else to the plan (an assignment problem). So probes alone cannot tell that two whole
switches have been exchanged; such an exchange does no harm either.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import linear_sum_assignment

from flathood.cabling.evidence import Frames
from flathood.cabling.identify import Identified
from flathood.cabling.picture import DARK, Nic, Places

#: How much a NIC's planned switch counts for a domain's name beside what other evidence says of it.
_PLAN = 0.01


@dataclass
class Domains:
    """Domains of one round of probes: NICs that heard each other, directly or through others."""

    of: dict[Nic, int] = field(default_factory=dict)
    alone: list[Nic] = field(default_factory=list)
    one_way: list[Nic] = field(default_factory=list)

    @property
    def members(self) -> list[list[Nic]]:
        """The NICs of each domain."""
        lists: list[list[Nic]] = [[] for _ in range(max(self.of.values(), default=-1) + 1)]
        for nic, number in self.of.items():
            lists[number].append(nic)
        return lists


def partition(frames: Frames, found: Identified) -> Domains:
    """The domains of one round; NICs that listened, have a carrier and heard nobody are `alone`."""
    root: dict[str, str] = {device: device for device in found.by_device}

    def top(device: str) -> str:
        while root[device] != device:
            root[device] = root[root[device]]
            device = root[device]
        return device

    known = [[device for device in heard if device in root] for heard in frames.heard]
    for heard in known:
        for device in heard[1:]:
            root[top(device)] = top(heard[0])
    was_heard: Counter[str] = Counter()
    listeners = Counter(number for device, number in frames.by.items() if device in root)
    for number, count in listeners.items():
        for device in known[number]:
            was_heard[device] += count
    domains = Domains()
    for device, number in frames.by.items():
        others = [one for one in known[number] if one != device] if device in root else []
        if not others:
            continue
        root[top(device)] = top(others[0])
        if was_heard[device] - (device in known[number]) <= 0:
            domains.one_way.append(found.by_device[device])
    sizes = Counter(top(device) for device in root)
    numbers: dict[str, int] = {}
    for device in sorted(root):
        nic = found.by_device[device]
        if sizes[top(device)] > 1:
            domains.of[nic] = numbers.setdefault(top(device), len(numbers))
        elif device in frames.by and found.carriers.get(nic) is not False:
            domains.alone.append(nic)
    return domains


def name(
    domains: Domains,
    switches: tuple[str, ...],
    uplink: str,
    planned: Mapping[Nic, str],
    said: Callable[[Nic], str | None],
) -> tuple[dict[Nic, Places], list[Places]]:
    """The switches that each NIC may be on, and the sets of switches that are joined to one domain.

    ``said`` is what other evidence says of a NIC. A switch that no domain is left for and whose NICs are for the most
    part in another switch's domain is joined to it. Who hears nobody is on a switch without others, or on the uplink
    switch, which has no power.
    """
    members = domains.members
    column = {switch: number for number, switch in enumerate(switches)}
    votes = np.zeros((len(members), len(switches)))
    for row, nics in enumerate(members):
        for nic in nics:
            for switch, weight in ((said(nic), 1.0), (planned.get(nic), _PLAN)):
                if switch in column:
                    votes[row, column[switch]] += weight
    rows, columns = linear_sum_assignment(votes, maximize=True)
    names: dict[int, set[str]] = {row: set() for row in range(len(members))}
    for row, chosen in zip(rows.tolist(), columns.tolist(), strict=True):
        if votes[row, chosen] > 0:
            names[row].add(switches[chosen])
    taken = {switch for chosen in names.values() for switch in chosen}
    everyone = Counter(_home(nic, planned, said) for nic in planned)
    for switch in switches:
        inside = [Counter(_home(nic, planned, said) for nic in nics)[switch] for nics in members]
        most = max(range(len(members)), key=inside.__getitem__, default=None)
        if most is not None and switch not in taken and 2 * inside[most] > max(everyone[switch], 2):
            names[most].add(switch)
    left = frozenset(switches) - taken
    places = {nic: frozenset(names[row]) for row, nics in enumerate(members) for nic in nics if names[row]}
    empty = left - {switch for chosen in names.values() for switch in chosen}
    places |= {nic: empty | {uplink} for nic in domains.alone}
    return places, [frozenset(chosen) for chosen in names.values() if len(chosen) > 1]


def _home(nic: Nic, planned: Mapping[Nic, str], said: Callable[[Nic], str | None]) -> str | None:
    """Where a NIC is by other evidence, else where it should be."""
    told = said(nic)
    return planned.get(nic) if told is None or told == DARK else told


def cut_off(domains: Domains, switches: Iterable[str], place: Callable[[Nic], str | None]) -> list[str]:
    """Switches whose NICs, with the uplink switch on, are in another domain than most NICs are."""
    most = Counter(domains.of.values()).most_common(1)
    if not most:
        return []
    on: dict[str, set[int]] = {}
    for nic in (*domains.of, *domains.alone):
        switch = place(nic)
        if switch is not None and switch != DARK:
            on.setdefault(switch, set()).add(domains.of.get(nic, -1))
    return [switch for switch in switches if on.get(switch) and most[0][0] not in on[switch]]
