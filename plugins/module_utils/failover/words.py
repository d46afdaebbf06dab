# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes tell each other about their NICs, as datagrams: a question, its answer, and which NICs are up and down."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from ipaddress import IPv4Address

#: UDP; not registered with IANA (RFC 6335, dynamic ports).
PORT = 51729
#: To all nodes: a group for experiments (RFC 4727) of those that every switch passes on everywhere (RFC 4541). A
#: broadcast would not do: on a NIC with ARP off the kernel sends it to the NIC's own MAC.
EVERYBODY = IPv4Address("224.0.0.254")
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

    def datagram(self) -> bytes:
        """As bytes."""
        told = {"up": {str(ip): mac for ip, mac in self.up.items()}, "down": sorted(map(str, self.down))}
        return _TELL + json.dumps(told, separators=(",", ":")).encode()


def parse(data: bytes) -> Word | None:
    """The word in a datagram; None for any other.

    >>> parse(Word({IPv4Address("10.80.0.3"): "02:00:5e:10:00:01"}, frozenset()).datagram()).down
    frozenset()
    """
    try:
        told = json.loads(data.removeprefix(_TELL)) if data.startswith(_TELL) else None
        up = {IPv4Address(str(ip)): str(mac) for ip, mac in told["up"].items()} if isinstance(told, dict) else {}
        down = frozenset(IPv4Address(str(ip)) for ip in told["down"]) if isinstance(told, dict) else frozenset()
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    good = (up or down) and all(map(_MAC.fullmatch, up.values())) and not down & up.keys()
    return Word(up, down) if good else None
