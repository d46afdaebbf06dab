# SPDX-License-Identifier: GPL-3.0-or-later
"""Between the library's question which switch cables are in and the tasks that have machines answer it.

The tasks are those of playbooks/tasks/probe_plugs.yml. Import it after the library was found (see library.py).
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from typing import Any

from flathood.plan import Plan
from flathood.rewiring.probe import Question

#: What the tasks register: what a machine said whose plugs were moved, and what one that listened has heard.
SPOKEN, HEARD = "__probe_spoken", "__probe_heard"


def new_token() -> str:
    """What tells the frames of this attempt from all others."""
    return f"{os.getppid():x}.{int(time.time()) & 0xFFFFFF:x}"


def told(plan: Plan, asked: Question, token: str) -> dict[str, Any]:
    """What the tasks need to know."""
    return {
        "token": token,
        "work": asked.work(token),
        "listeners": list(asked.listeners),
        "speakers": list(dict.fromkeys(nic.machine for nic in asked.places)),
        "addresses": asked.addresses,
        "mac": plan.mac(plan.head, 0),
    }


def judged(asked: Question, hosts: dict[str, Any], silent: Collection[str] = ()) -> list[str]:
    """What is not as it is to be, by what the machines have said; ``silent``: those of them that do not answer."""
    names = dict.fromkeys(nic.machine for nic in asked.places)
    carriers = {name: hosts[name].get(SPOKEN, {}).get("carriers", {}) for name in names}
    words = [hosts[name].get(HEARD, {}) for name in asked.listeners]
    heard = {key: [address for word in words for address in word.get(key, [])] for key in ("spoken", "called")}
    # What a machine would have to say that cannot be asked is not known.
    problems = [line for line in asked.judge(carriers, heard) if line.partition(" ")[0] not in silent]
    return problems + [
        f"{name} does not answer: is it switched on, and is the cable of fnn0 in the right place?" for name in silent
    ]
