# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.probe: work out what a node has to compare, send or expect."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.checks.work import work
from flathood.errors import FlathoodError
from flathood.plan import load_plan


class ActionModule(ActionBase):
    """Adds the work to the arguments and runs the module on the node."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Run one phase on one node; the result says when it began and ended by the controller's clock."""
        super().run(tmp, task_vars)
        known = task_vars or {}
        began = time.time()
        phase = self._task.args.get("phase")
        host, scope = known["inventory_hostname"], known["ansible_play_hosts_all"]
        try:
            plan = load_plan(Path(known["inventory_dir"]), self._task.args.get("routing"))
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        # Every task runs in a fork of the one process of this run of ansible-playbook: its number tells runs apart.
        shipped = {"phase": phase, "work": work(plan, phase, host, scope, token=f"run{os.getppid()}")}
        result = self._execute_module(module_name="flathood.cluster.probe", module_args=shipped, task_vars=task_vars)
        result["clock"] = [began, time.time()]
        return result
