# SPDX-License-Identifier: GPL-3.0-or-later
"""Queries of IGMP as bytes (RFC 3376 section 4.1), and how often they are sent (section 8)."""

from __future__ import annotations

import struct
from ipaddress import IPv4Address

#: IP protocol number, and where queries go.
IGMP, ALL_SYSTEMS = 2, "224.0.0.1"
#: The option Router Alert (RFC 2113), which every IGMP message carries.
ROUTER_ALERT = bytes((0x94, 4, 0, 0))
_QUERY = 0x11
#: Seconds between two queries, and between the first ones; how many first ones.
INTERVAL, FIRST, FIRST_COUNT = 125.0, 31.25, 2
#: Tenths of a second in which members answer. The code of the interval is itself below 128 (section 4.1.7).
_ANSWER, _ROBUSTNESS = 100, 2
#: Seconds after the last query of a querier with a lower address, until this one asks again.
OTHER = _ROBUSTNESS * INTERVAL + _ANSWER / 20
_FORM = struct.Struct("!BBH4sBBH")


def query() -> bytes:
    """A general query, which asks about all groups.

    >>> len(query()), checksum(query())
    (12, 0)
    """
    fields = (bytes(4), _ROBUSTNESS, round(INTERVAL), 0)
    return _FORM.pack(_QUERY, _ANSWER, checksum(_FORM.pack(_QUERY, _ANSWER, 0, *fields)), *fields)


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071); of a message that has a right one it is 0."""
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def asker(packet: bytes) -> IPv4Address | None:
    """Who sent a query, of any version, as a raw socket gives it with its IP header; None for anything else."""
    body = packet[4 * (packet[0] & 15) :] if packet else b""
    whole = len(packet) >= 20 and len(body) >= 8 and len(body) % 2 == 0 and body[0] == _QUERY and not checksum(body)
    return IPv4Address(packet[12:16]) if whole else None
