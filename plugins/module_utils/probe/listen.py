# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder's ears: sockets for ARP frames and for multicast datagrams, and what they count."""

from __future__ import annotations

import ctypes
import socket
import struct
from collections import Counter
from typing import Any

from . import packets

#: Distinct ARP frames and datagrams kept; more are counted only, so that a storm does not fill the memory.
KEPT = 1 << 16
#: asm-generic/socket.h, linux/if_packet.h, linux/in.h: not named by Python's socket module.
_SO_ATTACH_FILTER, _SO_RCVBUFFORCE = 26, 33
_SOL_PACKET, _PACKET_STATISTICS, _PACKET_OUTGOING = 263, 6, 4
_IP_MULTICAST_ALL = 49
_RECEIVE_BUFFER = 8 << 20


def packet_socket(nic: str, program: bytes = b"") -> socket.socket:
    """A raw packet socket on ``nic``; it gets what ``program`` (classic BPF) lets through, frames that are sent too."""
    new = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    if program:
        # The filter comes before the binding: nothing else is ever queued.
        code = ctypes.create_string_buffer(program)
        steps = struct.pack("HL", len(program) // 8, ctypes.addressof(code))
        new.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, steps)
        new.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)
    new.bind((nic, packets.ETH_P_ALL if program else 0))
    return new


def group_socket(group: str, port: int) -> socket.socket:
    """A UDP socket that joins ``group`` as any program does: by the interface that the routing table gives."""
    new = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    new.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)
    new.setsockopt(socket.IPPROTO_IP, packets.IP_PKTINFO, 1)
    new.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
    new.bind((group, port))
    new.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack("4s4s", socket.inet_aton(group), b"\0" * 4))
    return new


def send_datagrams(group: str, port: int, label: str, count: int) -> str:
    """Send ``count`` numbered datagrams of ``label`` to the group, by the route to it; what went wrong, or ""."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for number in range(count):
            try:
                sender.sendto(f"{label} {number}".encode(), (group, port))
            except OSError as error:
                return str(error)
    return ""


class ArpEar:
    """Counts the ARP frames of the given NICs."""

    def __init__(self, nics: list[str]) -> None:
        program = packets.arp_filter()
        self.sockets = [packet_socket(nic, program) for nic in nics]
        self._frames: Counter[tuple[str, str, str, str, str, str]] = Counter()
        self._more = 0

    def hear(self, ready: socket.socket) -> None:
        """Take one frame from one of the sockets."""
        frame, origin = ready.recvfrom(256)
        fields = packets.parse_arp(frame)
        if fields is None:
            return
        key = (origin[0], "sent" if origin[2] == _PACKET_OUTGOING else "seen", *fields)
        if key in self._frames or len(self._frames) < KEPT:
            self._frames[key] += 1
        else:
            self._more += 1

    def report(self) -> dict[str, Any]:
        """Frames as [NIC, "sent" or "seen", operation, MAC, its address, address asked for, count]; what was lost."""
        drops = (struct.unpack("II", one.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))[1] for one in self.sockets)
        frames = [[*key, count] for key, count in sorted(self._frames.items())]
        return {"frames": frames, "lost": sum(drops) + self._more}


class GroupEar:
    """Counts the datagrams of one run (``token``) of the probe, by sender, number and NIC of arrival."""

    def __init__(self, group: str, port: int, token: str) -> None:
        self.sockets = [group_socket(group, port)]
        self._token = token
        self._heard: Counter[tuple[str, int, str]] = Counter()

    def hear(self, ready: socket.socket) -> None:
        """Take one datagram from the socket."""
        data, ancillary, _, _ = ready.recvmsg(512, 256)
        token, _, rest = data.decode("ascii", "replace").partition(" ")
        sender, _, number = rest.rpartition(" ")
        if token != self._token or not number.isdigit() or len(self._heard) >= KEPT:
            return
        try:
            nic = socket.if_indextoname(packets.arrival(ancillary))
        except OSError:
            nic = "?"
        self._heard[(sender, int(number), nic)] += 1

    def report(self) -> list[list[Any]]:
        """What was heard as [sender, number, NIC, count]."""
        return [[*key, count] for key, count in sorted(self._heard.items())]


def multicast_deviations(expected: dict[str, str], heard: list[list[Any]], count: int) -> dict[str, str]:
    """Hold what was heard against ``expected`` (sender → NIC): every number below ``count`` once, by that NIC."""
    found: dict[str, dict[int, Counter[str]]] = {}
    for sender, number, nic, times in heard:
        found.setdefault(sender, {}).setdefault(number, Counter())[nic] += times
    wrong = {}
    for sender, nic in expected.items():
        numbers = found.get(sender, {})
        once = sum(1 for number in range(count) if numbers.get(number) == Counter({nic: 1}))
        if once != count:
            by = ", ".join(
                f"{times} by {name}" for name, times in sorted(sum(numbers.values(), Counter[str]()).items())
            )
            wrong[sender] = f"{once} of {count} once by {nic}" + (f" (came: {by})" if by else " (none came)")
    return wrong
