# SPDX-License-Identifier: Apache-2.0
"""The head's journal: one JSON object a line, written by dnsmasq's hook (what was leased) and by the playbook (marks).

A line is {"at": seconds since 1970, "event": …} with, by event:

- ``add``, ``old``, ``del`` (dnsmasq(8), --dhcp-script): ``mac``, ``ip``, ``expires`` (the lease's end, seconds
  since 1970), ``host``, ``vendor``, ``user``;
- ``begin``: ``lease``, the seconds that a lease lasts from here on;
- ``open``, ``close``, ``saved``: ``node``, the machine that is about to be powered, the end of its turn, and that what
  followed from it is in macs.yml;
- ``report``: ``macs``, all NICs of one machine in its kernel's order.

A crash may cut a line short and anybody on the wire chooses names: a line that is not exactly this is counted and left.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from flathood.registry.model import normal_mac
from flathood.spec.fields import LABEL

#: Longest line, bytes; the hook cuts what clients say to 64 characters each.
MAX_LINE = 4096
_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
# A machine that can say which of its NICs is asking does so in its vendor class or user class. No equals sign: dnsmasq
# hands on what is before the first one only, as it passes classes on in the environment.
_SLOT = re.compile(r"flathood:slot:(\d{1,3})")


@dataclass(frozen=True, slots=True)
class Lease:
    """One lease was given (`add`), told again or renewed (`old`), or has ended (`del`)."""

    at: float
    event: str
    mac: str
    ip: str
    expires: float | None
    slot: int | None


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that the playbook did: `begin`, `open`, `close` or `saved`; ``lease`` in seconds belongs to `begin`."""

    at: float
    event: str
    node: str = ""
    lease: float = 0.0


@dataclass(frozen=True, slots=True)
class Told:
    """All NICs of one machine in its kernel's order, as it told them over ssh."""

    at: float
    macs: tuple[str, ...]


Entry = Lease | Mark | Told


class Unreadable(ValueError):
    """A line that is no entry."""


def parse_line(line: str | bytes) -> Entry:
    """One line as an entry; raises Unreadable.

    >>> parse_line('{"at": 1.5, "event": "open", "node": "k07"}')
    Mark(at=1.5, event='open', node='k07', lease=0.0)
    """
    if len(line) > MAX_LINE:
        raise Unreadable("too long")
    try:
        said = json.loads(line)
        return _entry(said, float(said["at"]), said["event"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise Unreadable(str(error)) from None


def read_journal(lines: Iterable[str | bytes]) -> Iterator[Entry | None]:
    """The entries of a journal in its order; None for each line that is none."""
    for line in lines:
        try:
            yield parse_line(line)
        except Unreadable:
            if line.strip():
                yield None


def _entry(said: dict[str, Any], at: float, event: str) -> Entry:
    if not 0 <= at < 1e11:
        raise Unreadable("no moment")
    if event in ("add", "old", "del"):
        return _lease(said, at, event)
    if event in ("open", "close", "saved"):
        if not LABEL.fullmatch(said["node"]):
            raise Unreadable("no name of a machine")
        return Mark(at, event, node=said["node"])
    if event == "begin":
        return Mark(at, event, lease=float(said["lease"]))
    if event == "report":
        return Told(at, tuple(normal_mac(mac) for mac in said["macs"]))
    raise Unreadable("no event")


def _lease(said: dict[str, Any], at: float, event: str) -> Lease:
    mac = said["mac"]
    # dnsmasq puts the type before addresses that are not Ethernet's; those and group addresses are no NICs of ours.
    if not _MAC.fullmatch(mac) or int(mac[1], 16) & 1 or mac == "00:00:00:00:00:00":
        raise Unreadable("no MAC address")
    expires = said.get("expires")
    hint = _SLOT.fullmatch(said.get("vendor", "")) or _SLOT.fullmatch(said.get("user", ""))
    return Lease(
        at=at,
        event=event,
        mac=mac,
        ip=str(said.get("ip", "")),
        expires=float(expires) if expires else None,
        slot=int(hint[1]) if hint else None,
    )
