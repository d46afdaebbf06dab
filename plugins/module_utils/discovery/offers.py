# SPDX-License-Identifier: GPL-3.0-or-later
"""Who else serves DHCP here: a DHCPDISCOVER by broadcast (RFC 2131), and the servers that answer it or others."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import time

_COOKIE = b"\x63\x82\x53\x63"
_SERVER_ID, _TYPE, _END = 54, 53, 255
#: Seconds between two questions.
_AGAIN = 1.0
#: Servers that are named.
_MOST = 8


def other_servers(device: str, seconds: float) -> list[str]:
    """Addresses (and MACs) of the DHCP servers that answer on the wire of a device; this machine's own is not one."""
    question = discover(b"\x02" + os.urandom(5), os.urandom(4))
    found: dict[str, None] = {}
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800)) as wire:
        wire.bind((device, 0))
        ask = time.monotonic()
        deadline = ask + seconds
        while (now := time.monotonic()) < deadline and len(found) < _MOST:
            if now >= ask:
                # A frame may be lost, as while a switch learns of a new port.
                wire.send(question)
                ask = now + _AGAIN
            wire.settimeout(max(0.01, min(ask, deadline) - now))
            with contextlib.suppress(TimeoutError):
                frame, sender = wire.recvfrom(2048)
                server = answer(frame)
                if server and sender[2] != socket.PACKET_OUTGOING:
                    found[f"{server} ({frame[6:12].hex(':')})"] = None
    return list(found)


def discover(mac: bytes, number: bytes) -> bytes:
    """Build the frame: Ethernet, IPv4, UDP, BOOTP with the broadcast flag, so that the answer is one, too."""
    bootp = struct.pack("!BBBB4sHH16s16s192x", 1, 1, 6, 0, number, 0, 0x8000, b"", mac.ljust(16, b"\0"))
    bootp += _COOKIE + bytes([_TYPE, 1, 1, _END])
    udp = struct.pack("!HHHH", 68, 67, 8 + len(bootp), 0) + bootp
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, bytes(4), b"\xff" * 4)
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    return b"\xff" * 6 + mac + b"\x08\x00" + header + udp


def answer(frame: bytes) -> str:
    """Read the server's address in a frame that is some DHCP server's answer; empty for any other."""
    if len(frame) < 14 + 20 or frame[23] != 17:
        return ""
    udp = 14 + (frame[14] & 15) * 4
    bootp = frame[udp + 8 :]
    if frame[udp : udp + 4] != struct.pack("!HH", 67, 68) or bootp[:1] != b"\x02" or bootp[236:240] != _COOKIE:
        return ""
    at, options = 240, {}
    while at + 1 < len(bootp) and bootp[at] != _END:
        if bootp[at] == 0:
            at += 1
            continue
        options[bootp[at]] = bootp[at + 2 : at + 2 + bootp[at + 1]]
        at += 2 + bootp[at + 1]
    server = options.get(_SERVER_ID, b"")
    return socket.inet_ntoa(server) if len(server) == 4 else socket.inet_ntoa(frame[26:30])


def checksum(header: bytes) -> int:
    """Compute the checksum of an IPv4 header (RFC 791)."""
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF
