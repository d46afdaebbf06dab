# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the switches, from the controller."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.checks.call import call_everyone
from flathood.checks.evidence import NO_WITNESS, witness
from flathood.checks.observed import SwitchWord
from flathood.errors import FlathoodError
from flathood.plan import load_plan


class ActionModule(ActionBase):
    """Runs on the controller only; no connection to any machine is made."""

    TRANSFERS_FILES = False

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Call every machine, begin to watch, or collect what was seen."""
        result = super().run(tmp, task_vars)
        _, arguments = self.validate_argument_spec(
            {"phase": {"type": "str", "choices": ["call", "watch", "collect"], "required": True}}
        )
        known = task_vars or {}
        began = time.time()
        try:
            plan = load_plan(Path(known["inventory_dir"]))
            source = witness(plan)
            if arguments["phase"] == "call":
                result["obstacle"] = call_everyone(plan)
            elif source and arguments["phase"] == "watch":
                source.watch()
            elif arguments["phase"] == "collect":
                word = source.collect() if source else SwitchWord(reason=NO_WITNESS)
                result["word"] = asdict(word) | {"crossed": [[*macs, count] for macs, count in word.crossed.items()]}
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        return result | {"changed": False, "witness": source.source if source else "", "clock": [began, time.time()]}
