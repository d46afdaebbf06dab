# SPDX-License-Identifier: GPL-3.0-or-later
"""A process that outlives the task that started it: no file, no unit, and a timer of the kernel to end it."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import struct
import time
from pathlib import Path

_SO_PEERCRED = 17


def detached() -> bool:
    """True in a grandchild that init inherits, False in the process that called."""
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return False
    os.setsid()
    if os.fork():
        os._exit(0)
    return True


def become_daemon(keep: set[int], lifetime: int) -> None:
    """Let go of everything but the descriptors in ``keep``; a signal ends the process after ``lifetime`` seconds."""
    os.chdir("/")
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(lifetime)
    nothing = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nothing, standard)
    for number in [int(link.name) for link in Path("/proc/self/fd").iterdir()]:
        if number > 2 and number not in keep:
            with contextlib.suppress(OSError):
                os.close(number)


def ask(name: str, what: str) -> bytes | None:
    """What the process that listens on the abstract socket ``name`` answers to ``what``; None: there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(30)
        try:
            line.connect(name)
            line.sendall(what.encode())
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(1 << 16), b""))
        except ConnectionError:
            return None


def control_socket(name: str) -> socket.socket:
    """The listening end of an abstract socket; the one that had the name before may need a moment to be gone."""
    new = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    for attempt in range(50):
        try:
            new.bind(name)
            break
        except OSError:
            if attempt == 49:
                raise
            time.sleep(0.1)
    new.listen(4)
    return new


def question(line: socket.socket) -> str:
    """What is asked on an accepted line, empty for anybody but root and the daemon's own user."""
    line.settimeout(10)
    credentials = line.getsockopt(socket.SOL_SOCKET, _SO_PEERCRED, struct.calcsize("3i"))
    if struct.unpack("3i", credentials)[1] not in {0, os.geteuid()}:
        return ""
    with contextlib.suppress(OSError):
        return line.recv(64).decode("ascii", "replace")
    return ""
