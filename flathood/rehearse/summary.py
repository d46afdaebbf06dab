# SPDX-License-Identifier: Apache-2.0
"""What the operator reads at the end of a rehearsal: what is up, what was proved, where to look; for 80 columns."""

from __future__ import annotations

import os
from pathlib import Path

from rich.console import Console
from rich.table import Table

from flathood.checks.report.terminal import print_report
from flathood.checks.results import Exit
from flathood.rehearse.rehearsal import Audited, Rehearsal

_VERDICT = {
    Exit.PASS: "is up and proved",
    Exit.FAIL: "is up, but something is wrong",
    Exit.NOTHING_RAN: "is up, but nothing could be checked",
    Exit.WARNINGS: "is up; nothing is wrong, but there are warnings",
}


def print_summary(done: Rehearsal, console: Console, setup_seconds: float, group: str) -> None:
    """Print the report of the validation, then one line for each thing that an operator asks.

    `group`: the commands that look at the machines, `flathood lab` or `flathood vms`.
    """
    if done.report is None or done.provisioned is None:
        raise ValueError("the rehearsal has not come to its end")
    console.print()
    print_report(done.report, console)
    console.print()
    console.print(f"{done.cluster.cluster} {_VERDICT[done.exit]}.", highlight=False, markup=False)
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for label, text in _rows(done, setup_seconds, group):
        table.add_row(label, text)
    console.print(table, highlight=False, markup=False)


def _rows(done: Rehearsal, setup_seconds: float, group: str) -> list[tuple[str, str]]:
    name = done.cluster.cluster
    folder = _shown(done.inventory)
    kind = "" if group == "lab" else " --vagrant"
    if done.report is None or done.provisioned is None:
        return []
    total = done.report.total
    rows = [
        ("Up", _hardware(done)),
        ("Provisioned", _changes(done)),
        ("Proved", done.proof),
        ("", f"over real traffic: {total.passed:,} of {total.total:,} checks passed"),
        *([("Audited", _cables(done.audited))] if done.audited else []),
        ("Took", _times({"set-up": setup_seconds, **done.seconds})),
        ("Report", _shown(done.page)),
        ("Logs", _shown(done.output / "rehearse")),
        ("Look around", f"bin/flathood {group} shell {done.cluster.node_names[0]} {name}"),
        ("", f"bin/flathood {group} status {name}"),
        ("", f"bin/flathood show {folder} {done.cluster.node_names[0]}"),
        ("Take it down", f"sudo bin/rehearse{kind} --down {name}"),
    ]
    if done.inventory != done.directory:
        # A note, as the folder that is worked on is not the one that was named.
        rows.insert(2, ("From", f"{folder}: a copy of {_shown(done.directory)} with the MACs of these machines"))
    return rows


def _hardware(done: Rehearsal) -> str:
    cluster = done.cluster
    nics = sum(cluster.nic_counts[name] for name in cluster.node_names)
    spares = f", {len(cluster.spare_names)} spares" if cluster.spare_names else ""
    switches = ", ".join(cluster.switch_names)
    found = " (was up already)" if done.lab_was_up else ""
    return (
        f"{len(cluster.node_names)} nodes with {nics} NICs on {len(cluster.switch_names)} switches ({switches})"
        f"{spares}, a head{found}"
    )


def _changes(done: Rehearsal) -> str:
    if done.provisioned is None:
        return "no"
    machines = len(done.provisioned.recap)
    if not done.provisioned.changed:
        return f"{machines} machines; everything was in place, nothing changed"
    return f"{machines} machines; {done.provisioned.changed} tasks changed something"


def _cables(audited: Audited) -> str:
    known = f"{audited.judged} of {audited.judged + audited.unjudged} cables judged"
    if not audited.findings:
        return f"{known}, nothing found"
    return f"{known}; {audited.findings} fault{'s' * (audited.findings > 1)} found (audit.log)"


def _times(seconds: dict[str, float]) -> str:
    parts = ", ".join(f"{name} {value:.1f} s" for name, value in seconds.items())
    return f"{sum(seconds.values()):.0f} s: {parts}"


def _shown(path: Path) -> str:
    """The path as seen from the working folder, where that is shorter."""
    return min(str(path), os.path.relpath(path), key=len)
