# SPDX-License-Identifier: Apache-2.0
"""A rewiring on a lab: while every node pings every other, killed at random moments, gone on with, and undone."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from flathood.bench.measure import Row
from flathood.bench.pinging import all_pairs
from flathood.errors import FlathoodError
from flathood.inventory import WIRING
from flathood.lab import Lab
from flathood.plan import load_plan
from flathood.playbook import command, play, start
from flathood.rewiring.journal import standing

#: Seconds that one run of a playbook may take.
_LIMIT = 3600


def work(directory: Path, aim: Sequence[str], kills: int, every: float, seed: int) -> list[Row]:
    """There and back on a lab that is up and provisioned; one row for each way.

    ``aim``: what the playbook is told, such as ``profile=torus3d``. ``kills``: how often the playbook is killed on the
    way there. ``every``: seconds between two pings of a pair. Raises FlathoodError when a playbook fails, when
    the validation finds a fault, or when the way back does not end with the bytes that were there.
    """
    lab, chances = Lab.open(directory), random.Random(seed)  # noqa: S311 - no secret
    before, plan = (directory / WIRING).read_bytes(), load_plan(directory)
    rows = []
    for way, told, times in (("there", aim, kills), ("back", ["rewire_undo=true"], 0)):
        began, killed = time.monotonic(), 0
        with all_pairs(lab, plan, every) as pings:
            while killed < times and _killed(lab, directory, told, chances):
                killed += 1
            text = _play(lab, directory, "rewire", told)
        seconds = time.monotonic() - began
        where = standing(directory)
        if where is None or not where.ended:
            raise FlathoodError(f"bench: the rewiring did not come to its end:\n{text[-2000:]}")
        with tempfile.TemporaryDirectory() as output:
            _play(lab, directory, "validate", [f"validate_directory={output}"])
        rows.append(
            {
                "way": way,
                "plugs": sum(len(batch.moves) for batch in where.batches),
                "batches": len(where.batches),
                "killed": killed,
                "pings": pings.sent,
                "lost": pings.lost,
                "longest_seconds": round(pings.longest, 1),
                "of_pair": pings.pair,
                "seconds": round(seconds, 1),
            }
        )
    if (directory / WIRING).read_bytes() != before:
        raise FlathoodError(f"bench: {directory / WIRING} is not what it was, byte for byte")
    left = _play(lab, directory, "site", [], "--check")
    if any("changed=" in line and "changed=0" not in line for line in left.splitlines()):
        raise FlathoodError(f"bench: machines are not as they were:\n{left[-2000:]}")
    return rows


def _command(directory: Path, playbook: str, told: Sequence[str], *more: str) -> list[str]:
    return command(playbook, directory / "cluster.yml", *(word for one in told for word in ("-e", one)), *more)


def _play(lab: Lab, directory: Path, playbook: str, told: Sequence[str], *more: str) -> str:
    """Run a playbook to its end; what it said."""
    done = play(_command(directory, playbook, told, *more), lab, limit=_LIMIT)
    if done.returncode:
        raise FlathoodError(f"bench: playbooks/{playbook}.yml failed:\n{done.stdout[-3000:]}")
    return done.stdout


def _killed(lab: Lab, directory: Path, told: Sequence[str], chances: random.Random) -> bool:
    """Run the playbook and kill it at a moment within its work; False when it came to its end before."""
    with start(_command(directory, "rewire", told), lab, group=True) as program:
        seen, stop = 0, chances.randint(3, 20)
        for line in program.stdout or ():
            # Moments are counted in tasks, so that they are spread over its work however slow the machine is.
            seen += line.startswith("TASK")
            if seen >= stop:
                time.sleep(chances.random())
                os.killpg(program.pid, signal.SIGKILL)
                program.communicate()
                return True
    return False
