# SPDX-License-Identifier: GPL-3.0-or-later
"""The offline proof, on the controller: no connection to any machine is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import CHECK
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action
from ansible_collections.flathood.cluster.plugins.plugin_utils.compiler import options

from flathood.plan import load_plan
from flathood.plan.proof import Compiled, prove

#: Failures told in full; the rest by number.
MOST = 10


class ActionModule(Action):
    """Proves what the roles are about to install."""

    ARGUMENTS = CHECK

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Fail with what is wrong; otherwise say how much was proved."""
        plan = load_plan(Path(given["directory"]), given["routing"])
        chosen = options(given["options"])
        report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, chosen), chosen)
        result = {"proved": dict(report.proved), "warnings": [str(one) for one in report.warnings]}
        if report.failures:
            more = len(report.failures) - MOST
            told = [str(one) for one in report.failures[:MOST]] + ([f"and {more} more"] if more > 0 else [])
            return result | {"failed": True, "msg": "The plan does not hold:\n" + "\n".join(told)}
        return result | {"msg": f"{report.proved.total()} statements proved over the compiled files"}
