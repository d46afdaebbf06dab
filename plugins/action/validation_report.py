# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the words of all machines and of the switches together, judge them, write the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import ROUTING
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.checks.run import PHASES, conclude


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {"directory": {"type": "path", "required": True}, "routing": ROUTING}

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Fail when a check failed, or when nothing was checked."""
        hostvars = known["hostvars"]
        words = {
            host: {phase: hostvars[host].get(f"__validate_{phase}", {}) for phase in PHASES}
            for host in known["ansible_play_hosts_all"]
        }
        report, page = conclude(
            Path(known["inventory_dir"]),
            words,
            {task: known.get(f"__validate_{task}", {}) for task in ("switches", "job")},
            output=Path(given["directory"]),
            routing=given["routing"],
        )
        return {
            "failed": report.exit in {1, 2},
            "msg": report.summary,
            "code": int(report.exit),
            "report": str(page),
        }
