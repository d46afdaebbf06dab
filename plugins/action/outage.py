# SPDX-License-Identifier: GPL-3.0-or-later
"""Have the cluster go on without what is dead: wiring.yml, and the ways to nodes that are cut off from the head."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.errors import FlathoodError
from flathood.plan import load_plan
from flathood.rewiring.outage import go_without, ways

OPTIONS = {
    "phase": {"type": "str", "choices": ["mark", "way"], "required": True},
    "directory": {"type": "path", "required": True},
    "dead": {"type": "list", "elements": "str", "default": []},
    "back": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Mark what is dead, or say how one machine is reached."""
        result = super().run(tmp, task_vars)
        _, given = self.validate_argument_spec(OPTIONS)
        known, directory = task_vars or {}, Path(given["directory"])
        try:
            if given["phase"] == "mark":
                concerned = go_without(directory, given["dead"], given["back"], dry=self._task.check_mode)
                nics = [[nic.machine, nic.slot] for nic in concerned]
                return result | {"changed": bool(nics), "nics": nics}
            found = {way.node: way for way in ways(load_plan(directory))}
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        way = found.get(known["inventory_hostname"])
        result["changed"] = False
        if way is None:
            return result
        # ssh's own -J would take none of Ansible's options to the machine in between.
        option = self._connection.get_option
        jump = ["ssh", *shlex.split(option("ssh_args") or ""), *shlex.split(option("ssh_common_args") or "")]
        if key := option("private_key_file"):
            jump += ["-i", key]
        jump += ["-o", "ControlPath=none", "-W", "%h:%p", f"{option('remote_user') or 'root'}@{way.over}"]
        arguments = f"-o ProxyCommand={shlex.quote(shlex.join(jump))} -o HostKeyAlias={known['ansible_host']}"
        told = f"{way.node} is reached at {way.address} over {way.over}"
        return result | {"address": way.address, "arguments": arguments, "msg": told}
