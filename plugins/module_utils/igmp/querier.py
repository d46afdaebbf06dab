# SPDX-License-Identifier: GPL-3.0-or-later
"""The querier, as its service runs it: asks on one NIC, unless somebody with a lower address does.

Who asks is settled as in RFC 3376, section 6.6.2.
"""

from __future__ import annotations

import contextlib
import fcntl
import select
import socket
import struct
import sys
import time
from ipaddress import IPv4Address
from pathlib import Path

from . import packets

#: netdevice(7): the address of a device, in a struct ifreq.
_SIOCGIFADDR, _IFREQ = 0x8915, struct.Struct("16s4x4s16x")


class Turns:
    """When to ask. ``own``: this querier's address; one without an address (0.0.0.0) never outranks it."""

    def __init__(self, own: IPv4Address, now: float) -> None:
        self._own = own
        self._first = packets.FIRST_COUNT
        #: The moment of the next query.
        self.due = now

    def asked(self, now: float) -> None:
        """Take note that this querier has asked."""
        self._first = max(0, self._first - 1)
        self.due = now + (packets.FIRST if self._first else packets.INTERVAL)

    def heard(self, other: IPv4Address, now: float) -> None:
        """Take note that somebody else has asked."""
        if IPv4Address(0) < other < self._own:
            self.due = now + packets.OTHER


def run(device: str) -> None:
    """Ask on a device from now on, by its first address. Raises OSError when it has none."""
    line = socket.socket(socket.AF_INET, socket.SOCK_RAW, packets.IGMP)
    told = fcntl.ioctl(line, _SIOCGIFADDR, _IFREQ.pack(device.encode(), bytes(4)))
    own = IPv4Address(_IFREQ.unpack(told)[1])
    line.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    line.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, packets.ROUTER_ALERT)
    line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 1)
    line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    index = int(Path("/sys/class/net", device, "ifindex").read_text(encoding="ascii"))
    sender = struct.pack("4s4si", bytes(4), own.packed, index)
    line.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, sender)
    line.bind((str(own), 0))
    ear = socket.socket(socket.AF_INET, socket.SOCK_RAW, packets.IGMP)  # a bound socket hears no groups
    ear.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    turns = Turns(own, time.monotonic())
    while True:
        if time.monotonic() >= turns.due:
            with contextlib.suppress(OSError):  # no carrier: it is asked again next time
                line.sendto(packets.query(), (packets.ALL_SYSTEMS, 0))
            turns.asked(time.monotonic())
        ready, _, _ = select.select([ear], [], [], max(0.0, turns.due - time.monotonic()))
        if ready:
            other = packets.asker(ear.recv(2048))
            if other is not None:
                turns.heard(other, time.monotonic())


if __name__ == "__main__":
    run(sys.argv[1])
