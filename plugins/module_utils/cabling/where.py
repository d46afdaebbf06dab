# SPDX-License-Identifier: GPL-3.0-or-later
"""The machines' side of finding out which switch a cable is in while everything runs (flathood/rewiring/probe.py)."""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import time
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from . import nics
from .frames import ETHERTYPE

NAME, ANNOUNCER = "\0flathood-where", "\0flathood-announcer"
#: Each frame is sent this often: a switch that is busy may drop one.
TIMES = 3
#: Seconds between two rounds of frames.
PAUSE = 0.1
#: Seconds between two hellos of an announcer.
BEAT = 0.5
#: Most addresses that a listener keeps: somebody's forged frames do not fill the memory.
_MOST = 1 << 14
_BEGIN = b"flathood-where"
_HEADER = struct.Struct("!6s6sH14s16sc")
SPOKEN, CALLED, HELLO = b"s", b"c", b"h"
# packet(7): take every frame that comes by, not only those for this NIC.
_SOL_PACKET, _ADD_MEMBERSHIP, _PROMISC = 263, 1, 1


def frame(target: str, source: str, token: str, kind: bytes) -> bytes:
    """One frame from an address to another."""
    ends = (bytes.fromhex(mac.replace(":", "")) for mac in (target, source))
    return _HEADER.pack(*ends, ETHERTYPE, _BEGIN, token.encode()[:16], kind).ljust(60, b"\0")


def parse(data: bytes, token: str) -> tuple[str, str, bytes] | None:
    """Target, source and kind of a frame of this run; None for any other."""
    if len(data) < _HEADER.size:
        return None
    target, source, ethertype, begin, run, kind = _HEADER.unpack_from(data)
    if (ethertype, begin) != (ETHERTYPE, _BEGIN) or run.rstrip(b"\0") != token.encode()[:16]:
        return None
    return target.hex(":"), source.hex(":"), kind


def listen(token: str, macs: list[str], lifetime: int) -> None:
    """Leave a listener behind on these NICs, which have said hello so that every switch has learnt where they are."""
    daemon.ask(NAME, "stop")
    control = daemon.control_socket(NAME)
    ears = [_open(device, promiscuous=True) for device in _devices(macs)]
    hello(token, macs)
    if daemon.detached():
        daemon.become_daemon({control.fileno(), *(ear.fileno() for ear in ears)}, lifetime)
        try:
            _record(control, ears, token)
        finally:
            os._exit(0)


def hello(token: str, macs: list[str]) -> None:
    """Broadcast from each of these NICs."""
    _send({mac: [frame("ff:ff:ff:ff:ff:ff", mac, token, HELLO)] for mac in macs})


def announce(token: str, lifetime: int) -> None:
    """Leave a process behind that says hello from every NIC, again and again, until it is told to `hush`.

    A switch goes on sending frames for a NIC to where it was last heard. A NIC without ARP says nothing by itself when
    its cable is moved, so a machine whose only way in is that one would be out of reach until switches forget.
    """
    daemon.ask(ANNOUNCER, "stop")
    control = daemon.control_socket(ANNOUNCER)
    if daemon.detached():
        daemon.become_daemon({control.fileno()}, lifetime)
        try:
            while not select.select([control], [], [], BEAT)[0]:
                with contextlib.suppress(OSError, subprocess.SubprocessError):
                    hello(token, [nic["mac"] for nic in nics.nics()])
        finally:
            os._exit(0)


def hush() -> None:
    """End the announcer, if there is one."""
    daemon.ask(ANNOUNCER, "stop")


def speak(token: str, wanted: list[dict[str, Any]], patience: float) -> dict[str, bool]:
    """Send the frames of NICs that are to be plugged in; which NICs have a carrier.

    ``wanted``: for each NIC its ``mac``, whether it is to be ``plugged``, and its ``frames``, each source and target.
    ``patience``: seconds that carriers have to be as they should.
    """
    mine = {nic["mac"] for nic in wanted}
    for nic in nics.nics():
        if nic["mac"] in mine:
            nics.switch_on(nic["device"])
    end = time.monotonic() + patience
    while True:
        carriers = {nic["mac"]: bool(nic["carrier"]) for nic in nics.nics() if nic["mac"] in mine}
        right = all(carriers.get(nic["mac"]) == nic["plugged"] for nic in wanted)
        if right or time.monotonic() > end:
            break
        time.sleep(0.2)
    hello(token, [mac for mac, up in carriers.items() if up])
    _send(
        {
            nic["mac"]: [frame(target, source, token, SPOKEN) for source, target in nic["frames"]]
            for nic in wanted
            if carriers.get(nic["mac"])
        }
    )
    return carriers


def call(token: str, mac: str, addresses: list[str]) -> None:
    """Send a frame to each of these addresses."""
    _send({mac: [frame(address, mac, token, CALLED) for address in addresses]})


def collect() -> dict[str, list[str]] | None:
    """End the listener: the sources that have ``spoken``, the addresses that were ``called``. None: it was gone."""
    answer = daemon.ask(NAME, "collect")
    return dict(json.loads(answer)) if answer else None


def _devices(macs: list[str]) -> dict[str, str]:
    """Device of each of these NICs, with its MAC."""
    return {nic["device"]: nic["mac"] for nic in nics.nics() if nic["mac"] in macs}


def _open(device: str, *, promiscuous: bool = False) -> socket.socket:
    ear = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    ear.bind((device, ETHERTYPE))
    if promiscuous:
        ear.setsockopt(
            _SOL_PACKET, _ADD_MEMBERSHIP, struct.pack("iHH8s", socket.if_nametoindex(device), _PROMISC, 0, b"")
        )
    return ear


def _send(frames: dict[str, list[bytes]]) -> None:
    with contextlib.ExitStack() as stack:
        mouths = [(stack.enter_context(_open(dev)), frames[mac]) for dev, mac in _devices(list(frames)).items()]
        for _ in range(TIMES):
            for mouth, said in mouths:
                for one in said:
                    # A NIC without a carrier cannot send, and says so.
                    with contextlib.suppress(OSError):
                        mouth.send(one)
            time.sleep(PAUSE)


def _record(control: socket.socket, ears: list[socket.socket], token: str) -> None:
    spoken: set[str] = set()
    called: set[str] = set()
    while True:
        ready, _, _ = select.select([control, *ears], [], [])
        for ear in ready:
            if ear is control:
                continue
            with contextlib.suppress(OSError):  # the NIC went down
                found = parse(ear.recv(512), token)
                if found and len(spoken) + len(called) < _MOST:
                    if found[2] == SPOKEN:
                        spoken.add(found[1])
                    elif found[2] == CALLED:
                        called.add(found[0])
        if control in ready:
            line, _ = control.accept()
            with line:
                asked = daemon.question(line)
                if asked:
                    with contextlib.suppress(OSError):
                        if asked == "collect":
                            line.sendall(json.dumps({"spoken": sorted(spoken), "called": sorted(called)}).encode())
                    return
