# SPDX-License-Identifier: GPL-3.0-or-later
"""The offline proof, on the controller: no connection to any machine is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import CHECK
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from ansible_collections.flathood.cluster.plugins.plugin_utils.compiler import options

from flathood.errors import FlathoodError
from flathood.plan import load_plan
from flathood.plan.proof import Compiled, prove

#: Failures told in full; the rest by number.
MOST = 10


class ActionModule(ActionBase):
    """Proves what the roles are about to install."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Fail with what is wrong; otherwise say how much was proved."""
        result = super().run(tmp, task_vars)
        _, wanted = self.validate_argument_spec(CHECK)
        try:
            plan = load_plan(Path(wanted["directory"]), wanted["routing"])
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        chosen = options(wanted["options"])
        report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, chosen), chosen)
        result |= {"changed": False, "proved": dict(report.proved), "warnings": [str(one) for one in report.warnings]}
        if report.failures:
            more = len(report.failures) - MOST
            told = [str(one) for one in report.failures[:MOST]] + ([f"and {more} more"] if more > 0 else [])
            return result | {"failed": True, "msg": "The plan does not hold:\n" + "\n".join(told)}
        return result | {"msg": f"{report.proved.total()} statements proved over the compiled files"}
