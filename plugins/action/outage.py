# SPDX-License-Identifier: GPL-3.0-or-later
"""Have the cluster go on without what is dead: wiring.yml, and the ways to nodes that are cut off from the head."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.plan import load_plan
from flathood.rewiring.outage import go_without, ways


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "phase": {"type": "str", "choices": ["mark", "way"], "required": True},
        "directory": {"type": "path", "required": True},
        "dead": {"type": "list", "elements": "str", "default": []},
        "back": {"type": "bool", "default": False},
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Mark what is dead, or say how one machine is reached."""
        directory = Path(given["directory"])
        if given["phase"] == "mark":
            concerned = go_without(directory, given["dead"], given["back"], dry=self._task.check_mode)
            return {"changed": bool(concerned), "nics": [[nic.machine, nic.slot] for nic in concerned]}
        found = {way.node: way for way in ways(load_plan(directory))}
        way = found.get(known["inventory_hostname"])
        if way is None:
            return {}
        # ssh's own -J would take none of Ansible's options to the machine in between.
        option = self._connection.get_option
        jump = self.ssh()
        if key := option("private_key_file"):
            jump += ["-i", key]
        jump += ["-o", "ControlPath=none", "-W", "%h:%p", f"{option('remote_user') or 'root'}@{way.over}"]
        arguments = f"-o ProxyCommand={shlex.quote(shlex.join(jump))} -o HostKeyAlias={known['ansible_host']}"
        told = f"{way.node} is reached at {way.address} over {way.over}"
        return {"address": way.address, "arguments": arguments, "msg": told}
