# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a rewiring, on the controller: what to plug next, who has to find out whether it is, and the journal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils.rewiring import OPTIONS
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action
from ansible_collections.flathood.cluster.plugins.plugin_utils.probing import judged, new_token, told

from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.plan import load_plan
from flathood.rewiring.aim import Aim
from flathood.rewiring.hands import Hands, plug, worklist
from flathood.rewiring.probe import question
from flathood.rewiring.work import Work


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS = OPTIONS

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Do one phase."""
        return getattr(self, f"_{given['phase']}")(Path(given["directory"]), given, known)

    def _begin(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Find out what is to be moved; the journal is begun, or gone on with."""
        aim = Aim(
            profile=given["profile"],
            moves=given["moves"],
            gain=given["gain"],
            without=tuple(given["without"]),
            wiring=Path(given["wiring"]) if given["wiring"] else None,
            undo=given["undo"],
            most=given["most"],
            seconds=given["seconds"],
        )
        work = aim.work(directory, dry=self._task.check_mode)
        if work is None:
            return {"batches": 0, "msg": ["Nothing is to be moved: all is as wanted."]}
        return {"changed": True, "batches": work.left, "msg": worklist(work, given["people"])}

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
            # The nodes that have no other cable than those to be moved, and those that had none.
            "alone": list(work.alone),
            "alone_before": list(work.alone_before),
        }

    def _plug(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have the cables of the batch moved, or the text that asks people to; and who is to look where they are."""
        work = _work(directory)
        hands = Hands(given["hands"], given["mistakes"], given["people"])
        prompt = plug(work, hands, given["attempt"], given["problems"])
        token, plan = new_token(), load_plan(directory)
        asked = question(plan, work.where.batch.places(), token)
        return {"changed": True, "prompt": prompt, "attempt": given["attempt"], **told(plan, asked, token)}

    def _judge(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Hold what the machines say against the batch; note it in the journal when all is right."""
        work, hosts = _work(directory), known["hostvars"]
        asked = question(load_plan(directory), work.where.batch.places(), given["token"])
        problems = judged(asked, hosts, given["silent"])
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
