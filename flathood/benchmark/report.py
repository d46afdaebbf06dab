# SPDX-License-Identifier: Apache-2.0
"""The report: results.json, plots, and one page that stands alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from flathood.benchmark.plots import plots, size_text
from flathood.benchmark.results import LONG, Row, load, rows, unexplained
from flathood.benchmark.work import CONNECTIONS
from flathood.plan.model import Plan
from flathood.writing import save

COLUMNS = ("benchmark", "group", "size", "routing", "ms", "MB/s", "expected", "error", "of NICs", "x tree")


def write_report(plan: Plan, folder: Path, faster: Sequence[Row] = ()) -> tuple[Path, list[str]]:
    """Write results.json, plots and report.html from what was measured in a folder; the page, and what to say.

    ``faster``: what was measured before on links of twice the rate, if that was. Raises FlathoodError.
    """
    measured = load(folder)
    found = rows(plan, measured)
    plain = list(connections(measured))
    said = sentences(found, plain, faster)
    results = {"cluster": plan.cluster.cluster, "notes": said, "connections": plain, "rows": [asdict(r) for r in found]}
    save(folder / "results.json", json.dumps(results, indent=1) + "\n")
    cases = list(dict.fromkeys(_case(row) for row in found))
    pictures = [_picture(path) for path in plots(found, folder)]
    environment = Environment(
        loader=PackageLoader("flathood.benchmark"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("report.html.j2").render(
        cluster=plan.cluster.cluster,
        notes=said,
        connections=plain,
        columns=COLUMNS,
        # What is to be compared stands together: the modes of one case.
        rows=[cells(row) for row in sorted(found, key=lambda row: cases.index(_case(row)))],
        pictures=pictures,
    )
    save(folder / "report.html", page)
    return folder / "report.html", said


def connections(measured: dict[str, dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Plain connections: Mbit/s, and how many links' payload that is."""
    for mode, found in measured.items():
        rate = found["model"]["rate"]
        for word in found["cases"]:
            if word["benchmark"] in CONNECTIONS:
                speed = word.get("bytes_per_second", 0) * 8
                yield {
                    "routing": mode,
                    "connection": word["benchmark"],
                    "mbits": round(speed / 1e6, 2),
                    "links": round(speed / rate, 2),
                    "trouble": word.get("trouble", ""),
                }


def sentences(found: Sequence[Row], plain: Sequence[dict[str, Any]], faster: Sequence[Row] = ()) -> list[str]:
    """What limits the figures, and how well they were predicted."""
    said = []
    long = [row for row in found if row.size >= LONG]
    if held_up := unexplained(found, faster):
        least = max(held_up, key=lambda row: row.error)
        said.append(
            f"In {len(held_up)} of {len(long)} cases of long messages the network is not shown to be the limit (the "
            f"slowest, {least.benchmark} in {least.routing} mode, took {1 + least.error:.1f} times as long as "
            "predicted): it may be the processors. Free the machines, or measure with links of half the rate."
        )
    elif long:
        said.append(
            f"In all {len(long)} cases of long messages the network is the limit: they were nearly as fast as the "
            f"links carry them{', or took twice as long as on links of twice the rate' if faster else ''}."
        )
    for name in sorted({row.benchmark for row in long}):
        errors = [row.error for row in long if row.benchmark == name]
        worst = max(errors, key=abs)
        said.append(
            f"{name}, messages of {size_text(LONG)} and more: predicted times were missed by {worst:+.0%} at most."
        )
    for kind in CONNECTIONS:
        carried = [one for one in plain if one["connection"] == kind and not one["trouble"]]
        if carried:
            links = ", ".join(f"{one['links']:.2f} links in {one['routing']} mode" for one in carried)
            said.append(f"One {kind.upper()} connection carries {links}.")
    said += [f"{one['connection']} in {one['routing']} mode: {one['trouble']}" for one in plain if one["trouble"]]
    return said


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, as COLUMNS."""

    def number(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    return (
        row.benchmark,
        f"{row.group} {'Multi' if row.multi else 'One'}",
        size_text(row.size),
        row.routing,
        f"{row.seconds * 1e3:.{3 if row.seconds < 0.01 else 0}f}",
        number(row.mbytes, ".3f"),
        number(row.predicted, ".3f"),
        f"{row.error:+.0%}".replace("-0%", "+0%"),
        number(row.limit, ".1%"),
        number(row.against_tree, ".2f"),
    )


def _case(row: Row) -> tuple[str, int, bool, int]:
    return row.benchmark, row.group, row.multi, row.size


def _picture(path: Path) -> tuple[str, str]:
    return path.stem, f"data:image/png;base64,{base64.b64encode(path.read_bytes()).decode()}"
