# SPDX-License-Identifier: GPL-3.0-or-later
"""Switch switches off and on by the schedule, from the controller."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from ansible.utils.display import Display
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood import inventory
from flathood.cabling.agents import agents
from flathood.cabling.collect import HandPower, Power, Schedule, conduct, power
from flathood.spec.model import Cluster


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "phase": {"type": "str", "choices": ["ready", "switch"], "default": "switch"},
        "at": {"type": "float"},
        "pause": {"type": "float"},
        "power": {"type": "bool", "default": True},
        "flips": {"type": "bool", "default": True},
        "reach": {"type": "float", "default": 60.0},
        "snmp": {"type": "dict", "default": {}, "no_log": True},
    }
    RULES: ClassVar[dict[str, Any]] = {"required_if": [("phase", "switch", ("at", "pause"))]}

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """The flips with their times, and the MAC tables of switches that can be asked."""
        loaded = inventory.load(Path(known["inventory_dir"]), need_macs=False)
        hands = power(loaded, partial(Display().prompt_until, private=False), given["reach"])
        if given["phase"] == "ready":
            return _ready(loaded.cluster, given, hands)
        asked = agents(loaded.cluster, given["snmp"])
        started = _started(known)
        told = [word["clock"] for word in started.values() if "time" in word]
        delay = max((end - begin for begin, end in told), default=0.0)
        schedule = Schedule(given["at"], given["pause"], delay, given["flips"])
        noted = conduct(loaded, schedule, hands if given["power"] else None, asked)
        return {"untold": [host for host, word in started.items() if "time" not in word]} | noted


def _ready(cluster: Cluster, given: dict[str, Any], hands: Power) -> dict[str, Any]:
    """How long switching takes; a person is told what is to come first."""
    if not given["power"]:
        return {"reach": 0.0}
    if isinstance(hands, HandPower):
        hands.begin(cluster.uplink.name, cluster.switch_names if given["flips"] else ())
    return {"reach": hands.reach}


def _started(known: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What each machine answered when it was told of the rounds."""
    return {host: known["hostvars"][host].get("__cabling_start", {}) for host in known["ansible_play_hosts_all"]}
