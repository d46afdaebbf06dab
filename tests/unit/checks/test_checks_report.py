# SPDX-License-Identifier: Apache-2.0
"""Reports: the same bytes from the same words, legible without colours, an exit code for each outcome."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from io import StringIO
from pathlib import Path

import jsonschema
import pytest
from rich.console import Console

from flathood.checks.catalogue import Catalogue
from flathood.checks.observed import HostWord, JobWord, Observed, SwitchWord
from flathood.checks.report import html
from flathood.checks.report.make import make_report, save
from flathood.checks.report.schema import schema_text
from flathood.checks.report.terminal import print_report
from flathood.checks.results import Count, Exit, Report

GOLDEN = Path(__file__).parents[2] / "golden" / "validate"


def report_of(catalogue: Catalogue, observed: Observed) -> Report:
    return make_report(
        catalogue,
        observed,
        digest="0123456789abcdef" * 4,
        started="2001-05-15T12:00:00+00:00",
        seconds={"compare and begin to record": 1.25, "all-pairs traffic": 2.5},
    )


@pytest.fixture
def faulty(catalogue: Catalogue, healthy: Observed, tables: dict[str, dict[str, str]]) -> Report:
    """One report with everything in it: a swap, a wrong route, a lossy NIC, a stranger, a machine away, no job."""
    places = {(host.name, nic.nic): nic.mac for host in report_of(catalogue, healthy).hosts for nic in host.nics}
    for nic, now in ((("a", "fnn1"), "blue"), (("c", "fnn1"), "green")):
        mac = places[nic]
        tables |= {name: table | {mac: "" if name == now else "white"} for name, table in tables.items()}
        tables["white"][mac] = now
    stranger = ("fnn0", "seen", "request", "02:de:ad:be:ef:00", "10.78.0.99", "10.78.0.1", 2)
    hosts = healthy.hosts | {
        "b": HostWord(deviations={"route": {"10.80.2.3": "dev fnn0 src 10.80.0.2"}}, arp=(stranger,)),
        "e": HostWord(echoes={"fnn0": (20, 7), "fnn1": (20, 0)}),
        "f": HostWord("unreachable", "Connection timed out"),
    }
    job = JobWord(reason="all nodes have to take part, and these do not: f")
    return report_of(catalogue, Observed(hosts, replace(healthy.switches, tables=tables), job))


def test_the_files_are_those_that_were_read_and_committed(faulty: Report, tmp_path: Path) -> None:
    """When a change is meant: copy the two files from this test's folder to tests/golden/validate, and read them."""
    for path in save(faulty, tmp_path):
        assert path.read_text() == (GOLDEN / path.name).read_text(), path


def test_the_json_is_read_back_as_it_was(faulty: Report, tmp_path: Path) -> None:
    path, _ = save(faulty, tmp_path)
    assert Report.model_validate_json(path.read_bytes()) == faulty


def test_saving_leaves_the_two_files_and_nothing_else(faulty: Report, tmp_path: Path) -> None:
    save(faulty, tmp_path / "new")
    save(faulty, tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["report.html", "report.json"]


def test_the_page_stands_alone_and_escapes_what_machines_say(catalogue: Catalogue, healthy: Observed) -> None:
    hosts = healthy.hosts | {"a": HostWord("failed", "<script>alert(1)</script>")}
    page = html.render(report_of(catalogue, replace(healthy, hosts=hosts)))
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["'](?!#)|url\(|@import""", page)


def test_every_machine_has_an_anchor(faulty: Report) -> None:
    page = html.render(faulty)
    assert re.findall(r'<section class="machine" id="(\w+)">', page) == ["a", "b", "c", "d", "e", "f", "head"]


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (Count(passed=3), ("pass", "✓ 3")),
        (Count(passed=1, failed=2), ("fail", "✗ 2 of 3")),
        (Count(passed=1, warned=1, not_run=1), ("warning", "! 1 of 3")),
        (Count(not_run=4), ("not-run", "\N{EN DASH} 4 not run")),
        (None, ("none", "")),
    ],
)
def test_every_cell_has_a_sign_beside_its_colour(count: Count | None, shown: tuple[str, str]) -> None:
    assert html.cell(count) == shown


def test_the_terminal_has_everything_in_80_columns(faulty: Report) -> None:
    out = StringIO()
    print_report(faulty, Console(file=out, width=80), Path("build/hexa/validate/report.html"))
    text = out.getvalue()
    assert max(map(len, text.splitlines())) <= 80
    assert "two cables are swapped: a fnn1 (green) is in blue, c fnn1 (blue) is in green" in " ".join(text.split())
    assert "f is off, or cannot be reached from the head" in text
    assert "not run: 1 of MPI" in text
    assert "hexa: something is wrong" in text


@pytest.mark.parametrize(
    ("counts", "code"),
    [
        (Count(passed=5), Exit.PASS),
        (Count(passed=5, failed=1, warned=1, not_run=1), Exit.FAIL),
        (Count(failed=1), Exit.FAIL),
        (Count(not_run=5), Exit.NOTHING_RAN),
        (Count(), Exit.NOTHING_RAN),
        (Count(passed=5, warned=1), Exit.WARNINGS),
        (Count(passed=5, not_run=1), Exit.WARNINGS),
    ],
)
def test_exit_codes(counts: Count, code: Exit, faulty: Report) -> None:
    assert faulty.model_copy(update={"counts": {"nic": counts}}).exit is code


def test_a_real_cluster_without_switch_evidence_ends_with_warnings(catalogue: Catalogue, healthy: Observed) -> None:
    report = report_of(catalogue, replace(healthy, switches=SwitchWord(reason="no switch evidence")))
    assert (report.exit, report.evidence) == (Exit.WARNINGS, "")
    assert "no switch evidence" in html.render(report)


def test_a_cluster_that_does_not_answer_at_all_was_not_checked(catalogue: Catalogue, healthy: Observed) -> None:
    hosts = dict.fromkeys(healthy.hosts, HostWord("unreachable", "No route to host"))
    report = report_of(catalogue, replace(healthy, hosts=hosts, job=JobWord(reason="no node takes part")))
    assert report.exit is Exit.NOTHING_RAN
    assert {one.host for one in report.findings} == set(hosts)


def test_the_shipped_schema_is_that_of_the_report(faulty: Report) -> None:
    shipped = (Path(__file__).parents[3] / "schemas" / "validation.schema.json").read_text()
    assert shipped == schema_text(), "see flathood/checks/report/schema.py for how to renew it"
    jsonschema.validate(json.loads((GOLDEN / "report.json").read_text()), json.loads(shipped))
