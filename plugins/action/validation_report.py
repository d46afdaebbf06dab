# SPDX-License-Identifier: GPL-3.0-or-later
"""Put the words of all machines and of the switches together, judge them, write the report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import ROUTING
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.checks.run import PHASES, conclude
from flathood.errors import FlathoodError


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Fail when a check failed, or when nothing was checked."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        _, arguments = self.validate_argument_spec(
            {"directory": {"type": "path", "required": True}, "routing": ROUTING}
        )
        hostvars = known["hostvars"]
        words = {
            host: {phase: hostvars[host].get(f"__validate_{phase}", {}) for phase in PHASES}
            for host in known["ansible_play_hosts_all"]
        }
        try:
            report, page = conclude(
                Path(known["inventory_dir"]),
                words,
                {task: known.get(f"__validate_{task}", {}) for task in ("switches", "job")},
                output=Path(arguments["directory"]),
                routing=arguments["routing"],
            )
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        return result | {
            "changed": False,
            "failed": report.exit in {1, 2},
            "msg": report.summary,
            "code": int(report.exit),
            "report": str(page),
        }
