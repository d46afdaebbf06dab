# SPDX-License-Identifier: Apache-2.0
"""Every machine's addresses together, as their own files configure them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from enum import IntEnum
from ipaddress import IPv4Network
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.cabling import Cabling
from flathood.plan.proof.findings import AGAIN, Finding, Ledger, Report
from flathood.plan.proof.syntax import dotted
from flathood.plan.views.base import Options

Ints = npt.NDArray[np.int64]


class Role(IntEnum):
    """What an address is for."""

    NEIGHBORHOOD = 0
    NODE = 1
    OUTSIDE = 2


class Configured(NamedTuple):
    """One address of one machine; ``slot`` -1: on no NIC."""

    machine: int
    slot: int
    role: Role
    ip: int
    length: int
    file: str


@dataclass(frozen=True, eq=False)
class World:
    """Columns of all addresses, sorted by address, one row each; ``segment`` is that of the NIC (see `Cabling`)."""

    cabling: Cabling
    options: Options
    ip: Ints
    machine: Ints
    slot: Ints
    role: Ints
    length: Ints
    segment: Ints

    def find(self, addresses: Ints) -> Ints:
        """Row of each address, -1 where nobody has it."""
        if not len(self.ip):
            return np.full(len(addresses), -1, dtype=np.int64)
        place = np.searchsorted(self.ip, addresses).clip(max=len(self.ip) - 1)
        return np.where(self.ip[place] == addresses, place, -1)

    def row(self, machine: int, role: Role, segment: int | None = None) -> int:
        """Row of a machine's one address of a role (and on a segment); -1 where it has none."""
        mask = (self.machine == machine) & (self.role == role)
        if segment is not None:
            mask &= self.segment == segment
        rows = np.flatnonzero(mask)
        return int(rows[0]) if len(rows) else -1


def gather(cabling: Cabling, options: Options, configured: list[Configured], report: Report) -> World:
    """Put all machines' addresses together and check what can be seen only so; an address told twice is kept once."""
    _check_subnets(cabling, configured, report)
    first: dict[int, Configured] = {}
    for entry in configured:
        other = first.setdefault(entry.ip, entry)
        if other is entry:
            report.proved["addresses"] += 1
        else:
            message = f"{dotted(entry.ip)} is {cabling.names[other.machine]}'s, too"
            _fail(report, cabling, entry, message)
    rows = sorted(first.values(), key=lambda entry: entry.ip)
    columns = np.array([(e.ip, e.machine, e.slot, e.role, e.length) for e in rows], dtype=np.int64).reshape(-1, 5).T
    ip, machine, slot, role, length = columns
    segment = np.where(slot >= 0, cabling.segment[machine, slot], -1)
    return World(cabling, options, ip, machine, slot, role, length, segment)


def _check_subnets(cabling: Cabling, configured: list[Configured], report: Report) -> None:
    """All NICs of a segment are in one subnet (the one that most are in), and no other segment's overlaps it."""
    by_segment: dict[int, list[tuple[str, Configured]]] = {}
    for entry in configured:
        if entry.role == Role.NEIGHBORHOOD:
            subnet = f"{dotted(entry.ip & (-1 << (32 - entry.length)))}/{entry.length}"
            by_segment.setdefault(int(cabling.segment[entry.machine, entry.slot]), []).append((subnet, entry))
    subnets = []
    for segment, members in by_segment.items():
        most = Counter(subnet for subnet, _ in members).most_common(1)[0][0]
        subnets.append((IPv4Network(most), segment))
        for subnet, entry in members:
            if subnet != most:
                message = (
                    f"{dotted(entry.ip)}/{entry.length} is not in {most}, where the others on this neighborhood are"
                )
                _fail(report, cabling, entry, message)
    for (one, left), (two, right) in pairwise(sorted(subnets)):
        if one.overlaps(two):
            names = f"{cabling.segments[left]} and {cabling.segments[right]}"
            message = f"the subnets of {names} overlap: {one} and {two}"
            report.failed["addresses"] += 1
            report.failures.append(Finding(cabling.cluster.cluster, "addresses", "", names, "", message, AGAIN))


def _fail(report: Report, cabling: Cabling, entry: Configured, message: str) -> None:
    ledger = Ledger(cabling.names[entry.machine])
    ledger.fail("addresses", cabling.place(entry.machine, entry.slot, entry.file), message)
    report.add(ledger.report)
