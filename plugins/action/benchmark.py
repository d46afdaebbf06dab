# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of a benchmark: the command line for the first node, and the report of what it printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import ROUTING
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.benchmark import Wanted, job, keep, medium
from flathood.benchmark.report import write_report
from flathood.plan import load_plan


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "routing": ROUTING,
        "benchmarks": {"type": "list", "elements": "str", "default": list(Wanted.benchmarks)},
        "sizes": {"type": "list", "elements": "int", "default": list(Wanted.sizes)},
        "groups": {"type": "list", "elements": "int", "default": []},
        "seconds": {"type": "float", "default": Wanted.seconds},
        "root": {"type": "bool", "default": False},
        "output": {"type": "str"},
        "directory": {"type": "path"},
    }
    RULES: ClassVar[dict[str, Any]] = {"required_by": {"output": ["directory"]}}

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Without `output` the command line; with it, keep what it holds and write the report."""
        plan = load_plan(Path(known["inventory_dir"]), given["routing"])
        model = medium(plan)
        if given["output"] is None:
            wanted = Wanted(tuple(given["benchmarks"]), tuple(given["sizes"]), tuple(given["groups"]), given["seconds"])
            work = job(plan, wanted, model, root=given["root"])
            return {"argv": work.argv, "outlook": work.outlook}
        folder = Path(given["directory"])
        keep(plan, model, given["output"], folder)
        page, said = write_report(plan, folder)
        return {"report": str(page), "notes": said}
