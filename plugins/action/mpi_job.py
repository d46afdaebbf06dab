# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.mpi_job: no job where plain traffic has failed already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.checks.job import arguments, obstacle
from flathood.errors import FlathoodError
from flathood.plan import load_plan


class ActionModule(ActionBase):
    """Adds the hostfile, the number of ranks and the time limit, and runs the module."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run the job on one node, or say why there is none."""
        result = super().run(tmp, task_vars)
        known = task_vars or {}
        hostvars = known["hostvars"]
        try:
            plan = load_plan(Path(known["inventory_dir"]))
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        started = {host: hostvars[host].get("__validate_start", {}) for host in known["ansible_play_hosts_all"]}
        traffic = {host: hostvars[host].get("__validate_run", {}) for host in started}
        reason = obstacle(plan, started, traffic)
        if reason:
            return result | {"changed": False, "reason": reason, "trouble": "", "ranks": 0, "seconds": 0.0}
        return self._execute_module(
            module_name="flathood.cluster.mpi_job", module_args=arguments(plan) | self._task.args, task_vars=task_vars
        )
