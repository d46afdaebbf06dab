# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of a benchmark: the command line for the first node, and the report of what it printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import ROUTING
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.benchmark import Wanted, command, keep, medium
from flathood.benchmark.report import write_report
from flathood.errors import FlathoodError
from flathood.plan import load_plan

ARGUMENTS = {
    "routing": ROUTING,
    "benchmarks": {"type": "list", "elements": "str", "default": list(Wanted.benchmarks)},
    "sizes": {"type": "list", "elements": "int", "default": list(Wanted.sizes)},
    "groups": {"type": "list", "elements": "int", "default": []},
    "seconds": {"type": "float", "default": Wanted.seconds},
    "root": {"type": "bool", "default": False},
    "output": {"type": "str"},
    "directory": {"type": "path"},
}


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Without `output` the command line; with it, keep what it holds and write the report."""
        result = super().run(tmp, task_vars) | {"changed": False}
        _, given = self.validate_argument_spec(ARGUMENTS, required_by={"output": ["directory"]})
        try:
            plan = load_plan(Path((task_vars or {})["inventory_dir"]), given["routing"])
            model = medium(plan)
            if given["output"] is None:
                wanted = Wanted(
                    tuple(given["benchmarks"]), tuple(given["sizes"]), tuple(given["groups"]), given["seconds"]
                )
                return result | {"argv": command(plan, wanted, model, root=given["root"])}
            folder = Path(given["directory"])
            keep(plan, model, given["output"], folder)
            page, said = write_report(plan, folder)
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        return result | {"report": str(page), "notes": said}
