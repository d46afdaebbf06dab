# SPDX-License-Identifier: GPL-3.0-or-later
"""The service: watches its own NICs, tells the other nodes, hears them, and has the kernel go around what is dead.

A node whose cable is pulled knows it at once, as its NIC has no carrier; the others do not, since theirs have one. So
it tells them, by a broadcast from each NIC that works, which reaches every node across the uplink switch.
"""

from __future__ import annotations

import contextlib
import select
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from ipaddress import IPv4Address
from pathlib import Path

from . import words
from .detours import PREFERENCE, TABLE, Detours, cut_off, detours, orders
from .health import EVERY, Health
from .view import NETWORK, View, read
from .words import Word

_SYS = Path("/sys/class/net")
#: Seconds after a change at which it is told, as a frame may be lost; from then on as long as something is dead.
_TOLD = (0.0, 0.2, 0.6)
_AGAIN = 4.0
#: Seconds for which a word is believed: three of those that are told again and again.
_BELIEVED = 12.0
#: Seconds between two looks at the files, and between two times that detours are set anew: systemd-networkd takes away
#: what it does not know when it sets a NIC up.
_LOOK, _ANEW = 5.0, 2.0
#: A loop that took so long was held up itself.
_LATE = 1.0
_RTMGRP_LINK = 1


@dataclass
class _Door:
    """The sockets of a NIC, for questions and for words; its number; whom it asks next and who answered last."""

    socket: socket.socket
    ear: socket.socket
    index: str
    turn: int = 0
    last: IPv4Address | None = None

    def close(self) -> None:
        """Close both."""
        self.socket.close()
        self.ear.close()


