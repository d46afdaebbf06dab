# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of a replacement, on the controller: who changes places with whom, macs.yml, the plugs, the journal."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils.rewiring import REPLACE
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action
from ansible_collections.flathood.cluster.plugins.plugin_utils.probing import judged, new_token, told

from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.plan import load_plan
from flathood.rewiring import hands
from flathood.rewiring.exchange import Replacing, exchange_keys, replacing, under_way
from flathood.rewiring.host_keys import files
from flathood.rewiring.probe import question
from flathood.rewiring.spare import witnesses

#: What the tasks register: what a machine said of its NICs, and whether a witness has heard one that should be dead.
LOOK, HEARD = "__replace_look", "__replace_heard"


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS = REPLACE

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Do one phase."""
        return getattr(self, f"_{given['phase']}")(Path(given["directory"]), given, known)

    def _begin(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Find out what is to be done; nothing is written."""
        work = self._wanted(directory, given)
        if work is None:
            state = "in its own place" if given["back"] else f"replaced by {given['spare']}"
            return {"todo": False, "msg": [f"Nothing is to be done: {given['node']} is {state}."]}
        asked = {} if work.exchanged or work.exchange.back else witnesses(load_plan(directory), work.exchange.node)
        return {
            "changed": True,
            "todo": True,
            "back": work.exchange.back,
            "machines": [_told(work, lives=True), _told(work, lives=False)],
            "prefix": work.inventory.cluster.addresses.outside.prefixlen,
            "witnesses": asked,
            "msg": [f"{work.exchange.told()}.", *hands.changeover(work)],
        }

    def _keys(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have known_hosts say what an exchange that came to its end makes of it, should that have been cut short."""
        changed = exchange_keys(load(directory, need_macs=True), self._known_hosts(known))
        return {"changed": bool(changed), "files": [str(path) for path in changed]}

    def _look(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Hold who answers against who should; which machines have to be told an address, and who is silent."""
        work, hosts = self._wanted(directory, given), known["hostvars"]
        if work is None:
            return {}
        living, other = _told(work, lives=True), _told(work, lives=False)
        lives, answers = (one["mac"] in hosts[one["name"]].get(LOOK, {}).get("stdout", "") for one in (living, other))
        silent = [] if answers else [other["becomes"]]
        if work.exchanged:
            # It has both addresses, unless it lost its power before it was told.
            return {"tell": [] if lives else [living | {"seek": True}], "silent": silent}
        heard = [
            f"{peer} at {one['item']}"
            for peer in given["witnesses"]
            for one in hosts[peer].get(HEARD, {}).get("results", ())
            if one.get("rc") == 0
        ]
        problems = []
        if not lives:
            problems.append(
                f"{living['now']} does not answer at {living['old']}: is it switched on, and in its place? "
                "`playbooks/site.yml --limit HEAD` renews what the head knows of it"
            )
        if not work.exchange.back and (answers or heard):
            who = " and ".join([*(["the head"] if answers else []), *heard])
            problems.append(f"{other['now']} is not dead, it answers {who}: switch it off first")
        if problems:
            raise FlathoodError("; ".join(problems))
        # The one that lives comes last: what the head is told of it then holds.
        return {"tell": [one | {"seek": False} for one in ([other] if answers else []) + [living]], "silent": silent}

    def _exchange(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have macs.yml say it, with a line in the journal before."""
        work = self._wanted(directory, given)
        if work is None:
            return {}
        changed = not (work.begun and work.exchanged)
        return {"changed": changed, "msg": work.make().exchange.told()}

    def _plug(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Have the cables changed over, or the text that asks people to; and who is to look where they are."""
        work = _current(directory)
        who = hands.Hands(given["hands"], given["mistakes"])
        prompt = hands.exchange(work, who, given["attempt"], given["problems"])
        token, plan = new_token(), load_plan(directory)
        asked = question(plan, hands.judged(work), token, given["among"])
        return {"changed": True, "prompt": prompt, "attempt": given["attempt"], **told(plan, asked, token)}

    def _judge(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Hold what the machines say against what is to be."""
        asked = question(load_plan(directory), hands.judged(_current(directory)), given["token"], given["among"])
        problems = judged(asked, known["hostvars"], given["silent"])
        return {"ok": not problems, "problems": problems, "msg": problems or ["All plugs are where they belong."]}

    def _end(self, directory: Path, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Note that it has come to its end; then host keys change places where ssh looks them up."""
        paths = self._known_hosts(known)
        work = _current(directory).end(paths)
        changed = exchange_keys(work.inventory, paths)
        return {"changed": True, "msg": f"{work.exchange.told()}: done.", "files": [str(path) for path in changed]}

    def _known_hosts(self, known: dict[str, Any]) -> tuple[Path, ...]:
        """Where ssh looks up host keys for this task's machine."""
        ssh = self.ssh()
        return files(ssh, known["ansible_host"]) if ssh else ()

    def _wanted(self, directory: Path, given: dict[str, Any]) -> Replacing | None:
        if not given["node"]:
            raise FlathoodError("which node is to be replaced? Name it: -e node=NAME")
        return replacing(directory, given["node"], given["spare"], given["back"])


def _told(work: Replacing, *, lives: bool) -> dict[str, Any]:
    """One of the two machines; ``name`` is its name for now, ``at`` where it is to be looked for."""
    machine = work.living if lives else work.other
    name, at = (machine.becomes, machine.new) if work.exchanged else (machine.now, machine.old)
    return asdict(machine) | {"name": name, "at": at}


def _current(directory: Path) -> Replacing:
    """The replacement that is under way."""
    work = under_way(load(directory, need_macs=True))
    if work is None:
        raise FlathoodError(f"{directory}: no replacement is under way")
    return work
