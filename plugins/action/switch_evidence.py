# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask the switches, from the controller."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood import inventory
from flathood.checks.call import call_everyone
from flathood.checks.evidence import NO_WITNESS, witness
from flathood.checks.observed import SwitchWord


class ActionModule(Action):
    """Runs on the controller only; no connection to any machine is made."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "phase": {"type": "str", "choices": ["call", "watch", "collect"], "required": True}
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Call every machine, begin to watch, or collect what was seen."""
        result: dict[str, Any] = {}
        began, directory = time.time(), Path(known["inventory_dir"])
        # An audit calls machines of which not every NIC is known yet.
        cluster = inventory.load(directory, need_macs=False).cluster
        if given["phase"] == "call":
            return {"obstacle": call_everyone(cluster), "clock": [began, time.time()]}
        source = witness(cluster)
        if source and given["phase"] == "watch":
            source.watch()
        elif given["phase"] == "collect":
            word = source.collect() if source else SwitchWord(reason=NO_WITNESS)
            result["word"] = asdict(word) | {"crossed": [[*macs, count] for macs, count in word.crossed.items()]}
        return result | {"witness": source.source if source else "", "clock": [began, time.time()]}
