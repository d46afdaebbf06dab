# SPDX-License-Identifier: Apache-2.0
"""What was measured: one file of JSON for each mode of routing, and the rows of the report made from all of them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, get_args

from flathood.checks.evidence import IN_LAB
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.plan.build import routed
from flathood.plan.model import Plan
from flathood.predict import BENCHMARKS, Case, Model, predict
from flathood.predict.links import Links
from flathood.spec.model import Routing
from flathood.writing import save

#: From this size on, messages are long enough for the fluid model to be about them, bytes.
LONG = 65536
#: What is at least this part as fast as the links carry it is limited by them, whatever the processors do.
_ENOUGH = 0.85
#: So is what takes at least this many times as long on links of half the rate.
_TWICE = 1.8
#: Bytes that the lab's shapers count for a frame beside its IP packet: its header.
_LAB_FRAMING = 14


@dataclass(frozen=True)
class Row:
    """One case as measured, predicted and compared. Speeds are MB/s (1,000,000 bytes) of one rank, both ways.

    ``limit``: part of what the node's links can carry. ``error``: measured less predicted time, as a part of the
    predicted. ``against_tree``: the tree's time over this one's.
    """

    routing: str
    benchmark: str
    group: int
    multi: bool
    size: int
    seconds: float
    mbytes: float | None
    predicted: float | None
    limit: float | None
    error: float
    against_tree: float | None = None

    @property
    def case(self) -> tuple[str, str, int, bool, int]:
        """What was measured."""
        return self.routing, self.benchmark, self.group, self.multi, self.size


def medium(plan: Plan) -> Model:
    """The links as this process knows them: those of the lab that it runs in, else those of cluster.yml."""
    links = plan.cluster.links
    if os.environ.get(IN_LAB) == plan.cluster.cluster:
        return Model(Lab.open(plan.cluster.cluster).state.planned.rate, links.mtu, _LAB_FRAMING)
    return Model(links.rate, links.mtu)


def keep(plan: Plan, model: Model, output: str, folder: Path) -> dict[str, Any]:
    """Write what the program printed in one mode to ROUTING.json in a folder, and give it back.

    Raises FlathoodError when that is nothing, or not the program's.
    """
    try:
        words = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    except ValueError as error:
        raise FlathoodError(f"the benchmark printed what is no result: {error}") from error
    if not words:
        raise FlathoodError("the benchmark printed no result")
    found = {"cluster": plan.cluster.cluster, "routing": plan.routing, "model": asdict(model), "cases": words}
    folder.mkdir(parents=True, exist_ok=True)
    save(folder / f"{plan.routing}.json", json.dumps(found, indent=1) + "\n")
    return found


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """What was measured in each mode; raises FlathoodError when there is nothing, or a file is none of ours."""
    found = {}
    for mode in get_args(Routing):
        file = folder / f"{mode}.json"
        if file.is_file():
            try:
                found[mode] = json.loads(file.read_bytes())
            except ValueError as error:
                raise FlathoodError(f"{file}: {error}: measure again") from error
    if not found:
        raise FlathoodError(f"{folder}: nothing has been measured yet: run playbooks/benchmark.yml")
    return found


def rows(plan: Plan, measured: dict[str, dict[str, Any]]) -> list[Row]:
    """The operations of MPI in all modes that were measured, in the order of the cases."""
    found: list[Row] = []
    for mode in get_args(Routing):
        if mode not in measured:
            continue
        cases = [word for word in measured[mode]["cases"] if word["benchmark"] in BENCHMARKS]
        model = Model(**measured[mode]["model"])
        empty = [fmean(word["seconds"]) for word in cases if word["benchmark"] == "pingpong" and word["size"] == 0]
        model = replace(model, latency=empty[0], hop=0.0) if empty else model
        view = routed(plan, mode)
        links = Links(view)
        found += [_row(view, mode, word, model, links) for word in cases]
    tree = {(row.benchmark, row.group, row.multi, row.size): row.seconds for row in found if row.routing == "tree"}

    def compared(row: Row) -> Row:
        beside = tree.get((row.benchmark, row.group, row.multi, row.size))
        return replace(row, against_tree=beside / row.seconds if beside else None)

    return [compared(row) for row in found]


def unexplained(found: Sequence[Row], faster: Sequence[Row] = ()) -> list[Row]:
    """The cases of long messages of which it is not shown that the network is their limit.

    How busy processors are tells nothing, as who waits for a message asks for it all the time. But what is nearly as
    fast as predicted can have no other limit than the links; nor can what takes twice as long on links of half the
    rate. ``faster``: what was measured before, on links of twice the rate.
    """
    before = {row.case: row.seconds for row in faster}
    return [
        row
        for row in found
        if row.size >= LONG
        and 1 + row.error > 1 / _ENOUGH
        and (row.case not in before or row.seconds < _TWICE * before[row.case])
    ]


def _row(plan: Plan, mode: str, word: dict[str, Any], model: Model, links: Links) -> Row:
    case = Case(word["benchmark"], word["size"], word["group"], word["multi"])
    told = predict(plan, case, model, links)
    seconds = fmean(word["seconds"])
    factor = told.seconds / seconds
    return Row(
        routing=mode,
        benchmark=case.benchmark,
        group=case.group,
        multi=case.multi,
        size=case.size,
        seconds=seconds,
        mbytes=told.mbytes * factor if told.mbytes else None,
        predicted=told.mbytes or None,
        limit=told.limit * factor if told.limit else None,
        error=seconds / told.seconds - 1,
    )
