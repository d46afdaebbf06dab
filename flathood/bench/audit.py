# SPDX-License-Identifier: Apache-2.0
"""How much of what is wrong the audit finds, on generated evidence, and how long it takes."""

from __future__ import annotations

import time
from pathlib import Path

from flathood import inventory
from flathood.bench import synthetic
from flathood.bench.breaking import Breaker
from flathood.bench.measure import Row
from flathood.bench.miswired import Fact, Port, World
from flathood.cabling.audit import Report, audit
from flathood.cabling.findings import MISPLACED
from flathood.cabling.picture import Nic
from flathood.inventory import Inventory

#: Numbers of faults, and trials of each.
FAULTS = (1, 2, 5, 20)
TRIALS = 50
KINDS = ("carriers", "frames", "tables")
SCALE = 1024
_ROOT = Path(__file__).resolve().parents[2]


def facts_of(report: Report) -> set[Fact]:
    """The findings of a report as the facts that a world has."""

    def port(nic: Nic) -> Port:
        return nic.machine, nic.slot

    facts: set[Fact] = set()
    for finding in report.findings:
        if finding.kind in MISPLACED:
            facts |= {("place", port(nic), seen) for nic, seen in zip(finding.nics, finding.seen, strict=True)}
        elif finding.kind in ("dark", "absent"):
            facts.add((finding.kind, port(finding.nics[0])))
        elif finding.kind == "other-mac":
            facts.add((finding.kind, port(finding.nics[0]), finding.seen[0]))
        elif finding.kind in ("duplicate-mac", "unknown-machine"):
            facts.add((finding.kind, finding.names[0]))
        else:
            facts.add((finding.kind, frozenset(finding.names or map(port, finding.nics))))
    return facts


def trial(base: Inventory, faults: int, seed: int) -> tuple[World, Report]:
    """One broken world and what the audit makes of its evidence."""
    world = World.of(base, seed)
    Breaker(world).add(faults)
    return world, audit(base, {"trial.json": world.evidence(KINDS)})


def work(faults: int, trials: int) -> Row:
    """Seeded trials on klat2: how many facts there were, how many were found, how many were invented."""
    base = inventory.load(_ROOT / "inventories" / "klat2", need_macs=True)
    there = found = invented = 0
    start = time.perf_counter()
    for seed in range(trials):
        world, report = trial(base, faults, seed)
        true, told = world.facts(), facts_of(report)
        there, found, invented = there + len(true), found + len(true & told), invented + len(told - true)
    return {
        "faults": faults,
        "trials": trials,
        "facts": there,
        "found": found,
        "invented": invented,
        "recall": round(found / max(there, 1), 4),
        "precision": round(found / max(found + invented, 1), 4),
        "seconds": round(time.perf_counter() - start, 3),
    }


def scale(nodes: int) -> Row:
    """One audit of a synthetic cluster with 4 NICs a node and 20 faults; making its evidence is not timed."""
    plan = synthetic.plan(nodes)
    base = Inventory(Path(), plan.cluster, plan.wiring, plan.registry, "")
    world = World.of(base, seed=1)
    Breaker(world).add(20)
    evidence = world.evidence(KINDS)
    start = time.perf_counter()
    report = audit(base, {"generated": evidence})
    seconds = time.perf_counter() - start
    wrong = world.facts() ^ facts_of(report)
    if wrong:
        raise RuntimeError(f"{len(wrong)} facts are missed or invented, such as {sorted(map(str, wrong))[0]}")
    return {"nodes": nodes, "faults": 20, "findings": len(report.findings), "seconds": round(seconds, 3)}
