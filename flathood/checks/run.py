# SPDX-License-Identifier: Apache-2.0
"""The end of a run: from what Ansible's tasks registered to the report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from flathood.checks.catalogue import Catalogue
from flathood.checks.evidence import NO_WITNESS
from flathood.checks.observed import HostWord, JobWord, Observed, SwitchWord
from flathood.checks.report.make import make_report, save
from flathood.checks.results import Report
from flathood.inventory import load
from flathood.plan import load_plan
from flathood.spec.model import Routing

#: The probe's tasks, in order; what each registered is in the host variable __validate_PHASE.
PHASES = ("start", "run", "collect")
_STAGES = {"start": "compare and begin to record", "run": "all-pairs traffic", "collect": "collect"}


def conclude(
    inventory: Path,
    words: Mapping[str, Mapping[str, Mapping[str, Any]]],
    once: Mapping[str, Mapping[str, Any]],
    *,
    output: Path,
    routing: Routing | None = None,
) -> tuple[Report, Path]:
    """Judge a run and write its report into ``output``; the report and the path of its page.

    ``words``: machine → phase → what its task registered ({} for a task that was skipped); ``once``: the same of the
    tasks that ran once, `switches` and `job`. ``routing``: in place of what cluster.yml says.
    """
    plan = load_plan(inventory, routing)
    observed = Observed(
        hosts={
            host: HostWord.of_phases(*(dict(phases.get(phase, {})) for phase in PHASES))
            for host, phases in words.items()
        },
        switches=_switch_word(once["switches"]),
        job=_job_word(once["job"]),
    )
    clocks = {
        phase: [phases[phase]["clock"] for phases in words.values() if "clock" in phases.get(phase, {})]
        for phase in PHASES
    }
    seconds = {_STAGES[phase]: _span(clocks[phase]) for phase in PHASES if clocks[phase]}
    if observed.job.ran:
        seconds["MPI job"] = observed.job.seconds
    began = min((clock[0] for times in clocks.values() for clock in times), default=datetime.now(UTC).timestamp())
    report = make_report(
        Catalogue.of(plan, words),
        observed,
        digest=load(inventory, need_macs=True).digest,
        started=datetime.fromtimestamp(began, UTC).isoformat(timespec="seconds"),
        seconds=seconds,
    )
    return report, save(report, output)[1]


def _span(clocks: Iterable[tuple[float, float]]) -> float:
    return round(max(end for _, end in clocks) - min(begin for begin, _ in clocks), 1)


def _switch_word(registered: Mapping[str, Any]) -> SwitchWord:
    word = registered.get("word")
    if word is None:
        return SwitchWord(reason=str(registered.get("msg", NO_WITNESS)))
    crossed = {(source, target): count for source, target, count in word["crossed"]}
    return SwitchWord(**{**word, "crossed": crossed})


def _job_word(registered: Mapping[str, Any]) -> JobWord:
    if "trouble" not in registered:
        return JobWord(reason=str(registered.get("msg") or "no job was started: not every node took part"))
    if registered["reason"]:
        return JobWord(reason=registered["reason"])
    return JobWord(True, "", registered["trouble"], registered["ranks"], registered["seconds"])
