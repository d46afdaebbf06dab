# SPDX-License-Identifier: GPL-3.0-or-later
"""ICMP echo to many addresses from one process: full-size packets that must not be fragmented, then small ones."""

from __future__ import annotations

import os
import select
import socket
import struct
import time
from dataclasses import dataclass, field

from . import packets

#: linux/icmp.h, linux/in.h, asm-generic/socket.h: not named by Python's socket module on every supported release.
_SOL_RAW = 255
_ICMP_FILTER, _IP_MTU_DISCOVER, _PMTUDISC_PROBE, _SO_RCVBUFFORCE = 1, 10, 3, 33
_RECEIVE_BUFFER = 8 << 20
SMALL = 84
#: Seconds to wait after the last packet of a round, and the share of one link's rate that sending may take.
WAIT = 1.0
SHARE = 0.5


@dataclass
class Target:
    """One address, and the key that it goes by.

    The reply must come in by one of the NICs; the first is the one that the echo is counted for, and that the request
    is forced out by where it is ``bound``.
    """

    key: str
    address: str
    nics: tuple[str, ...]
    bound: bool
    reason: str = ""
    small: bool = False
    done: bool = False
    repeats: int = 0


@dataclass
class Tally:
    """Key → what was seen instead of a full-size reply; NIC → echoes, and how many had to be repeated."""

    failed: dict[str, str] = field(default_factory=dict)
    echoes: dict[str, int] = field(default_factory=dict)
    repeats: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class _Size:
    """One round's packets: bytes of each, seconds between two, and the bytes of a reply that counts as full-size."""

    packet: int
    pause: float
    full: int


class _Sockets:
    """One raw socket to receive, one to send for each NIC and one that lets the kernel route; closed together."""

    def __init__(self) -> None:
        self.ident = os.getpid() & 0xFFFF
        self._senders: dict[str, socket.socket] = {}
        self.receiver = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
        self.receiver.setsockopt(socket.IPPROTO_IP, packets.IP_PKTINFO, 1)
        self.receiver.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _RECEIVE_BUFFER)
        wanted = (1 << packets.ECHO_REPLY) | (1 << packets.UNREACHABLE)
        self.receiver.setsockopt(_SOL_RAW, _ICMP_FILTER, struct.pack("I", ~wanted & 0xFFFFFFFF))
        self.receiver.setblocking(False)

    def sender(self, nic: str) -> socket.socket:
        """The socket that sends by ``nic`` ("": as the routing table says), with "don't fragment" set."""
        if nic not in self._senders:
            new = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
            self._senders[nic] = new
            new.setsockopt(_SOL_RAW, _ICMP_FILTER, struct.pack("I", 0xFFFFFFFF))
            new.setsockopt(socket.IPPROTO_IP, _IP_MTU_DISCOVER, _PMTUDISC_PROBE)
            new.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", 1, 0))
            if nic:
                new.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, nic.encode())
        return self._senders[nic]

    def close(self) -> None:
        for one in (self.receiver, *self._senders.values()):
            one.close()


def echo_all(expected: dict[str, str], mtu: int, rate: int) -> Tally:
    """Ask every address of ``expected``, ADDRESS → ``bound NIC`` or ``routed NIC|NIC…``; bounded by five rounds.

    What comes after a % in a key only tells keys of the same address apart.
    ``mtu`` is the size of the packets in bytes, ``rate`` that of a link in bits per second. Three rounds go out at full
    size, each to those that have not answered yet; two of small packets then tell "nothing passes" from "only small
    packets pass".
    """
    targets = [
        Target(key, key.partition("%")[0], tuple(text.split()[1].split("|")), text.startswith("bound"))
        for key, text in expected.items()
    ]
    sockets = _Sockets()
    try:
        for size in (mtu, mtu, mtu, SMALL, SMALL):
            pending = [number for number, target in enumerate(targets) if not target.done and not target.small]
            if pending:
                _round(sockets, targets, pending, _Size(size, size * 8 / (rate * SHARE), mtu))
    finally:
        sockets.close()
    return tally(targets)


def _round(sockets: _Sockets, targets: list[Target], pending: list[int], size: _Size) -> None:
    left = set(pending)
    for number in pending:
        target = targets[number]
        target.repeats += 1
        try:
            sender = sockets.sender(target.nics[0] if target.bound else "")
            sender.sendto(packets.echo_request(sockets.ident, number, size.packet), (target.address, 0))
        except OSError as error:
            target.reason = f"{size.packet} bytes not sent: {os.strerror(error.errno) if error.errno else error}"
        _receive(sockets, targets, left, time.monotonic() + size.pause, size.full)
    _receive(sockets, targets, left, time.monotonic() + WAIT, size.full)


def _receive(sockets: _Sockets, targets: list[Target], left: set[int], until: float, full: int) -> None:
    """Take replies until the time is over, or until nothing is left to wait for."""
    while left:
        rest = until - time.monotonic()
        if rest <= 0 or not select.select([sockets.receiver], [], [], rest)[0]:
            return
        data, ancillary, _, _ = sockets.receiver.recvmsg(1 << 16, 256)
        answer = packets.parse_icmp(data, sockets.ident)
        if answer is None or answer[2] >= len(targets):
            continue
        kind, code, number, sender, length = answer
        target = targets[number]
        if kind == packets.UNREACHABLE:
            what = "packet too big" if code == packets.FRAGMENTATION_NEEDED else f"unreachable (code {code})"
            target.reason = f"{what}, says {sender}"
        elif sender == target.address:
            _accept(target, _name_of(packets.arrival(ancillary)), small=length < full)
            left.discard(number)


def _accept(target: Target, nic: str, *, small: bool) -> None:
    if nic not in target.nics:
        target.reason, target.done = f"the reply came in by {nic}", True
    elif small:
        target.small = True
    else:
        target.reason, target.done = "", True


def _name_of(index: int) -> str:
    try:
        return socket.if_indextoname(index)
    except OSError:
        return "an unknown NIC"


def tally(targets: list[Target]) -> Tally:
    """Sum the targets up."""
    tally = Tally()
    for target in targets:
        nic = target.nics[0]
        tally.echoes[nic] = tally.echoes.get(nic, 0) + 1
        if target.done and not target.reason:
            if target.repeats > 1:
                tally.repeats[nic] = tally.repeats.get(nic, 0) + 1
        elif target.small:
            tally.failed[target.key] = "only small packets pass" + (f" ({target.reason})" if target.reason else "")
        else:
            tally.failed[target.key] = target.reason or "no reply"
    return tally
