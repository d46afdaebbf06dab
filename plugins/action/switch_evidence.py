# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the switches, from the controller."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.checks.call import call_everyone
from flathood.checks.evidence import NO_WITNESS, witness
from flathood.checks.observed import SwitchWord
from flathood.plan import load_plan


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "phase": {"type": "str", "choices": ["call", "watch", "collect"], "required": True}
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Call every machine, begin to watch, or collect what was seen."""
        result: dict[str, Any] = {}
        began = time.time()
        plan = load_plan(Path(known["inventory_dir"]))
        source = witness(plan)
        if given["phase"] == "call":
            result["obstacle"] = call_everyone(plan)
        elif source and given["phase"] == "watch":
            source.watch()
        elif given["phase"] == "collect":
            word = source.collect() if source else SwitchWord(reason=NO_WITNESS)
            result["word"] = asdict(word) | {"crossed": [[*macs, count] for macs, count in word.crossed.items()]}
        return result | {"witness": source.source if source else "", "clock": [began, time.time()]}
