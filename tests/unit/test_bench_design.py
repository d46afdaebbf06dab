# SPDX-License-Identifier: Apache-2.0
"""`flathood bench design`: its problems are what they say, and its rows tell what an engine came to."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from flathood.bench.design import PROBLEMS
from flathood.cli.bench import bench
from flathood.design.bounds import require_possible
from flathood.design.request import Request
from flathood.spec import load_cluster

KLAT2 = "inventories/klat2/cluster.yml"


@pytest.mark.parametrize("name", PROBLEMS)
def test_no_problem_is_known_to_be_impossible(name: str) -> None:
    request = PROBLEMS[name].request
    if request.mode == "universal":
        require_possible(request)


def test_klat2s_problems_have_its_own_switches(request: pytest.FixtureRequest) -> None:
    own = Request.of(load_cluster(request.config.rootpath / KLAT2))
    for name, problem in PROBLEMS.items():
        if name.startswith("klat2"):
            assert problem.request.nics.tolist() == own.nics.tolist()
            assert problem.request.ports.tolist() == own.ports.tolist()


def test_rows_and_a_table_that_fits_a_terminal() -> None:
    options = ["design", "--problem", "plane of order 3", "--engine", "construction", "--seconds", "1"]
    rows = json.loads(CliRunner().invoke(bench, [*options, "--json"]).stdout)["rows"]
    assert [(row["problem"], row["engine"], row["mean"], row["quality"]) for row in rows] == [
        ("plane of order 3", "construction", 1.0, 1.0)
    ]
    assert rows[0]["covered_seconds"] >= 0
    table = CliRunner().invoke(bench, options, env={"COLUMNS": "80"}).stdout
    assert "plane of order 3" in table
