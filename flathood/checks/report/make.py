# SPDX-License-Identifier: Apache-2.0
"""Judgement and findings → the report as data, and its files."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from flathood import writing
from flathood.checks.catalogue import Catalogue
from flathood.checks.diagnose import diagnose
from flathood.checks.judge import Judgement, judge
from flathood.checks.kinds import KINDS
from flathood.checks.observed import HostWord, Observed
from flathood.checks.places import Places
from flathood.checks.report import html
from flathood.checks.results import Count, Deviation, HostResult, NicRow, Report
from flathood.plan.views import kind_of


def make_report(
    catalogue: Catalogue, observed: Observed, *, digest: str, started: str, seconds: dict[str, float]
) -> Report:
    """Judge everything that was observed and put it into one report.

    ``started`` is an ISO 8601 time, ``seconds`` the duration of each stage, ``digest`` that of the input files.
    """
    places = Places(catalogue.plan)
    judgement = judge(catalogue, observed)
    counts: dict[str, Count] = defaultdict(Count)
    for (_, kind), count in judgement.counts.items():
        counts[kind] += count
    order = {name: number for number, name in enumerate((*catalogue.scope, ""))}
    return Report(
        cluster=catalogue.plan.cluster.cluster,
        digest=digest,
        started=started,
        seconds=seconds,
        evidence=observed.switches.source,
        facts=_facts(places, observed, judgement),
        counts={kind.name: counts[kind.name] for kind in KINDS if kind.name in counts},
        hosts=tuple(_host(places, judgement, observed, host) for host in catalogue.scope),
        findings=diagnose(places, judgement, observed),
        deviations=tuple(
            Deviation(
                outcome=verdict.outcome,
                kind=verdict.check.kind,
                host=verdict.check.host,
                key=verdict.check.key,
                expected=verdict.check.expected,
                seen=verdict.seen,
                nic=verdict.check.nic,
                switch=verdict.check.switch,
                peer=verdict.check.peer,
            )
            for verdict in judgement.verdicts
        ),
        not_run=tuple(sorted(judgement.not_run, key=lambda one: (order[one.host], one.kind, one.reason))),
    )


def _facts(places: Places, observed: Observed, judgement: Judgement) -> dict[str, int | float | str]:
    echoes = [pair for word in observed.hosts.values() for pair in word.echoes.values()]
    facts: dict[str, int | float | str] = {
        "routing": places.plan.routing,
        "echoes": sum(count for count, _ in echoes),
        "echoes repeated": sum(repeats for _, repeats in echoes),
    }
    if not observed.switches.reason:
        facts["unicast frames between nodes on the uplink"] = judgement.strays
    if observed.job.ran:
        facts["MPI ranks"] = observed.job.ranks
    return facts


def _host(places: Places, judgement: Judgement, observed: Observed, host: str) -> HostResult:
    word = observed.hosts.get(host, HostWord("failed", "took no part in this run"))
    asked = not observed.switches.reason
    return HostResult(
        name=host,
        role=kind_of(places.plan, host),
        state=word.state,
        reason=word.reason,
        nics=tuple(
            NicRow(
                nic=place.nic,
                mac=place.mac,
                switch=place.switch,
                colour=place.colour,
                address=" ".join(place.addresses),
                located=(judgement.located[host, place.nic] or "not learnt") if asked else "",
            )
            for place in places.by_host[host]
        ),
        counts={kind: count for (name, kind), count in judgement.counts.items() if name == host},
    )


def save(report: Report, directory: Path) -> tuple[Path, Path]:
    """Write report.json and report.html into ``directory``, each in one piece; their paths."""
    directory.mkdir(parents=True, exist_ok=True)
    data, page = directory / "report.json", directory / "report.html"
    writing.save(data, report.model_dump_json(indent=1) + "\n")
    writing.save(page, html.render(report))
    return data, page
