# SPDX-License-Identifier: GPL-3.0-or-later
"""Records carriers, and sends and hears probes in rounds, without anybody's help.

The head cannot reach a node whose switch is off, nor any node while the uplink switch is: so a node is told beforehand
when to send, notes everything by its own clock, and is asked when all is on again. A recorder that runs from boot on
was told nothing: it takes part in a round when it hears that there is one.
"""

from __future__ import annotations

import contextlib
import json
import random
import select
import socket
import time
from collections import deque
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from . import frames, nics

#: Seconds between two probes of a NIC in a round, give or take a quarter: so that thousands do not send at once.
_EVERY = 0.4
#: Seconds for which a recorder that heard of a round takes part in it.
_JOINED = 3.0
#: Most changes, names, words and rounds kept, and rounds joined at a time: a plug that rattles, or somebody's forged
#: frames, fill neither memory nor wire.
_MOST_CHANGES, _MOST_NAMES, _MOST_WORDS, _MOST_ROUNDS, _MOST_JOINED = 1 << 14, 1 << 16, 1 << 12, 8, 2
#: Seconds between two looks at which NICs there are.
_LOOK = 1.0

Round = tuple[str, int]


class Recorder:
    """Its sockets, and what they heard. ``joins``: whether it takes part in rounds that it was not told of."""

    def __init__(self, machine: str, joins: bool = False) -> None:
        self._machine, self._joins = machine, joins
        self._links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, frames.NETLINK_ROUTE)
        self._links.bind((0, frames.RTMGRP_LINK))
        self._nics: dict[int, dict[str, Any]] = {}
        self._ears: dict[socket.socket, int] = {}
        self._rounds: dict[Round, tuple[float, float]] = {}
        self._heard: dict[Round, dict[int, set[str]]] = {}
        self._changes: deque[tuple[str, float, bool]] = deque(maxlen=_MOST_CHANGES)
        self._words: dict[str, str] = {}
        self._names = 0
        self._own = b""
        self._stale: float | None = None
        self._look()

    @property
    def sockets(self) -> list[socket.socket]:
        """All that has to stay open."""
        return [self._links, *self._ears]

    def plan(self, token: str, rounds: list[tuple[float, float]]) -> None:
        """Be told of rounds, each as seconds from now and duration."""
        now = time.monotonic()
        for number, (after, seconds) in enumerate(rounds):
            self._open(token, number, now + after, now + after + seconds)

    def run(self, control: socket.socket) -> None:
        """Record until somebody stops it, or collects what was planned."""
        while True:
            wait = self._send()
            if self._stale is not None:
                wait = min(wait, max(0.0, self._stale - time.monotonic()))
            ready, _, _ = select.select([control, *self.sockets], [], [], wait)
            for one in ready:
                if one is self._links:
                    self._note()
                elif one in self._ears:
                    self._hear(one)
            if self._stale is not None and time.monotonic() >= self._stale:
                self._look()
            if control in ready and self._answer(control):
                return

    def _open(self, token: str, number: int, begin: float, end: float) -> None:
        while len(self._rounds) >= _MOST_ROUNDS:
            oldest = next(iter(self._rounds))
            del self._rounds[oldest]
            self._names -= sum(map(len, self._heard.pop(oldest).values()))
        self._rounds[token, number] = (begin, end)
        self._heard[token, number] = {}

    def _look(self) -> None:
        """Learn which NICs there are, and have an ear at each; one that came back needs a new one."""
        self._stale = None
        found = {socket.if_nametoindex(nic["device"]): nic for nic in nics.nics()}
        for ear in [ear for ear, index in self._ears.items() if index not in self._nics or index not in found]:
            del self._ears[ear]
            ear.close()
        for index, nic in found.items():
            if index not in self._ears.values():
                with contextlib.suppress(OSError):  # gone again
                    self._ears[_ear(nic["device"])] = index
        self._nics = found
        self._own = frames.word(list(found.values()))

    def _send(self) -> float:
        """Send what is due; seconds until there is more to do."""
        now, wait = time.monotonic(), 3600.0
        for (token, number), (begin, end) in self._rounds.items():
            if begin <= now < end:
                for ear, index in self._ears.items():
                    if nic := self._nics.get(index):
                        name = f"{self._machine}/{nic['device']}"
                        with contextlib.suppress(OSError):  # a NIC without a carrier cannot send, and says so
                            ear.send(frames.probe(nic["mac"], token, number, name, self._own))
                again = now + _EVERY * random.uniform(0.75, 1.25)  # noqa: S311 - no secret
                self._rounds[token, number] = (again, end)
                wait = min(wait, again - now)
            elif now < begin:
                wait = min(wait, begin - now)
        return wait

    def _note(self) -> None:
        try:
            changes = frames.link_changes(self._links.recv(1 << 16))
        except OSError:  # too many changes at once for the socket: what is lost may be that a NIC has gone
            self._stale = self._stale or time.monotonic() + _LOOK
            return
        for index, up in changes:
            nic = self._nics.get(index)
            if up is None:
                self._nics.pop(index, None)
            elif nic is None:
                self._stale = self._stale or time.monotonic() + _LOOK
            elif nic["carrier"] != up:
                nic["carrier"] = up
                self._changes.append((nic["device"], time.time(), up))
        self._own = frames.word(list(self._nics.values()))

    def _hear(self, ear: socket.socket) -> None:
        with contextlib.suppress(OSError):  # the NIC went down
            found = frames.parse(ear.recv(frames.LONGEST))
            if found is None:
                return
            token, number, name, told = found
            if (token, number) not in self._heard and not self._join(token, number):
                return
            names = self._heard[token, number].setdefault(self._ears[ear], set())
            if name not in names and self._names < _MOST_NAMES:
                self._names += 1
                names.add(name)
            machine = name.partition("/")[0]
            if told and (machine in self._words or len(self._words) < _MOST_WORDS):
                self._words[machine] = told.decode("ascii", "replace")

    def _join(self, token: str, number: int) -> bool:
        """Take part in a round that somebody else has begun."""
        now = time.monotonic()
        if not self._joins or sum(end > now for _, end in self._rounds.values()) >= _MOST_JOINED:
            return False
        self._open(token, number, now, now + _JOINED)
        return True

    def _answer(self, control: socket.socket) -> bool:
        line, _ = control.accept()
        with line:
            asked = daemon.question(line)
            ends = asked == "stop" or (asked == "collect" and not self._joins)
            if ends:
                control.close()
            with contextlib.suppress(OSError):
                if asked == "collect":
                    line.sendall(json.dumps(self._record()).encode())
        return ends

    def _record(self) -> dict[str, Any]:
        heard = [
            [token, number, {nic["device"]: sorted(by.get(index, ())) for index, nic in self._nics.items()}]
            for (token, number), by in self._heard.items()
        ]
        return {"changes": list(self._changes), "heard": heard, "words": self._words}


def _ear(device: str) -> socket.socket:
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    ear.bind((device, frames.ETHERTYPE))
    return ear
