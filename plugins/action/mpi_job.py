# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.mpi_job: no job where plain traffic has failed already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.checks.job import arguments, obstacle
from flathood.plan import load_plan


class ActionModule(Action):
    """Adds the hostfile, the number of ranks and the time limit, and runs the module."""

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Run the job on one node, or say why there is none."""
        hostvars = known["hostvars"]
        plan = load_plan(Path(known["inventory_dir"]))
        started = {host: hostvars[host].get("__validate_start", {}) for host in known["ansible_play_hosts_all"]}
        traffic = {host: hostvars[host].get("__validate_run", {}) for host in started}
        reason = obstacle(plan, started, traffic)
        if reason:
            return {"reason": reason, "trouble": "", "ranks": 0, "seconds": 0.0}
        done: dict[str, Any] = self._execute_module(
            module_name="flathood.cluster.mpi_job", module_args=arguments(plan) | given, task_vars=known
        )
        return done
