# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.probe: work out what a node has to compare, send or expect."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.checks.work import work
from flathood.plan import load_plan


class ActionModule(Action):
    """Adds the work to the arguments and runs the module on the node."""

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Run one phase on one node; the result says when it began and ended by the controller's clock."""
        began = time.time()
        phase = given.get("phase")
        host, scope = known["inventory_hostname"], known["ansible_play_hosts_all"]
        plan = load_plan(Path(known["inventory_dir"]), given.get("routing"))
        # Every task runs in a fork of the one process of this run of ansible-playbook: its number tells runs apart.
        shipped = {"phase": phase, "work": work(plan, phase, host, scope, token=f"run{os.getppid()}")}
        done: dict[str, Any] = self._execute_module(
            module_name="flathood.cluster.probe", module_args=shipped, task_vars=known
        )
        return done | {"clock": [began, time.time()]}