class Watcher:
    """The state of the service. ``folder``: where the files are that tell the ways."""

    def __init__(self, folder: Path = NETWORK) -> None:
        self._folder = folder
        self._links = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._links.bind((0, _RTMGRP_LINK))
        self._view = View()
        self._seen: object = None
        self._known: object = None
        self._health: dict[str, Health] = {}
        self._doors: dict[str, _Door] = {}
        self._told: dict[int, tuple[Word, float]] = {}
        self._set = Detours({}, {})
        self._tell: list[float] = []
        self._dead: set[str] = set()
        self._lent: set[str] = set()
        self._missing: set[str] = set()
        self._next = dict.fromkeys(("look", "ask", "anew"), 0.0)

    def run(self) -> None:
        """Watch until somebody ends the process."""
        clear()
        awake = time.monotonic()
        while True:
            now = time.monotonic()
            if now - awake > _LATE:
                for health in self._health.values():
                    health.late()
            self._step(now)
            awake = min([*self._next.values(), *self._tell])
            doors = {door.socket: device for device, door in self._doors.items()}
            ears = {door.ear for door in self._doors.values()}
            wait = max(0.0, awake - time.monotonic())
            ready, _, _ = select.select([self._links, *doors, *ears], [], [], wait)
            awake = time.monotonic() if ready else awake
            for one in ready:
                if one is self._links:
                    with contextlib.suppress(OSError):  # so many changes that some were lost: it is looked anyway
                        one.recv(1 << 16)
                elif one in ears:
                    with contextlib.suppress(OSError):  # the NIC went down
                        if word := words.parse(one.recv(words.LONGEST)):
                            self._believe(word, time.monotonic())
                else:
                    self._hear(doors[one])

    def _step(self, now: float) -> None:
        """Look at what is, and do what is due."""
        if self._due("look", now, _LOOK):
            self._read()
        for device in self._view.nics:
            self._look(device, now)
        if self._due("ask", now, EVERY):
            for device in self._doors:
                self._ask(device)
        dead = {device for device, health in self._health.items() if health.judge(now)}
        if dead != self._dead:
            self._dead = dead
            self._tell_soon(now)
        self._told = {number: (word, until) for number, (word, until) in self._told.items() if until > now}
        told = {number: word for number, (word, _) in self._told.items()}
        if (known := (self._seen, dead, told)) != self._known:
            self._known = known
            self._change(detours(self._view, dead, told))
        if self._due("anew", now, _ANEW):
            batch(orders(Detours({}, {}), self._set) if self._set.routes else [])
        self._lend(dead)
        if any(now >= moment for moment in self._tell):
            self._tell = [moment for moment in self._tell if moment > now]
            self._tell_all(dead)
            # A node that shares no working neighborhood with this one has to know its MACs.
            if not self._tell and (dead or cut_off(self._view, dead, told)):
                self._tell = [now + _AGAIN]

    def _due(self, what: str, now: float, seconds: float) -> bool:
        if now < self._next[what]:
            return False
        self._next[what] = now + seconds
        return True

    def _read(self) -> None:
        """Read the files when they have changed; what is half written is read at the next look."""
        files = sorted(self._folder.glob("50-fnn*.network*/**/*.conf")) + sorted(self._folder.glob("50-fnn*.network"))
        with contextlib.suppress(OSError, ValueError):
            seen = [(file, file.stat().st_mtime_ns) for file in files if file.is_file()]
            if seen != self._seen:
                self._view, self._seen = read(self._folder), seen
                self._health = {dev: health for dev, health in self._health.items() if dev in self._view.nics}
                for device in self._doors.keys() - self._view.nics.keys():
                    self._doors.pop(device).close()

    def _look(self, device: str, now: float) -> None:
        """The carrier of a NIC; and its socket, which a NIC that came back needs a new one of."""
        carrier, index = (_read_text(_SYS / device / name) for name in ("carrier", "ifindex"))
        up = carrier == "1"
        self._health.setdefault(device, Health(now if up else None, dead=not up)).carrier(up, now)
        if device in self._doors and self._doors[device].index != index:
            self._doors.pop(device).close()
        if index and device not in self._doors:
            with contextlib.suppress(OSError):  # gone again
                self._doors[device] = _open(device, index)

    def _tell_soon(self, now: float) -> None:
        self._tell = [now + after for after in _TOLD]

    def _ask(self, device: str) -> None:
        """Ask who answered last, and one of the others, in turn: some of them may be off."""
        door, health, peers = self._doors[device], self._health[device], self._view.nics[device].peers
        if health.since is None:
            return
        door.turn += 1
        peer = door.last if door.turn % 2 and door.last in peers else peers[door.turn // 2 % len(peers)]
        health.ask()
        with contextlib.suppress(OSError):
            door.socket.sendto(words.ASK, (str(peer), words.PORT))

    def _hear(self, device: str) -> None:
        door, now = self._doors[device], time.monotonic()
        try:
            data, (sender, _) = door.socket.recvfrom(words.LONGEST)
            address = IPv4Address(sender)
            if data == words.ASK and address in self._view.nics[device].peers:
                door.socket.sendto(words.ANSWER, (sender, words.PORT))
        except OSError:
            return  # the NIC went down
        if data == words.ANSWER and address in self._view.nics[device].peers:
            door.last = address
            self._health[device].answered(now)

    def _believe(self, word: Word, now: float) -> None:
        """Take a peer's word for its own NICs; a node with which nothing works is to hear ours."""
        numbers = {self._view.number(address) for address in (*word.up, *word.down)}
        own = {self._view.number(nic.address.ip) for nic in self._view.nics.values()}
        if len(numbers) != 1 or numbers & own:
            return
        number = numbers.pop()
        new = number not in self._told or self._told[number][0] != word
        self._told[number] = (word, now + _BELIEVED)
        if new and number in cut_off(self._view, self._dead, {number: word}):
            self._tell_soon(now)

    def _tell_all(self, dead: set[str]) -> None:
        nics = self._view.nics
        up = {nics[device].address.ip: _read_text(_SYS / device / "address") for device in nics if device not in dead}
        word = Word(up, frozenset(nics[device].address.ip for device in dead))
        for device in nics.keys() - dead:
            if device in self._doors:
                with contextlib.suppress(OSError):  # it went down just now
                    self._doors[device].ear.send(word.frame(up[nics[device].address.ip]))

    def _change(self, wanted: Detours) -> None:
        """Have the kernel take these detours and no others."""
        if wanted != self._set:
            say(f"{len(wanted.routes)} addresses are reached by another way than planned")
            batch(orders(self._set, wanted))
            self._set = wanted

    def _lend(self, dead: set[str]) -> None:
        """Keep the address of a NIC that is gone, so that its connections live on; give it back with the NIC.

        With the NIC the kernel has dropped every route that names it beside others, and systemd-networkd does not miss
        them: they are set again when the NIC is in use again.
        """
        missing = {device for device in self._view.nics if not (_SYS / device).exists()}
        lines = [
            f"address add {self._view.nics[device].address.ip}/32 dev lo label lo:{device}"
            for device in missing - self._lent
        ]
        back = self._lent - missing
        lines += [
            f"address delete {self._view.nics[device].address.ip}/32 dev lo" for device in back & self._view.nics.keys()
        ]
        if healed := self._missing - missing - dead:
            lines += whole(self._view)
        self._missing = (self._missing | missing) - healed
        self._lent = missing
        batch(lines)


def whole(view: View) -> list[str]:
    """Lines for `ip -batch` that set the routes with several hops as role routes has them."""
    return [
        f"route replace {to} proto static "
        + " ".join(f"nexthop via {gateway} dev {device}" for gateway, device in hops)
        for to, hops in view.ways.items()
        if len(hops) > 1
    ]


def batch(lines: list[str]) -> None:
    """Run lines by `ip -batch`; one that the kernel refuses, as it is so already, does not hold up the others."""
    if lines:
        text = "".join(f"{line}\n" for line in lines)
        subprocess.run(["ip", "-force", "-batch", "-"], input=text, text=True, capture_output=True, check=False)


def clear() -> None:
    """Take all detours away, and addresses that were lent to the loopback device."""
    lent = "address flush dev lo label lo:fnn*"
    batch([f"rule delete preference {PREFERENCE} lookup {TABLE}", f"route flush table {TABLE}", lent])


def say(text: str) -> None:
    """A line for the journal."""
    print(text, flush=True)


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:  # no such NIC, or one that is down
        return ""


def _open(device: str, index: str) -> _Door:
    door = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device.encode())
    door.bind(("", words.PORT))
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
    ear.bind((device, words.ETHERTYPE))
    return _Door(door, ear, index)


if __name__ == "__main__":
    clear() if sys.argv[1:] == ["clear"] else Watcher().run()
