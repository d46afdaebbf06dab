# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""What an operator wants to know at the end of a run, in a few lines whatever the size of the cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
name: summary
type: aggregate
short_description: Names the machines that were down or failed, and how long each play took
version_added: 0.1.0
description:
  - After the recap it says how many machines were changed, how many were right already, which could not be reached at
    which address and which failed, with what to do about it, which NICs have no carrier, and the time of each play.
  - It adds a line per machine in trouble and one per play, so that it stays short on a large cluster.
author:
  - The flathood contributors
requirements:
  - enable in configuration
"""

import time
from typing import TYPE_CHECKING

from ansible import context
from ansible.plugins.callback import CallbackBase

if TYPE_CHECKING:
    from ansible.executor.stats import AggregateStats
    from ansible.executor.task_result import CallbackTaskResult
    from ansible.playbook.play import Play

DOWN = (
    "Is it switched on, and is the cable of its outside NIC plugged in? A machine that was never provisioned gets its "
    "address from the head, so the head comes first. Then run again; --limit {limit} does these alone."
)


class CallbackModule(CallbackBase):
    """Gathers trouble and times, and tells them once."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "aggregate"
    CALLBACK_NAME = "flathood.cluster.summary"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._plays: list[tuple[str, float]] = []
        self._down: dict[str, str] = {}
        self._failed: dict[str, str] = {}
        self._ended: dict[str, str] = {}
        self._no_carrier: dict[str, list[str]] = {}

    def v2_playbook_on_play_start(self, play: Play) -> None:
        """Note when a play begins."""
        self._plays.append((play.get_name().strip(), time.monotonic()))

    def v2_runner_on_unreachable(self, result: CallbackTaskResult) -> None:
        """Note a machine that could not be reached, and where it was looked for."""
        if not result.task.ignore_unreachable:
            variables = result.task.play.get_variable_manager().get_vars(host=result.host, include_hostvars=False)
            self._down[result.host.get_name()] = variables.get("ansible_host", result.host.get_name())

    def v2_runner_on_ok(self, result: CallbackTaskResult) -> None:
        """Note dead cables, by the latest that is known of them."""
        if result.task.action == "flathood.cluster.install":
            self._no_carrier[result.host.get_name()] = result.result.get("no_carrier", [])

    def v2_runner_on_failed(self, result: CallbackTaskResult, ignore_errors: bool = False) -> None:
        """Note a first failure; what is done once for all is no fault of the machine that stands for them."""
        if not ignore_errors:
            message = str(result.result.get("msg") or "failed").strip().removeprefix("Task failed: ")
            host = result.host.get_name()
            if result.task.run_once:
                self._ended.setdefault(result.task.name, message)
            else:
                self._failed.setdefault(host, message.removeprefix(f"{host}: "))

    def v2_playbook_on_stats(self, stats: AggregateStats) -> None:
        """Tell it all."""
        ended = time.monotonic()
        if not stats.processed:
            return
        self._display.banner("SUMMARY")
        well = [host for host in stats.processed if host not in self._down and host not in self._failed]
        changed = sum(1 for host in well if stats.changed.get(host))
        would = "would change" if context.CLIARGS.get("check") else "changed"
        right = f"{len(well)} of {len(stats.processed)} machines are right"
        self._display.display(f"{'a step for all of them failed' if self._ended else right}; {would}: {changed}")
        for host, address in sorted(self._down.items()):
            self._display.display(f"down: {host} ({address})", color="red")
        if self._down:
            self._display.display(DOWN.format(limit=",".join(sorted(self._down))))
        for failed, message in [*sorted(self._failed.items()), *self._ended.items()]:
            self._display.display(f"failed: {failed}: {message}", color="red")
        for host, nics in sorted(self._no_carrier.items()):
            for nic in nics:
                told = f"no carrier: {host}: {nic}: check its cable and the switch's port"
                self._display.display(told, color="yellow")
        starts = [start for _, start in self._plays]
        for (name, start), end in zip(self._plays, [*starts[1:], ended], strict=True):
            self._display.display(f"{end - start:7.1f} s  {name}")
