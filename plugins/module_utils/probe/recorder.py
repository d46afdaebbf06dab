# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that outlives its task: it records ARP frames and multicast datagrams until they are collected.

It writes no file and has no unit: sockets and memory are all it has, a timer of the kernel ends it when nobody comes to
collect, and a new one takes the old one's place. The tasks find it by an abstract socket of the node's network
namespace.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import time
from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from . import listen, packets

NAME = "\0flathood-probe"
#: Seconds between announcements: switches forget a MAC after minutes of silence and flood what is sent to it.
KEEP_ALIVE = 60.0
_Ears = dict[socket.socket, "listen.ArpEar | listen.GroupEar"]


def start(nics: dict[str, str], group: tuple[str, int], token: str, lifetime: int) -> str:
    """Begin to record on ``nics`` (name → MAC) for at most ``lifetime`` seconds; says what cannot be recorded, or "".

    Every NIC announces itself once before this returns, so that all switches know where it is.
    """
    ask("stop")
    control = daemon.control_socket(NAME)
    present = [nic for nic in nics if Path(f"/sys/class/net/{nic}").exists()]
    arp = listen.ArpEar(present)
    trouble, heard = "", None
    try:
        heard = listen.GroupEar(group[0], group[1], token)
    except OSError as error:
        trouble = f"{group[0]} cannot be joined: {error.strerror}"
    voices = [(listen.packet_socket(nic), packets.announcement(nics[nic])) for nic in present]
    _announce(voices)
    if daemon.detached():
        ears = [*arp.sockets, *(heard.sockets if heard else ())]
        daemon.become_daemon({one.fileno() for one in (control, *ears, *(voice for voice, _ in voices))}, lifetime)
        try:
            _record(control, arp, heard, voices)
        finally:
            os._exit(0)
    return trouble


def ask(what: str) -> dict[str, Any] | None:
    """Ask the running recorder to ``collect`` or to ``stop``; it ends after either. None: there is none."""
    answer = daemon.ask(NAME, what)
    return dict(json.loads(answer)) if answer else None


def _announce(voices: list[tuple[socket.socket, bytes]]) -> None:
    for voice, frame in voices:
        # A NIC that is down is a finding of another check.
        with contextlib.suppress(OSError):
            voice.send(frame)


def _record(
    control: socket.socket,
    arp: listen.ArpEar,
    heard: listen.GroupEar | None,
    voices: list[tuple[socket.socket, bytes]],
) -> None:
    ears: _Ears = {one: ear for ear in (arp, heard) if ear for one in ear.sockets}
    next_announcement = time.monotonic() + KEEP_ALIVE
    while True:
        ready, _, _ = select.select([control, *ears], [], [], max(0.0, next_announcement - time.monotonic()))
        if time.monotonic() >= next_announcement:
            _announce(voices)
            next_announcement += KEEP_ALIVE
        for one in ready:
            if one is not control:
                ears[one].hear(one)
        if control in ready:
            _catch_up(ears)
            if _answer(control, arp, heard):
                return


def _catch_up(ears: _Ears) -> None:
    """Count what has arrived before a question is answered; a storm may not delay the answer by more than a second."""
    end = time.monotonic() + 1.0
    while time.monotonic() < end:
        ready, _, _ = select.select(list(ears), [], [], 0)
        if not ready:
            return
        for one in ready:
            ears[one].hear(one)


def _answer(control: socket.socket, arp: listen.ArpEar, heard: listen.GroupEar | None) -> bool:
    """Answer one question; True when the recorder is to end. Only root and the recorder's own user are heard."""
    line, _ = control.accept()
    with line:
        asked = daemon.question(line)
        if not asked:
            return False
        # Nobody finds this recorder any more, once it has answered.
        control.close()
        with contextlib.suppress(OSError):
            if asked == "collect":
                report = arp.report() | {"heard": heard.report() if heard else []}
                line.sendall(json.dumps(report).encode())
        return True
