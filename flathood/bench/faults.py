# SPDX-License-Identifier: Apache-2.0
"""Faults under load: what connections and MPI do when a cable is pulled, a NIC dies, a switch loses its power.

Eight nodes in advanced mode. All of them play Exchange under Open MPI, while the first sends to the second by one TCP
connection and one MPTCP connection; then all play it under MPICH, then by Gloo. Each fault hits the NIC of the second
node by which most comes. It is measured how long each stood still after it, with the service of role failover and
without.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import click

from flathood.bench.measure import Row
from flathood.bench.progress import MARK, Progress, end, started
from flathood.bench.small_lab import copied, site, small_lab
from flathood.bench.wheels import GLOO_START, MPICH_START, OPEN_MPI_START, PACKAGES, hand_out
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.lab.hardware import nic

_LAB = "bench-faults"
#: Link rate, bit/s: so low that processors are not the limit.
_RATE = 20_000_000
#: Bytes of a message of Exchange: more than what Open MPI sends before it is received.
_SIZE = 131072
_FROM, _TO = "a", "b"
#: Seconds of traffic before a fault, and after it.
_BEFORE, _AFTER = 4.0, 30.0
_MPI = f"""
{MARK}
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
_GLOO = f"""
{MARK}
import os, torch, torch.distributed as group
me, ranks = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
group.init_process_group("gloo", init_method="tcp://{_FROM}-node:29555", rank=me, world_size=ranks)
left, right = (me - 1) % ranks, (me + 1) % ranks
out, first, second = (torch.zeros({_SIZE} // 4) for _ in range(3))
while True:
    sent = [group.isend(out, right), group.isend(out, left)]
    group.recv(first, left)
    group.recv(second, right)
    for one in sent:
        one.wait()
    if me == 0:
        print("on", flush=True)
"""
_SERVE = f"""
{MARK}
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
{MARK}
import socket, sys
line = socket.socket(socket.AF_INET, socket.SOCK_STREAM, int(sys.argv[1]))
line.connect((sys.argv[3], int(sys.argv[2])))
while True:
    line.send(bytes(1 << 14))
"""
#: Kind of connection: its protocol and port.
_CONNECTIONS = {"TCP": ("6", "7101"), "MPTCP": ("262", "7102")}
#: What plays Exchange at the same time: its name, the shell's words that start it, and its program.
_JOBS = (
    ("Open MPI", OPEN_MPI_START, _MPI),
    ("MPICH", MPICH_START, _MPI),
    ("Gloo", GLOO_START, _GLOO),
)
#: A program; its longest time without progress before a fault, and after it: "stopped" if it did not get on, or "died".
_Figure = tuple[str, float, float | str]


def run(wheels: Path | None) -> list[Row]:
    """Bring a lab up and break it, with the service and without; needs root. Raises FlathoodError.

    ``wheels``: a folder with the wheel of mpi4py, without which MPICH is left out.
    """
    with small_lab(_LAB, copied("octet", _LAB), _RATE, PACKAGES) as (lab, folder):
        handed = hand_out(lab, wheels)
        return list(_rows(lab, folder, [job for job in _JOBS if job[0] != "MPICH" or "mpi4py" in handed]))


def _rows(lab: Lab, folder: Path, jobs: list[tuple[str, str, str]]) -> Iterator[Row]:
    faults: dict[str, Callable[[int, str], object]] = {
        "cable pulled": lambda slot, _: lab.break_(FaultKind.DEAD_CABLE, nic(_TO, slot)),
        "NIC dead": lambda slot, _: lab.break_(FaultKind.DEAD_NIC, nic(_TO, slot)),
        "switch dead": lambda _, switch: lab.break_(FaultKind.DEAD_SWITCH, switch),
    }
    for state in ("absent", "present"):
        for fault, break_ in faults.items():
            for job in jobs:
                # What a fault took from the kernel's tables is back only then.
                site(lab, folder, routing="advanced", failover_state=state)
                for program, usual, still in _measured(lab, break_, job):
                    click.echo(f"failover {state}, {fault}, {program}: {still} (before: {usual})", err=True)
                    yield {"failover": state, "fault": fault, "program": program, "before s": usual, "after s": still}


def _measured(lab: Lab, break_: Callable[[int, str], object], job: tuple[str, str, str]) -> list[_Figure]:
    """One fault: for each program how long it stood still before it and after it, seconds."""
    name, start, program = job
    with ExitStack() as stack:
        for machine in lab.machines:
            stack.callback(end, lab, machine)
        running, slot = _connected(lab, stack) if name == "Open MPI" else ({}, None)
        ranks = sum(machine != "head" for machine in lab.machines)
        shell = start.format(ranks=ranks, program=shlex.quote(program))
        running[name] = played = stack.enter_context(started(lab, _FROM, ["bash", "-lc", shell], _BEFORE + _AFTER + 60))
        played.until(lambda: len(played.moments) > 2, name)
        slot = _busiest(lab) if slot is None else slot
        time.sleep(_BEFORE)
        began = time.monotonic()
        usual = {one: progress.longest(began - _BEFORE, began) for one, progress in running.items()}
        break_(slot, lab.state.planned.cables[nic(_TO, slot)])
        time.sleep(_AFTER)
        now = time.monotonic()
        told = [(one, round(usual[one], 2), _verdict(progress, began, now)) for one, progress in running.items()]
    lab.mend()
    return told


def _connected(lab: Lab, stack: ExitStack) -> tuple[dict[str, Progress], int]:
    """The plain connections, under way until the stack is closed: the receivers' progress; the slot that TCP uses."""
    running, slot = {}, 0
    for name, (protocol, port) in _CONNECTIONS.items():
        limit = _BEFORE + _AFTER + 240
        server = stack.enter_context(started(lab, _TO, ["python3", "-c", _SERVE, protocol, port], limit))
        server.until(lambda: "ready\n" in server.said, f"{name}, the receiver,")  # noqa: B023 - called at once
        stack.enter_context(started(lab, _FROM, ["python3", "-c", _SEND, protocol, port, f"{_TO}-node"], limit))
        server.until(lambda: bool(server.moments), name)  # noqa: B023 - called at once
        running[name] = server
        slot = _busiest(lab) if name == "TCP" else slot
    return running, slot


def _verdict(one: Progress, began: float, now: float) -> float | str:
    """The longest time without progress; "died", or "stopped" if nothing was got on with in the end."""
    if one.process.poll() is not None:
        return "died"
    return round(one.longest(began, now), 2) if one.since(now - _AFTER / 3) else "stopped"


def _busiest(lab: Lab) -> int:
    """The slot of the NIC by which most comes to the receiver just now."""

    def came() -> list[int]:
        shown = lab.exec(_TO, ["sh", "-c", "cat /sys/class/net/fnn?/statistics/rx_bytes"]).stdout
        return [int(word) for word in shown.split()]

    before = came()
    time.sleep(1.0)
    moved = [now - then for now, then in zip(came(), before, strict=True)]
    return moved.index(max(moved))
