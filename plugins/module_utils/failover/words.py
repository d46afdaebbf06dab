# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes tell each other about their NICs: a question and its answer by UDP, and a word to all by Ethernet."""

from __future__ import annotations

import json
import re
import struct
from dataclasses import dataclass
from ipaddress import IPv4Address

#: Of UDP; not registered with IANA (RFC 6335, dynamic ports).
PORT = 51729
#: A word is an Ethernet broadcast ("Local Experimental Ethertype 1" of IEEE 802). By IP it would be lost where the
#: receiver's only way to the sender's address is the dead one (rp_filter), and with ARP off no IP broadcast leaves.
ETHERTYPE = 0x88B5
_HEADER = struct.Struct("!6s6sH")
_LEAST = 60
#: The most that is read; more NICs than fit no node has.
LONGEST = 1400
ASK, ANSWER = b"flathood-failover ask", b"flathood-failover answer"
_TELL = b"flathood-failover tell "
_MAC = re.compile(r"[0-9a-f]{2}(:[0-9a-f]{2}){5}")


@dataclass(frozen=True)
class Word:
    """What a node says of itself: its addresses on neighborhoods, those that work with their MACs."""

    up: dict[IPv4Address, str]
    down: frozenset[IPv4Address]

    def _text(self) -> bytes:
        told = {"up": {str(ip): mac for ip, mac in self.up.items()}, "down": sorted(map(str, self.down))}
        return _TELL + json.dumps(told, separators=(",", ":")).encode()

    def frame(self, mac: str) -> bytes:
        """As a broadcast from the NIC with a MAC."""
        head = _HEADER.pack(b"\xff" * 6, bytes.fromhex(mac.replace(":", "")), ETHERTYPE)
        return (head + self._text()).ljust(_LEAST, b"\0")


def parse(frame: bytes) -> Word | None:
    """The word in a frame; None for any other.

    >>> parse(Word({IPv4Address("10.80.0.3"): "02:00:5e:10:00:01"}, frozenset()).frame("02:00:5e:10:00:01")).down
    frozenset()
    """
    data = frame[_HEADER.size :].rstrip(b"\0")
    try:
        told = json.loads(data.removeprefix(_TELL)) if data.startswith(_TELL) else None
        up = {IPv4Address(str(ip)): str(mac) for ip, mac in told["up"].items()} if isinstance(told, dict) else {}
        down = frozenset(IPv4Address(str(ip)) for ip in told["down"]) if isinstance(told, dict) else frozenset()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    good = (up or down) and all(map(_MAC.fullmatch, up.values())) and not down & up.keys()
    return Word(up, down) if good else None
