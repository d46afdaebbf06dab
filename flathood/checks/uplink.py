# SPDX-License-Identifier: Apache-2.0
"""Count the unicast frames that come into the uplink switch, by source and destination MAC.

Run as a program in the network namespace of the switches: `watch SECONDS PORT…` says "ready" when every port is
listened to, and ends when it is asked for its counts or after SECONDS; `collect` asks, and prints the answer as JSON.
It leaves nothing
behind: the counts are in its memory, and it is found by an abstract socket of that namespace.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import socket
import struct
import sys
from collections import Counter

NAME = "\0flathood-uplink"
#: asm-generic/socket.h and linux/if_packet.h: not named by Python's socket module.
_SO_ATTACH_FILTER, _SO_RCVBUFFORCE = 26, 33
_SOL_PACKET, _PACKET_STATISTICS, _PACKET_IGNORE_OUTGOING = 263, 6, 23
_ETH_P_ALL = 3
_BUFFER = 32 << 20
#: Classic BPF (linux/filter.h): load the first byte; a frame whose group bit is set is dropped, of others the MACs
#: are kept.
_UNICAST = ((0x30, 0, 0, 0), (0x45, 1, 0, 1), (0x06, 0, 0, 12), (0x06, 0, 0, 0))


def ask(what: bytes) -> bytes:
    """Ask the process in this namespace to ``collect`` or to ``stop``; its answer, empty when there is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.settimeout(30)
        try:
            line.connect(NAME)
            line.sendall(what)
            line.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: line.recv(1 << 16), b""))
        except ConnectionError:
            return b""


def _listen(port: str) -> socket.socket:
    new = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in _UNICAST))
    steps = struct.pack("HL", len(_UNICAST), ctypes.addressof(code))
    new.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, steps)
    new.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, _BUFFER)
    new.setsockopt(_SOL_PACKET, _PACKET_IGNORE_OUTGOING, 1)
    new.bind((port, _ETH_P_ALL))
    return new


def _count(control: socket.socket, ports: list[socket.socket]) -> None:
    frames: Counter[bytes] = Counter()
    while True:
        ready, _, _ = select.select([control, *ports], [], [])
        for one in ready:
            if one is not control:
                frames[one.recv(12)] += 1
        if ready == [control]:
            line, _ = control.accept()
            with line:
                if line.recv(16) == b"collect":
                    line.sendall(_report(frames, ports))
            return


def _report(frames: Counter[bytes], ports: list[socket.socket]) -> bytes:
    lost = sum(struct.unpack("II", one.getsockopt(_SOL_PACKET, _PACKET_STATISTICS, 8))[1] for one in ports)
    named = [[macs[6:12].hex(":"), macs[:6].hex(":"), count] for macs, count in frames.items()]
    return json.dumps({"frames": named, "lost": lost}).encode()


def watch(seconds: int, names: list[str]) -> None:
    """Count on the ports ``names`` until asked, for at most ``seconds``."""
    signal.alarm(seconds)
    ask(b"stop")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as control:
        control.bind(NAME)
        control.listen(2)
        ports = [_listen(name) for name in names]
        os.write(1, b"ready\n")
        _count(control, ports)


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch(int(sys.argv[2]), sys.argv[3:])
    else:
        os.write(1, ask(b"collect"))
