# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorders of a machine: one for a run that it is told of, and, where installed, one that is always there."""

from __future__ import annotations

import json
import os
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils import daemon

from . import nics
from .recorder import Recorder

RUN, STANDING = "\0flathood-cabling", "\0flathood-recorder"

Rounds = list[tuple[float, float]]


def start(machine: str, token: str, rounds: Rounds, lifetime: int) -> None:
    """Leave a recorder behind; ``rounds`` are (seconds from now, duration) of each round of probes."""
    daemon.ask(RUN, "stop")
    control = daemon.control_socket(RUN)
    for nic in nics.nics():
        nics.switch_on(nic["device"])
    recorder = Recorder(machine)
    recorder.plan(token, rounds)
    if daemon.detached():
        daemon.become_daemon({control.fileno(), *(one.fileno() for one in recorder.sockets)}, lifetime)
        try:
            recorder.run(control)
        finally:
            os._exit(0)


def collect(token: str, rounds: int, about: list[str]) -> dict[str, Any] | None:
    """End this run's recorder: ``changes``, ``heard`` of each round, and ``words`` of the machines asked about.

    Where it is gone, or never was as nobody could reach this machine then, the one that is always there is asked.
    None: there is none.
    """
    answer = daemon.ask(RUN, "collect") or daemon.ask(STANDING, "collect")
    if not answer:
        return None
    record = json.loads(answer)
    heard = {number: by for run, number, by in record["heard"] if run == token}
    return {
        "changes": record["changes"],
        "heard": [heard.get(number, {}) for number in range(rounds)],
        "words": {name: record["words"][name] for name in about if name in record["words"]},
    }
