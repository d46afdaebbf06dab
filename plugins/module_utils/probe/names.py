# SPDX-License-Identifier: GPL-3.0-or-later
"""Name → address, as a program on this node gets it: getaddrinfo(3), with whatever nsswitch.conf says."""

from __future__ import annotations

import os
import queue
import socket
import threading
import time
from collections.abc import Iterable

WORKERS = 16
#: For all names together. A name in /etc/hosts takes microseconds; only a name that is missing there goes to a DNS
#: server.
DEADLINE = 20.0


def resolve(name: str) -> str:
    """The IPv4 addresses of ``name``, sorted, with blanks between; "" when there is none."""
    try:
        found = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
    except OSError:
        return ""
    return " ".join(sorted({str(entry[4][0]) for entry in found}))


def resolve_all(names: Iterable[str]) -> dict[str, str]:
    """Every name with its addresses; names not answered before the deadline are left out."""
    # resolv.conf(5): a name server that is down must not cost ten seconds a name. Read when libc first resolves a name.
    os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"
    waiting: queue.SimpleQueue[str] = queue.SimpleQueue()
    for name in names:
        waiting.put(name)
    answers: dict[str, str] = {}

    def work() -> None:
        while True:
            try:
                name = waiting.get_nowait()
            except queue.Empty:
                return
            answers[name] = resolve(name)

    # Daemon threads: a lookup that hangs must not keep the process from ending.
    threads = [threading.Thread(target=work, daemon=True) for _ in range(WORKERS)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + DEADLINE
    for thread in threads:
        thread.join(max(0.0, end - time.monotonic()))
    return dict(answers)
