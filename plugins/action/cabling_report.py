# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the words of all machines and of the switches together as evidence, and audit the cabling by it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood import inventory
from flathood.cabling.assemble import assemble
from flathood.cabling.collect import PHASES
from flathood.cabling.conclude import Wish, conclude

LATE = (
    "The probes tell nothing: the uplink switch was not off, or not on again, when all machines sent. Give more time: "
    "audit_reach to people who switch it, audit_lead where it took long to tell all machines.\n"
)


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "directory": {"type": "path", "required": True},
        "adopt": {"type": "bool", "default": False},
        "macs": {"type": "bool", "default": False},
        "names": {"type": "dict", "default": {}},
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Fail when the cabling differs from the plan, unless it is adopted as it is."""
        hostvars = known["hostvars"]
        words = {
            host: {phase: hostvars[host].get(f"__cabling_{phase}", {}) for phase in PHASES}
            for host in known["ansible_play_hosts_all"]
        }
        loaded = inventory.load(Path(known["inventory_dir"]), need_macs=not given["macs"])
        evidence = assemble(loaded, words, known["__cabling_switches"], given["names"])
        wish = Wish(given["adopt"], given["macs"], dry=self._task.check_mode)
        done = conclude(loaded, evidence, Path(given["directory"]), wish)
        return {
            "changed": done.written,
            "failed": done.failed,
            "msg": (LATE if known["__cabling_switches"]["late"] else "") + done.message,
            "code": done.report.exit_code,
            "evidence": str(done.evidence),
            "findings": [str(finding) for finding in done.report.findings],
            "moves": [move.sentence() for move in done.moves],
        }
