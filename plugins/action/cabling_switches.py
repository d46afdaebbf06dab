# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch switches off and on by the schedule, from the controller."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood import inventory
from flathood.cabling.agents import agents
from flathood.cabling.collect import Schedule, conduct, power
from flathood.errors import FlathoodError


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """The flips with their times, and the MAC tables of switches that can be asked."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _, arguments = self.validate_argument_spec(
            {
                "at": {"type": "float", "required": True},
                "pause": {"type": "float", "required": True},
                "power": {"type": "bool", "default": True},
                "flips": {"type": "bool", "default": True},
                "snmp": {"type": "dict", "default": {}, "no_log": True},
            }
        )
        started = {host: known["hostvars"][host].get("__cabling_start", {}) for host in known["ansible_play_hosts_all"]}
        told = [word["clock"] for word in started.values() if "time" in word]
        delay = max((end - begin for begin, end in told), default=0.0)
        try:
            loaded = inventory.load(Path(known["inventory_dir"]), need_macs=False)
            asked = agents(loaded.cluster, arguments["snmp"])
            hands = power(loaded, lambda text: Display().prompt_until(text, private=False))
            schedule = Schedule(arguments["at"], arguments["pause"], delay, arguments["flips"])
            noted = conduct(loaded, schedule, hands if arguments["power"] else None, asked)
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        untold = [host for host, word in started.items() if "time" not in word]
        return result | {"changed": False, "untold": untold} | noted
