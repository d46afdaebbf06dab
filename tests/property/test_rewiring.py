# SPDX-License-Identifier: Apache-2.0
"""What holds for every rewiring: ports, slots, reach, the journal and the way back."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.moves import least_moves
from flathood.cabling.picture import Nic
from flathood.errors import Conflict, InvalidInput
from flathood.plan import Options, Plan, make_plan
from flathood.plan.proof import Compiled, prove
from flathood.rewiring.batches import Batch, applied, batches
from flathood.rewiring.journal import AFTER, BEFORE, FILE, standing
from flathood.rewiring.least import cables
from flathood.rewiring.plugged import taken_out
from flathood.rewiring.stages import stage
from flathood.rewiring.work import Work
from flathood.wiring import Wiring
from flathood.wiring.save import render_wiring
from tests.plans import networks, plan_of

Rows = dict[str, tuple[str | None, ...]]


@st.composite
def rewirings(draw: st.DrawFn) -> tuple[Plan, Rows]:
    """A cluster, and the same rows dealt out anew: to other nodes, in other slots; switches may have ports to spare."""
    rows = draw(networks())
    plan = plan_of(rows)
    most = Counter(switch for row in rows for switch in row if switch)
    room = draw(st.integers(0, 2))
    switches = [one.model_copy(update={"ports": most[one.name] + room}) for one in plan.cluster.switches]
    cluster = plan.cluster.model_copy(update={"switches": tuple(switches)})
    plan = make_plan(cluster, plan.wiring, plan.registry)
    by_size: dict[int, list[str]] = {}
    for name, row in plan.wiring.nodes.items():
        by_size.setdefault(len(row), []).append(name)
    dealt: Rows = {}
    for names in by_size.values():
        for name, other in zip(names, draw(st.permutations(names)), strict=True):
            dealt[name] = tuple(draw(st.permutations(plan.wiring.nodes[other])))
    return plan, {name: dealt[name] for name in plan.wiring.nodes}


@st.composite
def changes(draw: st.DrawFn) -> tuple[Plan, Wiring]:
    """The same where some nodes come or go, which are on the uplink switch before or after."""
    plan, after = draw(rewirings())
    nodes = [name for name, row in plan.wiring.nodes.items() if row[0] and after[name][0]]
    comes = draw(st.sets(st.sampled_from(nodes), max_size=2)) if nodes else set()
    goes = draw(st.sets(st.sampled_from(nodes), max_size=2)) - comes if nodes else set()
    # Those that come are to have what they have in the end, whoever else has the ports for now.
    there = plan.wiring.model_copy(update={"nodes": {**plan.wiring.nodes, **{name: after[name] for name in comes}}})
    there = taken_out(there.model_copy(update={"design": {"mode": "fractional"}}), sorted(comes))
    kept = {**after, **{name: plan.wiring.nodes[name] for name in goes}}
    target = Wiring(cluster="tiny", nodes=kept, design={"mode": "fractional"})
    return make_plan(plan.cluster, there, plan.registry), taken_out(target, sorted(goes))


def _apart(rows: Rows, idle: set[tuple[str, int]]) -> set[tuple[str, str]]:
    on = {name: {s for k, s in enumerate(row) if s and (name, k) not in idle} for name, row in rows.items()}
    return {(a, b) for a in on for b in on if a < b and not on[a] & on[b]}


@given(rewirings(), st.integers(1, 6))
@settings(max_examples=50, deadline=None)
def test_batches_keep_every_node_within_reach_and_every_switch_to_its_ports(case: tuple[Plan, Rows], most: int) -> None:
    plan, after = case
    rows, ports = dict(plan.wiring.nodes), {switch.name: switch.free for switch in plan.cluster.switches}
    found = batches(plan.cluster, rows, after, most=most)
    for batch in found:
        idle = {(nic.machine, nic.slot) for nic in batch.nics}
        for name, row in rows.items():
            cabled = sum(switch is not None for switch in row)
            left = sum(switch is not None and (name, slot) not in idle for slot, switch in enumerate(row))
            assert left >= 1 or cabled <= 1, f"{name} is cut off"
        assert len(_apart(rows, idle)) - len(_apart(rows, set())) == batch.apart
        rows = applied(rows, batch)
        used = Counter(switch for row in rows.values() for switch in row if switch)
        assert all(used[switch] <= count for switch, count in ports.items())
        assert all(len({s for s in row if s}) == sum(s is not None for s in row) for row in rows.values())
    assert rows == after
    least = least_moves(cables(plan.wiring.nodes), cables(after), ports)
    # A plug that was pulled before its time is put in later: two lines, and still one plug.
    moved = Counter((move.before is None) - (move.after is None) for batch in found for move in batch.moves)
    assert moved[0] + max(moved[1], moved[-1]) == len(least)


@given(changes())
@settings(max_examples=15, deadline=None)
def test_every_wiring_in_between_is_compiled_and_proved(case: tuple[Plan, Wiring]) -> None:
    plan, target = case
    found = batches(plan.cluster, plan.wiring.plugged, target.plugged)
    ways: list[tuple[int, Batch | None]] = list(enumerate(found))
    ways += [(number + 1, batch.reverse()) for number, batch in enumerate(found)]
    for number, ahead in ways[:8]:
        between = stage(plan.wiring, found[:number], ahead, "white")
        compiled = make_plan(plan.cluster, between, plan.registry)
        report = prove(plan.cluster, between, plan.registry, Compiled(compiled, Options()), Options())
        assert report.failures == []


def _plugged(rows: Rows) -> dict[Nic, str]:
    """All cables there are, with those of the nodes that are on the uplink switch."""
    return dict(cables(rows)) | {Nic(name, 0): "white" for name, row in rows.items() if not any(row)}


@given(changes(), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_a_node_that_comes_or_goes_is_always_within_reach(case: tuple[Plan, Wiring], most: int) -> None:
    plan, target = case
    before, after = plan.wiring.plugged, target.plugged
    found = batches(plan.cluster, before, after, most=most)
    moving = [name for name in before if any(before[name]) != any(after[name])]
    ports = {switch.name: switch.free for switch in plan.cluster.switches}
    there = [(number, batch) for number, batch in enumerate(found)]
    back = [(number + 1, batch.reverse()) for number, batch in reversed(list(enumerate(found)))]
    for steps, start, end in ((there, before, after), (back, after, before)):
        plugged = _plugged(start)
        for made, batch in steps:
            wiring = stage(plan.wiring, found[:made], batch, "white")
            mid = make_plan(plan.cluster, wiring, plan.registry)
            outside = [Nic(name, mid.outside_slot(mid.numbers[name])) for name in moving]
            used = [
                (Nic(name, slot), mid.switches[switch])
                for row, name in enumerate(mid.cluster.node_names)
                for slot, switch in enumerate(mid.usable[row].tolist())
                if switch >= 0
            ]
            assert all(nic in plugged for nic in outside)
            for nic, switch in batch.places().items():
                plugged.pop(nic, None)
                if switch:
                    plugged[nic] = switch
            # It can be asked where its cables are, and what paths go by was not touched.
            assert all(nic in plugged for nic in outside)
            assert all(plugged[nic] == switch for nic, switch in used)
            full = Counter(plugged.values())
            assert all(full[switch] <= count for switch, count in ports.items())
            # From the uplink switch first, and there last.
            names = [nic.machine for nic in plugged]
            assert all(names.count(nic.machine) == 1 for nic, switch in plugged.items() if switch == "white")
        assert plugged == _plugged(end)


def _begun(folder: Path, case: tuple[Plan, Wiring], most: int = 1) -> Work:
    plan, target = case
    (folder / "wiring.yml").write_text("# mine\n" + render_wiring(plan.wiring))
    return Work.to(folder, plan.cluster, target, most).begun()


SWAPPED: Rows = {"n0": ("s1", "s2"), "n1": ("s0", "s1"), "n2": ("s0", "s2")}


def _swapped() -> tuple[Plan, Wiring]:
    return plan_of((("s0", "s1"), ("s1", "s2"), ("s0", "s2"))), Wiring(cluster="tiny", nodes=SWAPPED)


@given(changes(), st.lists(st.sampled_from(["step", "again", "turn"]), max_size=12))
@settings(max_examples=25, deadline=None)
def test_from_wherever_it_is_left_it_goes_on_or_back_to_the_byte(case: tuple[Plan, Wiring], deeds: list[str]) -> None:
    plan, target = case
    if target.plugged == plan.wiring.plugged:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _begun(folder, case)
        plugged: Rows = dict(plan.wiring.plugged)

        def put(nic: Nic, switch: str | None) -> None:
            row = list(plugged[nic.machine])
            row[nic.slot] = None if switch == "white" else switch
            plugged[nic.machine] = tuple(row)

        def go(work: Work) -> Work:
            work = work.enter()
            if work.where.batch is None:
                return work.end()
            for nic, switch in work.where.batch.places().items():
                put(nic, switch)
            return work.done()

        for deed in deeds:
            work = Work.of(folder, plan.cluster)
            assert work is not None
            if deed == "step":
                go(work)
            elif deed == "again":
                # The plugs of a batch are half moved when the controller dies.
                work = work.enter()
                for nic, switch in list(work.where.batch.places().items())[:1] if work.where.batch else []:
                    put(nic, switch)
            else:
                work.turn(BEFORE if work.where.toward == AFTER else AFTER)
        work = Work.of(folder, plan.cluster)
        assert work is not None
        toward = work.where.toward
        for _ in range(len(work.where.batches) + 1):
            work = go(work)
        assert work.where.ended
        assert work.where.batch is None
        assert (folder / "wiring.yml").read_text() == work.where.texts[toward]
        assert plugged == (target if toward == AFTER else plan.wiring).plugged


@given(changes(), st.integers(0, 4))
@settings(max_examples=25, deadline=None)
def test_without_its_journal_a_new_rewiring_goes_on_from_what_is_written(case: tuple[Plan, Wiring], steps: int) -> None:
    """As when a node has died for good in the middle of it, and is replaced first."""
    plan, target = case
    if target.plugged == plan.wiring.plugged:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = _begun(folder, case).enter()
        for _ in range(steps):
            work = work.done().enter() if work.where.batch else work
        if work.where.batch is None:
            return
        text = work.where.texts[AFTER]
        (folder / FILE).unlink()
        again = Work.to(folder, plan.cluster, target).begun().enter()
        while again.where.batch is not None:
            again = again.done().enter()
        assert (folder / "wiring.yml").read_text() == text


def test_a_line_that_a_crash_cut_short_was_not_done(tmp_path: Path) -> None:
    work = _begun(tmp_path, _swapped()).enter()
    states = [standing(tmp_path)]
    whole = (tmp_path / FILE).read_bytes()
    work.done()
    longer = (tmp_path / FILE).read_bytes()
    for size in range(len(whole), len(longer)):
        (tmp_path / FILE).write_bytes(longer[:size])
        assert standing(tmp_path) == states[0]
    # What comes after such a line takes its place.
    work = Work(tmp_path, work.cluster, standing(tmp_path) or work.where)
    work.done().enter()
    again = standing(tmp_path)
    assert again is not None
    assert (again.at, again.open) == (1, again.batch is not None)


def test_a_journal_that_somebody_edited_is_told_by_its_line(tmp_path: Path) -> None:
    _begun(tmp_path, _swapped())
    with (tmp_path / FILE).open("a") as file:
        file.write('{"event": "dance"}\n')
    with pytest.raises(InvalidInput, match=r"rewiring\.jsonl:2: is no line of this journal \('dance'"):
        standing(tmp_path)


def test_a_wiring_that_somebody_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    work = _begun(tmp_path, _swapped())
    work.enter()
    (tmp_path / "wiring.yml").write_text("cluster: tiny\nnodes: {}\n")
    with pytest.raises(Conflict, match=r"was changed since the rewiring began \(0 of \d batches made\)"):
        work.enter()
    assert (tmp_path / "wiring.yml").read_text() == "cluster: tiny\nnodes: {}\n"


def test_two_rewirings_do_not_mix(tmp_path: Path) -> None:
    plan, target = _swapped()
    _begun(tmp_path, (plan, target))
    with pytest.raises(Conflict, match="a rewiring is under way"):
        Work.to(tmp_path, plan.cluster, target)


def test_a_pair_keeps_a_switch_while_both_that_it_shares_are_touched() -> None:
    rows: Rows = {"n0": ("s0", "s1", "s4"), "n1": ("s0", "s1", "s5"), "n2": ("s2", "s3", "s4")}
    after = {**rows, "n0": ("s2", "s3", "s4"), "n1": ("s2", "s1", "s5")}
    found = batches(plan_of(tuple(rows.values())).cluster, rows, after)
    # All at one go, n0 and n1 would share nothing; one after the other they always do.
    assert [len(batch.moves) for batch in found] in ([2, 1], [1, 2], [1, 1, 1])
    assert [batch.apart for batch in found if batch.apart > 0] == []


def test_what_a_node_that_goes_is_parted_from_costs_no_batches() -> None:
    rows = (
        *(("red", "grey", "blue"), ("red", "green", "blue"), ("blue", "yellow", "purple"), ("red", "yellow", "purple")),
        *(("green", "yellow", "blue"), ("green", "yellow", "grey"), ("blue", "purple", "grey")),
        *(("green", "purple", "grey"), ("purple", "red", "green")),
    )
    plan = plan_of(rows)
    found = batches(plan.cluster, plan.wiring.nodes, {**plan.wiring.nodes, "n8": (None, None, None)})
    # One cable keeps it within reach while the others are pulled.
    assert [(len(batch.moves), batch.apart) for batch in found] == [(2, 0), (1, 0)]


def test_the_work_goes_by_racks_and_is_the_same_every_time() -> None:
    plan, target = _swapped()
    one, two = (batches(plan.cluster, plan.wiring.nodes, target.nodes) for _ in range(2))
    assert one == two
    assert all(batch.reverse().reverse() == batch for batch in one)
