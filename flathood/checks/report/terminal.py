# SPDX-License-Identifier: Apache-2.0
"""The screenful: findings first, then counts by kind, then one paragraph with the verdict. Made for 80 columns."""

from __future__ import annotations

from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table

from flathood.checks.catalogue import CLUSTER, Catalogue
from flathood.checks.kinds import KIND, KINDS
from flathood.checks.results import Exit, Outcome, Report

_STYLE = {Exit.PASS: "green", Exit.FAIL: "red", Exit.NOTHING_RAN: "red", Exit.WARNINGS: "yellow"}
#: Findings and reasons shown here; the files have them all.
SHOWN = 12


def print_report(report: Report, console: Console, page: Path | None = None) -> None:
    """Print a report; ``page`` is where the whole of it can be read."""
    for number, finding in enumerate(report.findings[:SHOWN], 1):
        sign, style = ("✗", "red") if finding.outcome is Outcome.FAIL else ("!", "yellow")
        where = " ".join(part for part in (finding.host, finding.nic, finding.switch and f"({finding.switch})") if part)
        console.print(f"[{style}]{sign} {number}. {escape(where or report.cluster)}[/]: {escape(finding.what)}.")
        explains = f" ({finding.explains} check{'s' * (finding.explains > 1)})" if finding.explains else ""
        do = f"To do: {escape(finding.do)}.{explains}"
        console.print(Padding(do, (0, 0, 0, 5)))
    if len(report.findings) > SHOWN:
        console.print(f"… and {len(report.findings) - SHOWN} more findings in the report.")
    if report.findings:
        console.print()
    console.print(_kinds(report))
    _print_not_run(report, console)
    console.print(f"[{_STYLE[report.exit]}]{escape(report.summary)}[/]")
    if page:
        console.print(f"Report: {page}", soft_wrap=True)


def _kinds(report: Report) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("Kind")
    table.add_column("One for each")
    for title in ("passed", "failed", "warned", "not run"):
        table.add_column(title, justify="right")
    for name, count in report.counts.items():
        kind = KIND[name]
        cells = (count.passed, count.failed, count.warned, count.not_run)
        table.add_row(kind.title, kind.unit, *(f"{cell:,}" if cell else "·" for cell in cells))
    return table


def _print_not_run(report: Report, console: Console) -> None:
    reasons = report.reasons
    if reasons:
        console.print()
    for reason, kinds in list(reasons.items())[:SHOWN]:
        what = KIND[next(iter(kinds))].title if len(kinds) == 1 else f"{len(kinds)} kinds"
        console.print(f"- not run: {kinds.total():,} of {what}: {escape(reason)}")
    if len(reasons) > SHOWN:
        console.print(f"… and {len(reasons) - SHOWN} more reasons in the report.")


def print_catalogue(catalogue: Catalogue, console: Console, host: str | None = None) -> None:
    """Print the checks before anything runs: counts by kind and machine, or every check of one machine."""
    if host is None:
        _print_counts(catalogue, console)
        return
    for kind in KINDS:
        checks = [check for check in catalogue.checks(host) if check.kind == kind.name]
        if not checks:
            continue
        console.print(f"[bold]{kind.title}[/] ({len(checks)}): {kind.proves}")
        for check in checks:
            console.print(f"  {check.key} → {check.expected}", soft_wrap=True, highlight=False, markup=False)


def _print_counts(catalogue: Catalogue, console: Console) -> None:
    totals = catalogue.totals()
    table = Table(box=None, pad_edge=False)
    for title in ("Kind", "One for each"):
        table.add_column(title)
    table.add_column("checks", justify="right")
    for kind in KINDS:
        if totals[kind.name]:
            table.add_row(kind.title, kind.unit, f"{totals[kind.name]:,}")
    console.print(table)
    console.print()
    alike: dict[tuple[tuple[str, int], ...], list[str]] = {}
    for name in (*catalogue.scope, CLUSTER):
        counts = tuple(sorted(catalogue.counts(name).items()))
        if counts and name:
            alike.setdefault(counts, []).append(name)
    for counts, names in alike.items():
        total = sum(count for _, count in counts)
        console.print(f"{total:,} checks each: {', '.join(names)}", highlight=False)
    console.print(f"[bold]{escape(catalogue.plan.cluster.cluster)}[/]: {totals.total():,} checks.")
