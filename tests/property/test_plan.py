# SPDX-License-Identifier: Apache-2.0
"""What holds for every flat neighborhood network."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.fabrics import fabric_of
from flathood.plan import Options, make_plan
from flathood.plan.balance import nic_bound, nic_loads
from flathood.plan.bundle import machine_files, machines
from flathood.plan.proof import Compiled, prove
from flathood.wiring import Idle
from tests.plans import networks, plan_of


@given(networks(), st.sampled_from(["all-to-all", "ring", "hypercube"]))
@settings(max_examples=60, deadline=None)
def test_the_choice_is_shared_symmetric_and_even(rows: tuple[tuple[str | None, ...], ...], profile: str) -> None:
    plan = plan_of(rows, profile=profile)
    assert (plan.chosen == plan.chosen.T).all()
    assert (np.diag(plan.chosen) == -1).all()
    for i in range(len(rows)):
        for j in range(len(rows)):
            assert i == j or plan.chosen[i, j] in plan.shared(i, j)
    fabric = fabric_of(plan.cluster, plan.wiring)
    bound, most = nic_bound(fabric, plan.weights), nic_loads(fabric, plan.chosen, plan.weights).max()
    # A choice of whole pairs cannot be cut finer than the heaviest pair, and not all can be settled: where two nodes
    # would both have to move a pair (the colours of a graph's edges), one too many may stay.
    assert bound - 1e-9 <= most <= bound + 1.01 * plan.weights.max()


@given(networks(), st.integers(0, 2), st.sampled_from(["basic", "advanced", "tree"]))
@settings(max_examples=40, deadline=None)
def test_what_is_compiled_is_proved(rows: tuple[tuple[str | None, ...], ...], spares: int, routing: str) -> None:
    plan, options = plan_of(rows, spares, routing=routing), Options()
    report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, options), options)
    assert report.failures == []
    n = len(rows)
    shared = sum(len(plan.shared(i, j)) for i in range(n) for j in range(n) if i != j)
    assert report.proved["neighborhoods"] == shared
    every = sum(len(plan.shared(j, j)) + 2 for i in range(n) for j in range(n) if i != j)
    more = [len(plan.shared(i, j)) - 1 for i in range(n) for j in range(n) if i != j] if routing == "advanced" else []
    assert report.proved["paths"] == every - shared + sum(more)
    assert report.proved["uplink"] == 2 * n * (spares + 1) + spares * (spares + 1)


@given(networks())
@settings(max_examples=20, deadline=None)
def test_the_same_input_gives_the_same_bytes_and_unique_addresses(rows: tuple[tuple[str | None, ...], ...]) -> None:
    one, two = plan_of(rows, 1), plan_of(rows, 1)
    for host in machines(one):
        assert list(machine_files(one, host, Options())) == list(machine_files(two, host, Options()))
    nodes = range(len(rows))
    addresses = [one.neighborhood_ip(i, s) for i in nodes for s in one.shared(i, i)]
    addresses += [one.node_ip(i) for i in nodes] + [one.outside_ip(k) for k in range(len(rows) + 1)] + [one.head_ip]
    assert len(set(addresses)) == len(addresses)


@given(networks(), st.sampled_from(["basic", "advanced"]), st.data())
@settings(max_examples=60, deadline=None)
def test_paths_go_round_idle_cables_and_every_pair_keeps_one(
    rows: tuple[tuple[str | None, ...], ...], routing: str, data: st.DataObject
) -> None:
    full = plan_of(rows, spares=1, routing=routing)
    cables = [(node, slot) for node, row in enumerate(rows) for slot, switch in enumerate(row) if switch]
    picked = data.draw(st.sets(st.sampled_from(cables)))
    # A node that has no other cable cannot be reached at all.
    left = [node for node, row in enumerate(rows) if not any(s and (node, k) not in picked for k, s in enumerate(row))]
    to = data.draw(st.sampled_from([None, *full.switches]))
    idle = tuple(
        Idle(node=full.names[node], slot=slot, to=to if to not in rows[node] else None)
        for node, slot in sorted(picked)
        if node not in left
    )
    wiring = full.wiring.model_copy(update={"idle": idle, "design": {"mode": "fractional"}})
    plan = make_plan(full.cluster, wiring, full.registry)
    options = Options()
    report = prove(plan.cluster, plan.wiring, plan.registry, Compiled(plan, options), options)
    assert report.failures == []
    usable = [
        {s for k, s in enumerate(row) if s and (n, k) not in {(plan.numbers[c.node], c.slot) for c in idle}}
        for n, row in enumerate(rows)
    ]
    for i in range(len(rows)):
        assert set(plan.by_uplink(i)) == {j for j in range(len(rows)) if j != i and not usable[i] & usable[j]}
    told = prove(plan.cluster, plan.wiring, plan.registry, Compiled(full, options), options)
    loaded = any(
        int(full.attach[full.numbers[cable.node], cable.slot]) in full.chosen[full.numbers[cable.node]]
        for cable in idle
    )
    assert bool(told.failures) or not loaded, "files that go by idle cables are no proof"
