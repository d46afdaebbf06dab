# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that records carriers and sends and hears probes by a schedule, without anybody's help, until collected.

The head cannot reach a node whose switch is off, nor any node while the uplink switch is: so the node is told
beforehand when to send, notes everything with its own clock, and is asked when all is on again.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import select
import socket
import struct
import time
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from . import nics

NAME = "\0flathood-cabling"
#: "Local Experimental Ethertype 2" of IEEE 802: no host and no switch gives it a meaning.
ETHERTYPE = 0x88B6
#: Seconds between two probes of a NIC in a round, give or take a quarter: so that thousands do not send at once.
_EVERY = 0.4
#: Most changes and most names kept: a plug that rattles, or somebody's forged frames, do not fill the memory.
_MOST = 1 << 16
_BEGIN = b"flathood1"
_HEADER = struct.Struct("!6s6sH9s16sB")
# netlink(7), rtnetlink(7): messages about links; linux/if.h: IFF_LOWER_UP.
_NETLINK_ROUTE, _RTMGRP_LINK, _RTM_NEWLINK, _LOWER_UP = 0, 1, 16, 1 << 16
_MESSAGE, _LINK = struct.Struct("=IHHII"), struct.Struct("=BxHiII")

Rounds = list[tuple[float, float]]


def start(machine: str, token: str, rounds: Rounds, lifetime: int) -> None:
    """Leave a recorder behind; ``rounds`` are (seconds from now, duration) of each round of probes."""
    daemon.ask(NAME, "stop")
    control = daemon.control_socket(NAME)
    found = nics.nics()
    for nic in found:
        nics.switch_on(nic["device"])
    recorder = Recorder(machine, token, found, rounds)
    if daemon.detached():
        daemon.become_daemon({control.fileno(), *(one.fileno() for one in recorder.sockets)}, lifetime)
        try:
            recorder.run(control)
        finally:
            os._exit(0)


def collect() -> dict[str, Any] | None:
    """End the recorder: ``changes`` and ``heard``. None: it was gone."""
    answer = daemon.ask(NAME, "collect")
    return dict(json.loads(answer)) if answer else None


def probe(mac: str, token: str, number: int, name: str) -> bytes:
    """One broadcast frame of a round that says which NIC it is from."""
    source = bytes.fromhex(mac.replace(":", ""))
    head = _HEADER.pack(b"\xff" * 6, source, ETHERTYPE, _BEGIN, token.encode()[:16], number)
    body = name.encode()[:255]
    return (head + bytes([len(body)]) + body).ljust(60, b"\0")


def parse(frame: bytes, token: str) -> tuple[int, str] | None:
    """Round and sender of a probe of this run; None for any other frame."""
    if len(frame) <= _HEADER.size:
        return None
    _, _, ethertype, begin, run, number = _HEADER.unpack_from(frame)
    size = frame[_HEADER.size]
    name = frame[_HEADER.size + 1 : _HEADER.size + 1 + size]
    if (ethertype, begin) != (ETHERTYPE, _BEGIN) or run.rstrip(b"\0") != token.encode()[:16] or len(name) < size:
        return None
    text = name.decode("ascii", "replace")
    return (number, text) if text.isprintable() and "/" in text else None


def link_changes(data: bytes) -> list[tuple[int, bool]]:
    """Index and carrier of every link that a netlink datagram tells of."""
    found, at = [], 0
    while at + _MESSAGE.size <= len(data):
        size, kind, *_ = _MESSAGE.unpack_from(data, at)
        if size < _MESSAGE.size:
            break
        if kind == _RTM_NEWLINK and at + _MESSAGE.size + _LINK.size <= len(data):
            _, _, index, flags, _ = _LINK.unpack_from(data, at + _MESSAGE.size)
            found.append((index, bool(flags & _LOWER_UP)))
        at += (size + 3) & ~3
    return found


class Recorder:
    """One run: its sockets, and what they heard."""

    def __init__(self, machine: str, token: str, found: list[dict[str, Any]], rounds: Rounds) -> None:
        self._machine, self._token = machine, token
        self._links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_ROUTE)
        self._links.bind((0, _RTMGRP_LINK))
        self._macs = {nic["device"]: nic["mac"] for nic in found}
        self._index = {socket.if_nametoindex(device): device for device in self._macs}
        self._ears: dict[socket.socket, str] = {}
        for device in self._macs:
            ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            ear.bind((device, ETHERTYPE))
            self._ears[ear] = device
        now = time.monotonic()
        self._rounds = [(now + after, now + after + seconds) for after, seconds in rounds]
        self._carrier = {nic["device"]: bool(nic["carrier"]) for nic in found}
        self._changes: list[tuple[str, float, bool]] = []
        self._heard: list[dict[str, set[str]]] = [{device: set() for device in self._macs} for _ in rounds]
        self._names = 0

    @property
    def sockets(self) -> list[socket.socket]:
        """All that has to stay open."""
        return [self._links, *self._ears]

    def run(self, control: socket.socket) -> None:
        """Record until somebody collects or stops it."""
        while True:
            ready, _, _ = select.select([control, *self.sockets], [], [], self._send())
            for one in ready:
                if one is self._links:
                    self._note()
                elif one is not control:
                    self._hear(one)
            if control in ready and self._answer(control):
                return

    def _send(self) -> float:
        """Send what is due; seconds until there is more to do."""
        now = time.monotonic()
        for number, (begin, end) in enumerate(self._rounds):
            if now < begin:
                return begin - now
            if now < end:
                for ear, device in self._ears.items():
                    # A NIC without a carrier cannot send, and says so.
                    with contextlib.suppress(OSError):
                        ear.send(probe(self._macs[device], self._token, number, f"{self._machine}/{device}"))
                pause = _EVERY * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
                self._rounds[number] = (now + pause, end)
                return pause
        return 3600.0

    def _note(self) -> None:
        with contextlib.suppress(OSError):  # too many changes at once for the socket: the next one says how it is
            for index, up in link_changes(self._links.recv(1 << 16)):
                device = self._index.get(index)
                if device and self._carrier[device] != up and len(self._changes) < _MOST:
                    self._carrier[device] = up
                    self._changes.append((device, time.time(), up))

    def _hear(self, ear: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the NIC went down
            found = parse(ear.recv(512), self._token)
            if found and found[0] < len(self._heard) and self._names < _MOST:
                names = self._heard[found[0]][self._ears[ear]]
                self._names += found[1] not in names
                names.add(found[1])

    def _answer(self, control: socket.socket) -> bool:
        line, _ = control.accept()
        with line:
            asked = daemon.question(line)
            if not asked:
                return False
            control.close()
            with contextlib.suppress(OSError):
                if asked == "collect":
                    heard = [{device: sorted(names) for device, names in one.items()} for one in self._heard]
                    line.sendall(json.dumps({"changes": self._changes, "heard": heard}).encode())
        return True
