# SPDX-License-Identifier: Apache-2.0
"""What is measured, how it is started, and what the report makes of it."""

import json
import struct
from dataclasses import replace

import pytest
from click.testing import CliRunner

from flathood.benchmark import Wanted, job, keep
from flathood.benchmark.plots import plots
from flathood.benchmark.report import write_report
from flathood.benchmark.results import Row, load, rows, unexplained
from flathood.benchmark.work import partner
from flathood.cli.bench import network
from flathood.errors import FlathoodError
from flathood.plan.build import routed
from flathood.predict import Case, Model, predict
from tests.plans import HEXA, plan_of

MODEL = Model(rate=10e6, framing=14, latency=0.001, hop=0)


@pytest.fixture(scope="module")
def plan():
    return plan_of(HEXA)


def told(work):
    return json.loads(work.argv[-1])


def test_the_job_has_each_case_once_small_messages_first(plan):
    wanted = Wanted(("exchange", "barrier", "tcp"), sizes=(1024, 0), groups=(6, 2))
    assert told(job(plan, wanted, MODEL, root=False))["cases"] == [
        ["tcp", 4, partner(plan), False],
        ["barrier", 0, 2, False],
        ["barrier", 0, 2, True],
        ["barrier", 0, 6, False],
        ["exchange", 1024, 2, False],
        ["exchange", 1024, 2, True],
        ["exchange", 1024, 6, False],
    ]


def test_root_says_so_to_mpirun(plan):
    assert ["--allow-run-as-root" in job(plan, Wanted(), MODEL, root=root).argv for root in (True, False)] == [
        True,
        False,
    ]


def test_plain_connections_are_between_nodes_that_share_most(plan):
    assert plan.shared(0, partner(plan)) == (1, 2)


def test_a_job_on_slow_links_gets_more_time(plan):
    slow = Model(rate=1e6)
    limit = [float(job(plan, Wanted(), model, root=True).argv[3]) for model in (MODEL, slow)]
    assert limit[1] > 2 * limit[0]


def test_the_outlook_is_how_long_the_predicted_operations_take(plan):
    wanted = Wanted(("exchange",), sizes=(1 << 22,), groups=(6,))
    once = predict(plan, Case("exchange", 1 << 22, 6, multi=False), MODEL).seconds
    work = job(plan, wanted, MODEL, root=True)
    assert work.seconds == pytest.approx(2 * once + 0.5)  # longer than the time for repetitions: one, and one again
    assert work.outlook == f"1 case, about {2 * once + 0.5:.0f} s"
    assert job(plan, replace(wanted, sizes=(1 << 24,), groups=(2, 6)), MODEL, root=True).outlook.endswith(" min")


def test_everything_wrong_is_told_at_once(plan):
    wanted = Wanted(("allreduce",), sizes=(-1,), groups=(7,), seconds=0)
    with pytest.raises(FlathoodError) as caught:
        job(plan, wanted, MODEL, root=True)
    assert len(str(caught.value).splitlines()) == 4


def test_connections_alone_end_without_a_table(monkeypatch, tmp_path):
    monkeypatch.setattr("flathood.bench.network.run", lambda *given: [])
    done = CliRunner().invoke(network, [str(tmp_path), "--benchmark", "tcp"])
    assert (done.exit_code, done.output) == (0, ""), done


def measured(plan, mode, factor=1.0):
    """What the program would print if each case took this many times its predicted time."""
    words = [{"benchmark": "tcp", "size": 4, "group": 1, "multi": False, "bytes_per_second": MODEL.payload}]
    for name, size, group in (("pingpong", 0, 2), ("pingpong", 1 << 20, 2), ("exchange", 1 << 20, 6)):
        told = predict(routed(plan, mode), Case(name, size, group, multi=False), MODEL)
        seconds = [told.seconds * (factor if size else 1)]
        words.append({"benchmark": name, "size": size, "group": group, "multi": False, "seconds": seconds})
    return "Some warning of mpirun\n" + "".join(json.dumps(word) + "\n" for word in words)


