# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a rewiring, on the controller: what to plug next, who has to find out whether it is, and the journal."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.module_utils.rewiring import OPTIONS
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.plan import load_plan
from flathood.rewiring.aim import Aim
from flathood.rewiring.hands import plug, worklist
from flathood.rewiring.probe import question
from flathood.rewiring.work import Work


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Do one phase."""
        result = super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(OPTIONS)
        known = task_vars or {}
        directory = Path(given["directory"])
        try:
            told = getattr(self, f"_{given['phase']}")(directory, given, known)
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        return result | {"changed": False} | told

    def _begin(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Find out what is to be moved; the journal is begun, or gone on with."""
        aim = Aim(
            profile=given["profile"],
            moves=given["moves"],
            gain=given["gain"],
            wiring=Path(given["wiring"]) if given["wiring"] else None,
            undo=given["undo"],
            most=given["most"],
            seconds=given["seconds"],
        )
        work = aim.work(directory, dry=self._task.check_mode)
        if work is None:
            return {"batches": 0, "msg": ["Nothing is to be moved: all is as wanted."]}
        return {"changed": True, "batches": work.left, "msg": worklist(work)}

    def _enter(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have wiring.yml say that the next batch's cables are idle."""
        work = _work(directory).enter()
        batch = work.where.batch
        return {
            "changed": True,
            "msg": work.told(),
            "last": batch is None,
            # The nodes of the batch before: what they have now, others have to be able to answer.
            "first": list(work.before_this),
        }

    def _plug(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have the cables of the batch moved, or the text that asks people to; and who is to look where they are."""
        work = _work(directory)
        prompt = plug(work, given["hands"], given["attempt"], given["mistakes"], given["problems"])
        token = f"{os.getppid():x}.{int(time.time()) & 0xFFFFFF:x}"
        plan = load_plan(directory)
        asked = question(plan, work.where.batch.places(), token)
        return {
            "changed": True,
            "prompt": prompt,
            "attempt": given["attempt"],
            "token": token,
            "work": asked.work(token),
            "listeners": list(asked.listeners),
            "speakers": list(dict.fromkeys(nic.machine for nic in asked.places)),
            "addresses": asked.addresses,
            "mac": plan.mac(plan.head, 0),
        }

    def _judge(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Hold what the machines say against the batch; note it in the journal when all is right."""
        work, hosts = _work(directory), known["hostvars"]
        asked = question(load_plan(directory), work.where.batch.places(), given["token"])
        carriers = {node: hosts[node].get("__rewire_spoken", {}).get("carriers", {}) for node in work.where.batch.nodes}
        words = [hosts[name].get("__rewire_heard", {}) for name in asked.listeners]
        heard = {key: [address for word in words for address in word.get(key, [])] for key in ("spoken", "called")}
        problems = asked.judge(carriers, heard)
        if not problems:
            work = work.done()
        return {"changed": not problems, "ok": not problems, "problems": problems, "msg": problems or [work.told()]}

    def _end(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Note that the last wiring is installed."""
        work = _work(directory)
        ended = work.end()
        return {"changed": not work.where.ended, "msg": ended.told()}


def _work(directory: Path) -> Work:
    """The rewiring that is under way."""
    work = Work.of(directory, load(directory, need_macs=False).cluster)
    if work is None:
        raise FlathoodError(f"{directory}: no rewiring is under way")
    return work
