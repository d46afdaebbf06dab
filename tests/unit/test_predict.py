# SPDX-License-Identifier: Apache-2.0
"""The fluid model: fair shares, ends of transfers, and the benchmarks on the paper's clusters."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from flathood.bench import synthetic
from flathood.cli.main import cli
from flathood.errors import FlathoodError
from flathood.plan.build import routed
from flathood.predict import Case, Model, predict
from flathood.predict.exchange import ROUNDS, exchange
from flathood.predict.fluid import Order, durations, durations_even, max_min
from flathood.predict.links import Links, Routes
from tests.plans import HEXA, plan_of

RECORDED = Path(__file__).parents[1] / "simgrid" / "recorded.json"
MODEL = Model(rate=100e6, latency=0, hop=0)
LINK = MODEL.payload / 1e6  # MB/s of one link, each way


def test_the_payload_of_a_link_is_what_frames_leave():
    assert pytest.approx(12.5 * 1448 / 1538) == LINK


@given(st.data())
def test_rates_are_max_min_fair(data):
    links = data.draw(st.integers(1, 6))
    capacity = np.array(data.draw(st.lists(st.floats(0.5, 8), min_size=links, max_size=links)))
    rows = data.draw(st.lists(st.sets(st.integers(0, links - 1), min_size=1, max_size=3), min_size=1, max_size=12))
    paths = np.array([[*sorted(row), *[links] * (4 - len(row))] for row in rows])
    rates = max_min(capacity, paths)
    carried = np.bincount(paths.ravel(), weights=np.repeat(rates, 4), minlength=links + 1)[:links]
    assert (carried <= capacity * (1 + 1e-6)).all()
    # Bertsekas and Gallager: each flow has a full link on which none is faster.
    for flow, row in enumerate(rows):
        assert any(
            carried[link] >= capacity[link] * (1 - 1e-6)
            and rates[flow] >= max(rates[k] for k, other in enumerate(rows) if link in other) * (1 - 1e-6)
            for link in row
        )


def test_who_ends_leaves_its_share_to_the_others():
    routes = Routes(np.array([[0, 1, 1, 1], [0, 1, 1, 1]]), np.array([0, 1]), 2)
    assert durations(np.array([10.0]), routes, np.array([10.0, 30.0])) == pytest.approx([2, 4])


def test_a_message_over_two_links_waits_for_the_slower_one_only_if_dealt_out_evenly():
    routes = Routes(np.array([[0, 2, 2, 2], [1, 2, 2, 2]]), np.array([0, 0]), 1)
    capacity, sizes = np.array([1.0, 3.0]), np.array([12.0])
    assert durations(capacity, routes, sizes) == pytest.approx([3])
    assert durations_even(capacity, routes, sizes) == pytest.approx([6])


def test_what_has_no_way_never_ends():
    routes = Routes(np.array([[0, 2, 2, 2], [1, 2, 2, 2]]), np.array([0, 1]), 2)
    assert durations(np.array([0.0, 1.0]), routes, np.array([1.0, 1.0])).tolist() == [np.inf, 1.0]


@pytest.mark.parametrize("dealt", [durations, durations_even])
def test_what_waits_begins_when_the_last_that_it_needs_is_done(dealt):
    # 2 needs 0 and 1; 3 has no bytes and needs 2; 4 needs 3, is delayed, and has two links.
    routes = Routes(np.array([[0, 9], [1, 9], [0, 9], [0, 9], [1, 9]]), np.array([0, 1, 2, 4, 4]), 5)
    order = Order(np.array([2, 2, 3, 4]), np.array([0, 1, 2, 3]), np.array([0, 0, 0, 0, 5.0]))
    ends = dealt(np.ones(9), routes, np.array([1.0, 3.0, 2.0, 0.0, 8.0]), order=order)
    assert ends.tolist() == pytest.approx([1, 3, 5, 5, 14])


def test_what_waits_for_each_other_never_begins():
    routes = Routes(np.array([[0, 9], [1, 9]]), np.array([0, 1]), 2)
    order = Order(np.array([0, 1]), np.array([1, 0]), np.zeros(2))
    assert durations(np.ones(9), routes, np.ones(2), order=order).tolist() == [np.inf, np.inf]


@pytest.mark.parametrize(("eager", "each"), [(10, 10), (0, 20), (4, 16)])
def test_long_messages_of_exchange_go_in_two_turns(eager, each):
    # Every message has a link for itself: 10 s in one go, but what is not eager waits for its turn.
    played = exchange(5, 2, 10, eager, np.zeros((2, 10)))
    links = np.where(played.sizes > 0, 2 * played.ends + (played.others % 5 == (played.ends + 1) % 5), 20)
    routes = Routes(links[:, None], np.arange(len(links)), len(links))
    ends = durations(np.ones(20), routes, played.sizes, order=played.order)
    assert ends[played.first :].tolist() == pytest.approx([each * ROUNDS] * 10)


@pytest.mark.parametrize(("eager", "empties"), [(10, 1), (4, 5)])
def test_each_turn_of_exchange_takes_a_question_and_an_answer(eager, empties):
    # Eager: one way. Else the first part, the answer and the rest; the second message's first part is there by then.
    played = exchange(5, 1, 10, eager, np.ones((2, 5)))
    routes = Routes(np.full((len(played.ends), 1), 0), np.arange(len(played.ends)), len(played.ends))
    ends = durations(np.array([1e12]), routes, played.sizes, order=played.order)
    assert ends[played.first :].tolist() == pytest.approx([empties * ROUNDS] * 5)


def test_the_answer_that_starts_a_long_message_waits_behind_the_one_that_goes_the_same_way():
    # All to the right have a link of 1 B/s but 0 to 1, which has one of 10; those to the left have links of 10.
    played = exchange(4, 1, 10, 0, np.zeros((2, 4)))
    leftwards = played.others == (played.ends - 1) % 4
    links = np.where(played.sizes > 0, np.where(leftwards, 4 + played.ends, played.ends), 8)
    routes = Routes(links[:, None], np.arange(len(links)), len(links))
    ends = durations(np.array([10.0, 1, 1, 1, 10, 10, 10, 10]), routes, played.sizes, order=played.order)
    # Rank 1 has its message from 0 at 1 s, but 2 may send to 1 only when 1's message to 2 is through: 10 s, and 1 s.
    assert ends[played.first :].max() == pytest.approx(11 * ROUNDS)


def test_hexa_by_hand():
    plan = plan_of(HEXA)
    exchange = Case("exchange", 1_000_000, 6, multi=True)
    # In the ring, b has c on red only, and a has f on green only: whichever of the two a and b take, one of them has
    # both neighbors on one link, two messages each way.
    assert predict(plan, exchange, MODEL).mbytes == pytest.approx(2 * LINK, rel=1e-3)
    # On both at once a-b is done while b-c and f-a are half done, which then have their links for themselves.
    whole = replace(MODEL, eager=np.inf)
    assert predict(routed(plan, "advanced"), exchange, whole).mbytes == pytest.approx(4 * LINK / 1.5, rel=1e-3)
    # Long messages go in two turns: a and b's is done early in both, but its answer waits behind what goes to c and f.
    assert predict(routed(plan, "advanced"), exchange, MODEL).mbytes == pytest.approx(2 * LINK, rel=1e-2)
    # The tree has one link for both neighbors, and one up to the uplink switch for d-e and a-f.
    assert predict(routed(plan, "tree"), exchange, MODEL).mbytes == pytest.approx(2 * LINK, rel=1e-3)
    pair = Case("pingpong", 1_000_000, 2, multi=False)
    assert predict(plan, pair, MODEL).mbytes == pytest.approx(LINK)
    assert predict(routed(plan, "advanced"), pair, MODEL).mbytes == pytest.approx(2 * LINK)
    assert predict(routed(plan, "advanced"), pair, MODEL).limit == pytest.approx(1)


def test_a_full_tree_is_limited_by_the_cables_of_its_uplink_switch():
    plan = synthetic.plan(26)  # two nodes on each first switch, 13 groups of two in the ring: all pairs are apart
    links = Links(routed(plan, "tree"))
    routes = links.routes(np.arange(26), (np.arange(26) + 1) % 26)
    assert (routes.links[:, 2] < links.count).all()
    tree = predict(routed(plan, "tree"), Case("sendrecv", 1_000_000, 26, multi=True), MODEL)
    assert tree.mbytes == pytest.approx(LINK, rel=1e-3)  # two nodes on one cable: half of 2 LINK
    assert {links.name(int(link)) for link in routes.links[0]} == {
        "n0000-s00 out", "n0001-s01 in", "s00 up", "s01 down"
    }  # fmt: skip


def test_empty_messages_take_longer_through_three_switches():
    plan = synthetic.plan(26)
    slow = replace(MODEL, latency=1e-3, hop=1e-4)
    barrier = Case("barrier", 0, 16, multi=False)
    assert predict(plan, barrier, slow).seconds == pytest.approx(4e-3)
    assert predict(routed(plan, "tree"), barrier, slow).seconds == pytest.approx(4 * 1.2e-3)


def test_groups_that_do_not_fit_are_told():
    with pytest.raises(FlathoodError, match="groups of 7 of 6 nodes"):
        predict(plan_of(HEXA), Case("exchange", 1, 7, multi=True), MODEL)
    with pytest.raises(FlathoodError, match="played by two"):
        predict(plan_of(HEXA), Case("pingpong", 1, 4, multi=True), MODEL)


@pytest.mark.parametrize("name", json.loads(RECORDED.read_text()))
def test_simgrid_says_the_same(name):
    case = json.loads(RECORDED.read_text())[name]
    routes = Routes(np.array(case["links"]), np.arange(len(case["links"])), len(case["links"]))
    ours = durations(np.array(case["capacity"]), routes, np.array(case["sizes"], dtype=float), tolerance=1e-9)
    assert ours == pytest.approx(case["simgrid"], rel=1e-3)


def test_the_command_sets_the_modes_beside_each_other():
    told = CliRunner().invoke(cli, ["predict", "inventories/hexa", "--benchmark", "pingpong", "--json"])
    rows = {(row["routing"], row["multi"]): row for row in json.loads(told.output)["rows"]}
    assert rows["advanced", False]["mbytes"] == pytest.approx(2 * rows["basic", False]["mbytes"], rel=1e-2)
    assert rows["tree", True]["mbytes"] == pytest.approx(rows["basic", True]["mbytes"], rel=1e-2)