def test_the_report_sets_measured_beside_predicted_and_the_tree(plan, tmp_path):
    for mode, factor in (("tree", 1.2), ("advanced", 1.0)):
        keep(routed(plan, mode), MODEL, measured(plan, mode, factor), tmp_path)
    page, notes = write_report(plan, tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())
    rows = {(row["routing"], row["benchmark"], row["size"]): row for row in results["rows"]}
    assert rows["tree", "exchange", 1 << 20]["error"] == pytest.approx(0.2)
    assert rows["advanced", "exchange", 1 << 20]["error"] == pytest.approx(0)
    # Both take two turns of one link's worth, and the tree took a fifth longer; PingPong has twice the links.
    assert rows["advanced", "exchange", 1 << 20]["against_tree"] == pytest.approx(1.2, rel=1e-2)
    assert rows["advanced", "pingpong", 1 << 20]["against_tree"] == pytest.approx(2 * 1.2, rel=1e-2)
    assert rows["advanced", "pingpong", 1 << 20]["limit"] == pytest.approx(1, rel=1e-2)
    assert notes[0].startswith("In 2 of 4 cases")  # those that took a fifth longer, in the tree
    assert any(note.startswith("exchange") and "+20%" in note for note in notes)
    assert results["connections"][0]["links"] == pytest.approx(1448 / 1514, abs=0.01)
    assert notes[-1] == "One TCP connection carries 0.96 links in advanced mode, 0.96 links in tree mode."
    text = page.read_text()
    assert "http://" not in text
    assert "https://" not in text
    picture = (tmp_path / "exchange.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">2I", picture[16:24]) > (500, 300)


@pytest.mark.parametrize(
    ("sizes", "groups"), [((1024, 65536), (2, 6)), ((65536,), (2, 6)), ((65536,), (2,)), ((), (2,))]
)
def test_whatever_was_measured_is_drawn_over_what_differs(plan, tmp_path, sizes, groups):
    name = "exchange" if sizes else "barrier"
    seconds = [1.0, 2.0]
    found = [
        Row(mode, name, group, multi, size, t, size / t or None, None, None, 0.1)
        for mode, t in zip(("basic", "tree"), seconds, strict=True)
        for group in groups
        for multi in (False, True)
        for size in sizes or (0,)
    ]
    (picture,) = plots(found, tmp_path)
    assert picture.name == f"{name}.png"
    assert struct.unpack(">2I", picture.read_bytes()[16:24]) > (500, 300)


def test_the_table_has_the_modes_of_one_case_together(plan, tmp_path):
    for mode in ("tree", "basic", "advanced"):
        keep(routed(plan, mode), MODEL, measured(plan, mode), tmp_path)
    page, _ = write_report(plan, tmp_path)
    cells = [
        line.split("<td>")[1:6] for line in page.read_text().splitlines() if line.startswith("<tr") and "%" in line
    ]
    assert [row[3].removesuffix("</td>") for row in cells[:6]] == ["basic", "advanced", "tree"] * 2


def test_what_may_be_the_processors_is_told_until_links_of_half_the_rate_take_twice_as_long(plan, tmp_path):
    keep(plan, MODEL, measured(plan, "basic", 1.5), tmp_path)
    assert "took 1.5 times as long as predicted" in write_report(plan, tmp_path)[1][0]
    (pingpong, exchange) = unexplained(rows(plan, load(tmp_path)))
    assert (pingpong.benchmark, exchange.benchmark) == ("pingpong", "exchange")
    quick, slow = (replace(exchange, seconds=exchange.seconds / times) for times in (2, 1.5))
    assert unexplained([pingpong, exchange], [quick]) == [pingpong]
    assert unexplained([exchange], [slow]) == [exchange]
    keep(plan, MODEL, measured(plan, "basic", 1.1), tmp_path)
    assert "In all 2 cases of long messages the network is the limit" in write_report(plan, tmp_path)[1][0]


@pytest.mark.parametrize("output", ["", "mpirun was unhappy", "{not json"])
def test_no_result_is_an_error(plan, tmp_path, output):
    with pytest.raises(FlathoodError, match="result"):
        keep(plan, MODEL, output, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_report_of_nothing_is_an_error(plan, tmp_path):
    with pytest.raises(FlathoodError, match="nothing has been measured"):
        write_report(plan, tmp_path)
