# SPDX-License-Identifier: GPL-3.0-or-later
"""Wire formats of the probe: ICMP echo (RFC 792), ARP (RFC 826), and the frame by which a NIC makes itself known."""

from __future__ import annotations

import socket
import struct

ETH_P_ALL = 0x0003
ETH_P_ARP = 0x0806
#: "Local Experimental Ethertype 1" of IEEE 802: no host and no switch gives it a meaning.
ETH_P_EXPERIMENT = 0x88B5
ECHO_REPLY, UNREACHABLE, ECHO_REQUEST = 0, 3, 8
FRAGMENTATION_NEEDED = 4
#: Bytes of an IPv4 header without options plus an ICMP header: what a ping has around its payload.
OVERHEAD = 28
#: linux/in.h; Python's socket module does not name it before 3.14.
IP_PKTINFO = 8
ARP_NAMES = {1: "request", 2: "reply"}
_HEADER = struct.Struct("!BBHHH")
_ARP = struct.Struct("!HHBBH6s4s6s4s")
# Classic BPF (linux/filter.h): load the half word at byte 12, accept the frame if it is the ethertype, else drop it.
_ONLY_ETHERTYPE = ((0x28, 0, 0, 12), (0x15, 0, 1, ETH_P_ARP), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0))


def arp_filter() -> bytes:
    """The BPF program "ARP frames only", as an array of ``struct sock_filter``."""
    return b"".join(struct.pack("HBBI", *step) for step in _ONLY_ETHERTYPE)


def checksum(data: bytes) -> int:
    """The Internet checksum of RFC 1071."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def echo_request(ident: int, sequence: int, size: int) -> bytes:
    """An ICMP echo request that makes an IPv4 packet of ``size`` bytes in all (at least 28)."""
    payload = bytes(index & 0xFF for index in range(max(0, size - OVERHEAD)))
    bare = _HEADER.pack(ECHO_REQUEST, 0, 0, ident, sequence) + payload
    return _HEADER.pack(ECHO_REQUEST, 0, checksum(bare), ident, sequence) + payload


def parse_icmp(packet: bytes, ident: int) -> tuple[int, int, int, str, int] | None:
    """Read what a raw ICMP socket received, IPv4 header included.

    Returns (type, code, sequence, address of the sender, size of the IPv4 packet) for an echo reply of ``ident``, or
    for an "unreachable" that quotes an echo request of ``ident``; None for anything else.
    """
    if len(packet) < OVERHEAD:
        return None
    start = (packet[0] & 0x0F) * 4
    if len(packet) < start + 8:
        return None
    kind, code = packet[start], packet[start + 1]
    sender = socket.inet_ntoa(packet[12:16])
    if kind == UNREACHABLE:
        inner = packet[start + 8 :]
        offset = (inner[0] & 0x0F) * 4 if inner else 0
        if len(inner) < offset + 8 or inner[offset] != ECHO_REQUEST:
            return None
        its_ident, sequence = struct.unpack_from("!HH", inner, offset + 4)
    elif kind == ECHO_REPLY:
        its_ident, sequence = struct.unpack_from("!HH", packet, start + 4)
    else:
        return None
    return (kind, code, sequence, sender, len(packet)) if its_ident == ident else None


def parse_arp(frame: bytes) -> tuple[str, str, str, str] | None:
    """(operation, sender's MAC, sender's address, address asked for) of an Ethernet frame, or None."""
    if len(frame) < 14 + _ARP.size or frame[12:14] != struct.pack("!H", ETH_P_ARP):
        return None
    fields = _ARP.unpack_from(frame, 14)
    operation = ARP_NAMES.get(fields[4], str(fields[4]))
    return operation, fields[5].hex(":"), socket.inet_ntoa(fields[6]), socket.inet_ntoa(fields[8])


def announcement(mac: str) -> bytes:
    """A broadcast frame without meaning: every switch on its way learns behind which port ``mac`` is."""
    source = bytes.fromhex(mac.replace(":", ""))
    return b"\xff" * 6 + source + struct.pack("!H", ETH_P_EXPERIMENT) + b"flathood".ljust(46, b"\0")


def arrival(ancillary: list[tuple[int, int, bytes]]) -> int:
    """The index of the interface that a datagram came in by, of its IP_PKTINFO message; 0 if there is none."""
    for level, kind, data in ancillary:
        if level == socket.IPPROTO_IP and kind == IP_PKTINFO:
            return int(struct.unpack_from("i", data)[0])
    return 0
