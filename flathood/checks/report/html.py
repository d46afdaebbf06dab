# SPDX-License-Identifier: Apache-2.0
"""The page: one file without anything from elsewhere, readable in print and without colours."""

from __future__ import annotations

from collections import defaultdict

from jinja2 import Environment, PackageLoader, StrictUndefined

from flathood.checks.kinds import KIND
from flathood.checks.results import Count, Exit, Finding, Outcome, Report

_STYLE = {Exit.PASS: "pass", Exit.FAIL: "fail", Exit.NOTHING_RAN: "not-run", Exit.WARNINGS: "warning"}


def cell(count: Count | None) -> tuple[str, str]:
    """The style and the text of one cell of the table machines x kinds; a sign comes with every colour."""
    if count is None:
        return "none", ""
    if count.failed:
        return "fail", f"✗ {count.failed} of {count.total}"
    if count.warned:
        return "warning", f"! {count.warned} of {count.total}"
    if count.not_run:
        return "not-run", f"\N{EN DASH} {count.not_run} not run"
    return "pass", f"✓ {count.passed}"


def render(report: Report) -> str:
    """The whole page."""
    by_host: dict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        by_host[finding.host].append(finding)
    environment = Environment(
        loader=PackageLoader("flathood.checks.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    template = environment.get_template("report.html.j2")
    return template.render(
        report=report,
        style=_STYLE[report.exit],
        kinds=[KIND[name] for name in report.counts],
        cell=cell,
        by_host=by_host,
        KIND=KIND,
        Outcome=Outcome,
    )
