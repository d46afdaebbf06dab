# SPDX-License-Identifier: GPL-3.0-or-later
"""The probes that NICs send to find each other, as bytes; and what a netlink message says of carriers."""

from __future__ import annotations

import json
import socket
import struct
from typing import Any

#: "Local Experimental Ethertype 2" of IEEE 802: no host and no switch gives it a meaning.
ETHERTYPE = 0x88B6
#: The least that a frame holds; the most of a machine's word about itself, so that a probe fits the least MTU (576).
_LEAST, _MOST_WORD = 60, 440
#: The most that is read of a frame.
LONGEST = 1514
_BEGIN = b"flathood2"
_HEADER = struct.Struct("!6s6sH9s16sB")
# netlink(7), rtnetlink(7): messages about links; linux/if.h: IFF_LOWER_UP.
NETLINK_ROUTE, RTMGRP_LINK = 0, 1
_RTM_NEWLINK, _RTM_DELLINK, _LOWER_UP = 16, 17, 1 << 16
_MESSAGE, _LINK = struct.Struct("=IHHII"), struct.Struct("=BxHiII")


def word(nics: list[dict[str, Any]]) -> bytes:
    """A machine's NICs in short, for others to pass on; nothing when there are too many for a frame.

    >>> word([{"device": "fnn0", "mac": "02:00:5e:10:00:01", "path": None, "carrier": True}])
    b'[["fnn0","02:00:5e:10:00:01",true]]'
    """
    told = [[nic["device"], nic["mac"], nic["carrier"]] for nic in nics]
    text = json.dumps(told, separators=(",", ":")).encode()
    return text if len(text) <= _MOST_WORD else b""


def probe(mac: str, token: str, number: int, name: str, told: bytes = b"") -> bytes:
    """One broadcast frame of a round that says which NIC it is from, and which NICs its machine has."""
    source = bytes.fromhex(mac.replace(":", ""))
    head = _HEADER.pack(b"\xff" * 6, source, ETHERTYPE, _BEGIN, token.encode()[:16], number)
    parts = (name.encode()[:255], told)
    return (head + b"".join(struct.pack("!H", len(part)) + part for part in parts)).ljust(_LEAST, b"\0")


def parse(frame: bytes) -> tuple[str, int, str, bytes] | None:
    """Token, round, sender and its machine's word of a probe; None for any other frame."""
    if len(frame) < _HEADER.size:
        return None
    _, _, ethertype, begin, run, number = _HEADER.unpack_from(frame)
    name, rest = _part(frame[_HEADER.size :])
    told, _ = _part(rest)
    if (ethertype, begin) != (ETHERTYPE, _BEGIN) or not name or len(told) > _MOST_WORD:
        return None
    token, text = run.rstrip(b"\0").decode("ascii", "replace"), name.decode("ascii", "replace")
    if not (token.isprintable() and text.isprintable() and text.count("/") == 1):
        return None
    return token, number, text, told


def _part(rest: bytes) -> tuple[bytes, bytes]:
    """One length and what it is the length of; nothing when the frame is shorter."""
    size = int.from_bytes(rest[:2], "big")
    return (rest[2 : 2 + size], rest[2 + size :]) if 0 < size <= len(rest) - 2 else (b"", b"")


def link_changes(data: bytes) -> list[tuple[int, bool | None]]:
    """Index and carrier of every link that a netlink datagram tells of; None: the link is gone."""
    found: list[tuple[int, bool | None]] = []
    at = 0
    while at + _MESSAGE.size <= len(data):
        size, kind, *_ = _MESSAGE.unpack_from(data, at)
        if size < _MESSAGE.size:
            break
        if kind in (_RTM_NEWLINK, _RTM_DELLINK) and at + _MESSAGE.size + _LINK.size <= len(data):
            family, _, index, flags, _ = _LINK.unpack_from(data, at + _MESSAGE.size)
            if family == socket.AF_UNSPEC:  # else a bridge's word about its port
                found.append((index, bool(flags & _LOWER_UP) if kind == _RTM_NEWLINK else None))
        at += (size + 3) & ~3
    return found
