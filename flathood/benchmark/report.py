# SPDX-License-Identifier: Apache-2.0
"""The report: results.json, plots, and one page that stands alone."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from flathood.benchmark.plots import plots, size_text
from flathood.benchmark.results import Row, load, rows
from flathood.benchmark.work import CONNECTIONS
from flathood.plan.model import Plan
from flathood.writing import save

#: With less of the processors' time left than this, they may be what is measured and not the network.
ENOUGH_IDLE = 0.1
#: From this size on, messages are long enough for the fluid model to be about them, bytes.
LONG = 65536
COLUMNS = ("benchmark", "group", "groups", "bytes", "routing", "ms", "MB/s", "predicted", "error", "of NICs", "x tree")


def write_report(plan: Plan, folder: Path) -> tuple[Path, list[str]]:
    """Write results.json, plots and report.html from what was measured in a folder; the page, and what to say.

    Raises FlathoodError.
    """
    measured = load(folder)
    found = rows(plan, measured)
    plain = list(connections(measured))
    said = sentences(found, plain)
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


def sentences(found: Sequence[Row], plain: Iterable[dict[str, Any]]) -> list[str]:
    """What limits the figures, and how well they were predicted."""
    said = []
    least = min((row.idle for row in found), default=1.0)
    if least < ENOUGH_IDLE:
        said.append(
            f"Processors were busy (as little as {least:.0%} idle): they, and not the network alone, may limit these "
            "figures. Lower the links' rate (in the lab: up --rate), or free the machines."
        )
    elif found:
        said.append(f"Processors were at least {least:.0%} idle in each case: the network is the limit.")
    long = [row for row in found if row.size >= LONG]
    for name in sorted({row.benchmark for row in long}):
        errors = [row.error for row in long if row.benchmark == name]
        worst = max(errors, key=abs)
        said.append(
            f"{name}, messages of {size_text(LONG)} and more: predicted times were missed by {worst:+.0%} at most."
        )
    said += [f"{one['connection']} in {one['routing']} mode: {one['trouble']}" for one in plain if one["trouble"]]
    return said


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, as COLUMNS."""

    def number(value: float | None, form: str) -> str:
        return "" if value is None else format(value, form)

    return (
        row.benchmark,
        str(row.group),
        "Multi" if row.multi else "One",
        f"{row.size:,}",
        row.routing,
        f"{row.seconds * 1e3:.3f}",
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
