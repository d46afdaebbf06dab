# SPDX-License-Identifier: Apache-2.0
"""The switches' own words: what the lab's evidence says in the terms of the judge, and when there is no witness."""

from __future__ import annotations

from pathlib import Path

import pytest

from flathood.checks import evidence
from flathood.checks.run import conclude
from flathood.checks.work import work
from flathood.plan import Plan

ROOT = Path(__file__).parents[3]


def test_tables_say_what_is_behind_a_port() -> None:
    gathered = {
        "switches": {
            "red": {"on": True, "table": [{"mac": "m1", "port": "m0.0"}, {"mac": "m2", "port": "u0.near"}]},
            "white": {"on": True, "table": [{"mac": "m1", "port": "u0.far"}, {"mac": "m3", "port": "m9.0"}]},
            "blue": {"on": False, "table": []},
        },
        "ports": {
            "m0.0": {"cable": "a:0", "switch": "red"},
            "m9.0": {"cable": "head:0", "switch": "white"},
            "u0.near": {"cable": "uplink:red", "switch": "red"},
            "u0.far": {"cable": "uplink:red", "switch": "white"},
        },
    }
    assert evidence.tables(gathered, "white") == {
        "red": {"m1": "", "m2": "white"},
        "white": {"m1": "red", "m3": ""},
        "blue": {},
    }


def test_only_at_the_head_of_this_cluster_s_lab_is_there_a_witness(hexa: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "octet"):
        monkeypatch.setenv(evidence.IN_LAB, name)
        assert evidence.witness(hexa.cluster) is None
    monkeypatch.delenv(evidence.IN_LAB)
    assert evidence.witness(hexa.cluster) is None


def test_what_the_tasks_registered_becomes_a_report(tmp_path: Path) -> None:
    """One node's three results as Ansible keeps them; the others were not reached."""
    fine = {"deviations": {}, "troubles": {}, "clock": [100.0, 102.5]}
    words = {name: {"start": {"unreachable": True, "msg": "timed out"}} for name in "bcdef"}
    words["a"] = {
        "start": fine | {"deviations": {"name": {"b": ""}}},
        "run": fine | {"echoes": {"fnn0": [9, 1]}},
        "collect": fine | {"arp": {"frames": [], "lost": 2}},
    }
    report, page = conclude(
        ROOT / "inventories/hexa", words, {"switches": {}, "job": {"skipped": True}}, output=tmp_path
    )
    assert page.exists()
    assert report.started == "1970-01-01T00:01:40+00:00"
    assert report.seconds["all-pairs traffic"] == 2.5
    a = report.hosts[0]
    assert (a.counts["name"].failed, a.counts["echo"].passed, a.counts["silence"].not_run) == (1, 21, 2)
    assert {one.reason for one in report.not_run if one.kind == "silence" and one.host == "a"} == {
        "the capture lost 2 frames"
    }
    assert report.facts["echoes repeated"] == 1


def test_each_phase_ships_only_what_it_needs(hexa: Plan) -> None:
    start, run, collect = (work(hexa, phase, "a", hexa.names, "t") for phase in ("start", "run", "collect"))
    assert set(start["expected"]) == {"nic", "address", "neighbor", "route", "sysctl", "name"}
    assert set(start["nics"]) == {"fnn0", "fnn1"}
    assert len(run["echo"]) == 21
    assert (run["mtu"], run["rate"], run["label"], run["datagrams"]) == (1500, 10**8, "t a", 5)
    assert set(collect["multicast"]) == set(hexa.names)
    assert work(hexa, "run", "head", hexa.names, "t")["datagrams"] == 0
