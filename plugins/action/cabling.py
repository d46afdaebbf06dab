# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller's side of flathood.cluster.cabling: tell each machine how many seconds it has, by nobody's clock."""

from __future__ import annotations

import os
import time
from typing import Any

from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.cabling.collect import LIFETIME, rounds_from


class ActionModule(Action):
    """Adds the schedule to the arguments, runs the module on the machine, and notes when that was."""

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Run one phase on one machine; ``clock`` is when it began and ended by the controller's clock."""
        arguments = dict(given)
        began = time.time()
        if arguments.get("phase") != "clock":
            at, pause = float(arguments["at"]), float(arguments["pause"])
            arguments["work"] = {
                "machine": known["inventory_hostname"],
                # Every task runs in a fork of the one process of this run: its number and the time tell runs apart.
                "token": f"{os.getppid() % 10**7}.{int(at):x}",
                "rounds": [[begin - began, seconds] for begin, seconds in rounds_from(at, pause)],
                "lifetime": LIFETIME,
            }
        result: dict[str, Any] = self._execute_module(
            module_name="flathood.cluster.cabling", module_args=arguments, task_vars=known
        )
        return result | {"clock": [began, time.time()]}
