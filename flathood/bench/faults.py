# SPDX-License-Identifier: Apache-2.0
"""Faults under load: what connections and MPI do when a cable is pulled, a NIC dies, a switch loses its power.

Eight nodes in advanced mode. All of them play Exchange under Open MPI, while the first sends to the second by one TCP
connection and one MPTCP connection. Each fault hits the NIC of the second node by which the TCP connection comes. It is
measured how long each of the three stood still after it, with the service of role failover and without.
"""

from __future__ import annotations

import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flathood.bench.measure import Row
from flathood.bench.small_lab import copied, site, small_lab
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.lab.hardware import nic

_LAB = "bench-faults"
#: Link rate, bit/s: so low that processors are not the limit.
_RATE = 20_000_000
#: Bytes of a message of Exchange: more than what Open MPI sends before it is received.
_SIZE = 131072
_FROM, _TO = "a", "b"
#: Seconds: of traffic before a fault, and after it; and for a start.
_BEFORE, _AFTER, _START = 4.0, 30.0, 180.0
#: What all programs begin with, to find and end them by.
_MARK = "flathood_bench_faults"
_MPI = f"""
{_MARK} = 1
from mpi4py import MPI
world = MPI.COMM_WORLD
me, ranks = world.Get_rank(), world.Get_size()
left, right = (me - 1) % ranks, (me + 1) % ranks
out, first, second = bytearray({_SIZE}), bytearray({_SIZE}), bytearray({_SIZE})
while True:
    sent = [world.Isend(out, right), world.Isend(out, left)]
    world.Recv(first, left)
    world.Recv(second, right)
    MPI.Request.Waitall(sent)
    if me == 0:
        print("on", flush=True)
"""
_SERVE = f"""
{_MARK} = 1
import socket, sys, time
door = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
door.bind(("0.0.0.0", int(sys.argv[2])))
door.listen(1)
print("ready", flush=True)
line, _ = door.accept()
told = 0.0
while line.recv(1 << 16):
    if time.monotonic() - told > 0.02:
        told = time.monotonic()
        print("on", flush=True)
"""
_SEND = f"""
{_MARK} = 1
import socket, sys
line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
line.connect((sys.argv[3], int(sys.argv[2])))
while True:
    line.send(bytes(1 << 14))
"""
#: Kind of connection: its protocol and port.
_CONNECTIONS = {"TCP": ("6", "7101"), "MPTCP": ("262", "7102")}


class _Progress:
    """A process that prints a line whenever it got on, and when it did."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.said: deque[str] = deque(maxlen=5)
        self.moments: list[float] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        if self.process.stdout:
            for line in self.process.stdout:
                if line == "on\n":
                    self.moments.append(time.monotonic())
                else:
                    self.said.append(line)

    def longest(self, begin: float, end: float) -> float:
        """The longest time without progress between two moments."""
        inside = [moment for moment in self.moments if begin <= moment <= end]
        return max(later - sooner for sooner, later in zip([begin, *inside], [*inside, end], strict=True))

    def since(self, moment: float) -> bool:
        """Whether it got on after a moment."""
        return bool(self.moments) and self.moments[-1] > moment


def run() -> list[Row]:
    """Bring a lab up and break it, with the service and without; needs root. Raises FlathoodError."""
    with small_lab(_LAB, copied("octet", _LAB), _RATE) as (lab, folder):
        return list(_rows(lab, folder, ("absent", "present")))


def _rows(lab: Lab, folder: Path, states: Sequence[str]) -> Iterator[Row]:
    faults: dict[str, Callable[[int, str], object]] = {
        "cable pulled": lambda slot, _: lab.break_(FaultKind.DEAD_CABLE, nic(_TO, slot)),
        "NIC dead": lambda slot, _: lab.break_(FaultKind.DEAD_NIC, nic(_TO, slot)),
        "switch dead": lambda _, switch: lab.break_(FaultKind.DEAD_SWITCH, switch),
    }
    for state in states:
        for name, break_ in faults.items():
            site(lab, folder, routing="advanced", failover_state=state)
            yield {"failover": "yes" if state == "present" else "no", "fault": name} | _measured(lab, break_)


def _measured(lab: Lab, break_: Callable[[int, str], object]) -> Row:
    """One fault: for each program how long it stood still, "stopped" if it did not get on in the time, or "died"."""
    with ExitStack() as stack:
        for machine in lab.machines:
            stack.callback(_end, lab, machine)
        running = {}
        for name, (protocol, port) in _CONNECTIONS.items():
            server = stack.enter_context(_started(lab, _TO, ["python3", "-c", _SERVE, protocol, port]))
            _until(lambda: "ready\n" in server.said, server, f"{name}, the receiver,")  # noqa: B023 - called at once
            stack.enter_context(_started(lab, _FROM, ["python3", "-c", _SEND, protocol, port, f"{_TO}-node"]))
            running[name] = server
            _until(lambda: bool(server.moments), server, name)  # noqa: B023 - called at once
            if name == "TCP":
                slot = _busiest(lab)
        ranks = sum(machine != "head" for machine in lab.machines)
        job = ["mpirun", "--allow-run-as-root", "-n", str(ranks), "--mca", "mpi_yield_when_idle", "1"]
        running["Open MPI"] = mpi = stack.enter_context(_started(lab, _FROM, [*job, "python3", "-c", _MPI]))
        _until(lambda: len(mpi.moments) > 2, mpi, "Open MPI")
        time.sleep(_BEFORE)
        began = time.monotonic()
        usual = {name: one.longest(began - _BEFORE, began) for name, one in running.items()}
        break_(slot, lab.state.planned.cables[nic(_TO, slot)])
        time.sleep(_AFTER)
        end = time.monotonic()
        row: Row = {}
        for name, one in running.items():
            row |= {f"{name} usual": round(usual[name], 2), name: _verdict(one, began, end)}
    lab.mend()
    return row


def _verdict(one: _Progress, began: float, end: float) -> float | str:
    """The longest time without progress; "died", or "stopped" if nothing was got on with in the end."""
    if one.process.poll() is not None:
        return "died"
    return round(one.longest(began, end), 2) if one.since(end - _AFTER / 3) else "stopped"


@contextmanager
def _started(lab: Lab, machine: str, argv: list[str]) -> Iterator[_Progress]:
    """A program that runs on a machine until the end of the block."""
    limit = _START + _BEFORE + _AFTER + 120
    command = lab.command(machine, argv, limit)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        try:
            yield _Progress(process)
        finally:
            _end(lab, machine)


def _end(lab: Lab, machine: str) -> None:
    """End our programs on a machine, those that hang too."""
    lab.exec(machine, ["pkill", "--signal", "KILL", "--full", f"{_MARK} [=] 1|[o]rted"])


def _until(true: Callable[[], bool], one: _Progress, what: str) -> None:
    deadline = time.monotonic() + _START
    while not true():
        if time.monotonic() > deadline or one.process.poll() is not None:
            raise FlathoodError(f"bench: {what} has not begun within {_START:.0f} s: {''.join(one.said)}")
        time.sleep(0.1)


def _busiest(lab: Lab) -> int:
    """The slot of the NIC by which most comes to the receiver just now."""

    def came() -> list[int]:
        shown = lab.exec(_TO, ["sh", "-c", "cat /sys/class/net/fnn?/statistics/rx_bytes"]).stdout
        return [int(word) for word in shown.split()]

    before = came()
    time.sleep(1.0)
    moved = [now - then for now, then in zip(came(), before, strict=True)]
    return moved.index(max(moved))
