# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch switches off and on by the schedule, from the controller."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible.utils.display import Display
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood import inventory
from flathood.cabling.agents import agents
from flathood.cabling.collect import HandPower, Power, Schedule, conduct, power
from flathood.errors import FlathoodError
from flathood.spec.model import Cluster


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """The flips with their times, and the MAC tables of switches that can be asked."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _, arguments = self.validate_argument_spec(
            {
                "phase": {"type": "str", "choices": ["ready", "switch"], "default": "switch"},
                "at": {"type": "float"},
                "pause": {"type": "float"},
                "power": {"type": "bool", "default": True},
                "flips": {"type": "bool", "default": True},
                "reach": {"type": "float", "default": 60.0},
                "snmp": {"type": "dict", "default": {}, "no_log": True},
            },
            required_if=[("phase", "switch", ("at", "pause"))],
        )
        try:
            loaded = inventory.load(Path(known["inventory_dir"]), need_macs=False)
            hands = power(loaded, partial(Display().prompt_until, private=False), arguments["reach"])
            if arguments["phase"] == "ready":
                return result | {"changed": False} | _ready(loaded.cluster, arguments, hands)
            asked = agents(loaded.cluster, arguments["snmp"])
            started = _started(known)
            told = [word["clock"] for word in started.values() if "time" in word]
            delay = max((end - begin for begin, end in told), default=0.0)
            schedule = Schedule(arguments["at"], arguments["pause"], delay, arguments["flips"])
            noted = conduct(loaded, schedule, hands if arguments["power"] else None, asked)
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        untold = [host for host, word in started.items() if "time" not in word]
        return result | {"changed": False, "untold": untold} | noted


def _ready(cluster: Cluster, arguments: dict[str, Any], hands: Power) -> dict[str, Any]:
    """How long switching takes; a person is told what is to come first."""
    if not arguments["power"]:
        return {"reach": 0.0}
    if isinstance(hands, HandPower):
        hands.begin(cluster.uplink.name, cluster.switch_names if arguments["flips"] else ())
    return {"reach": hands.reach}


def _started(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each machine answered when it was told of the rounds."""
    return {host: known["hostvars"][host].get("__cabling_start", {}) for host in known["ansible_play_hosts_all"]}
