# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.install: render a role of one machine, and ship only what differs."""

from __future__ import annotations

import time
import uuid
from functools import cache, partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import INSTALL
from ansible_collections.flathood.cluster.plugins.plugin_utils import packing
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action
from ansible_collections.flathood.cluster.plugins.plugin_utils.compiler import options

from flathood.errors import FlathoodError
from flathood.plan import load_plan, render
from flathood.plan.views import ROLES_OF, kind_of

#: Made once, where Ansible loads this plugin before it forks its workers: it tells a fact of this run from an old one,
#: which a fact cache may well hand out.
RUN = uuid.uuid4().hex
FACT = "flathood_state"
#: Seconds between two attempts to reach a machine that may be booting, and at most for the first; each further one gets
#: twice as long, as a machine may be slow.
PAUSE = 2.0
ATTEMPT = 8


class ActionModule(Action):
    """Compares on the controller; makes no connection where a machine is known to be right."""

    ARGUMENTS = INSTALL

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Install one role, or all of its roles, on one machine."""
        host, fresh = known["inventory_hostname"], {}
        try:
            plan = load_plan(Path(given["directory"]), given["routing"])
            draw = partial(render, plan, host, options=options(given["options"]))
            mine = ROLES_OF[kind_of(plan, host)]
            views = [draw(role) for role in (mine if given["role"] == "all" else (given["role"],))]
        except KeyError as error:
            raise AnsibleActionFail(f"{host}: {given['directory']}/cluster.yml has no machine of this name") from error
        except (FlathoodError, TypeError, ValueError) as error:
            raise AnsibleActionFail(f"{host}: {error}") from error

        look = cache(lambda: packing.look_at(draw(role) for role in mine))
        state = self._known_state(known)
        if state is None:
            answer = self._first_contact(host, look(), given["patience"], known)
            if answer.get("failed"):
                return answer | {"msg": f"{host}: {answer.get('msg')}"}
            state = answer["state"]
            fresh = _fact(state)
        stale = {path for view in views for path in packing.stale_files(view, state)}
        if not stale and not any(packing.drifted(view, state) for view in views):
            return fresh | _told(state)

        arguments = self._task.args | {"payload": packing.pack(views, stale, look())}
        answer = self._execute_module("flathood.cluster.install", arguments, task_vars=known)
        state = answer.pop("state", None)
        if answer.get("failed"):
            return answer | {"msg": f"{host}: role {given['role']}: {answer.get('msg')}"}
        return answer | _told(state) | _fact(state)

    def _known_state(self, task_vars: dict[str, Any]) -> packing.State | None:
        """What this run already knows of the machine, or None."""
        fact = task_vars.get("ansible_facts", {}).get(FACT, {})
        return fact["state"] if fact.get("run") == RUN else None

    def _first_contact(
        self, host: str, look: dict[str, list[str]], patience: int, task_vars: dict[str, Any]
    ) -> dict[str, Any]:
        """Ask the machine for its state, again and again while it may be booting.

        The first attempt does not count, as it may meet a connection left over from an earlier run, and dead.
        """
        began = time.monotonic()
        usual = self._connection.get_option("timeout") if self._connection.transport == "ssh" else None
        attempts = 0
        while True:
            if usual is not None:
                self._connection.set_option("timeout", min(ATTEMPT << attempts, usual))
            attempts += 1
            try:
                return self._execute_module("flathood.cluster.state", {"look": look}, task_vars=task_vars)
            except AnsibleConnectionFailure as error:
                tried = time.monotonic() - began
                if attempts > 1 and tried + PAUSE > patience:
                    address = task_vars.get("ansible_host", host)
                    # ssh's own words come last, after advice that is true of any host.
                    reason = error.message.rpartition("ssh: ")[2].strip()
                    message = f"{host} cannot be reached at {address} (tried for {tried:.0f} s): {reason}"
                    raise AnsibleConnectionFailure(message) from error
                time.sleep(PAUSE)


def _told(state: packing.State) -> dict[str, Any]:
    """What of a machine's state is for the operator's eyes or for the next task."""
    return {key: state[key] for key in ("leasing_for", "no_carrier") if state.get(key) not in (None, [])}


def _fact(state: packing.State) -> dict[str, Any]:
    return {"ansible_facts": {FACT: {"run": RUN, "state": state}}}
