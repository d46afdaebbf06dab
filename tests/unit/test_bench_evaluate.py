# SPDX-License-Identifier: Apache-2.0
"""`flathood bench evaluate`: what its rows say of a plane that is not filled evenly."""

from __future__ import annotations

import json

from click.testing import CliRunner

from flathood.cli.bench import bench


def test_the_figures_are_those_of_a_blown_up_plane() -> None:
    options = ["evaluate", "--nodes", "27"]
    table = CliRunner(env={"COLUMNS": "80"}).invoke(bench, options, catch_exceptions=False).stdout
    assert all(heading in table for heading in ("choices", "best s", "losses s", "limit"))
    result = CliRunner().invoke(bench, [*options, "--json"], catch_exceptions=False)
    (row,) = json.loads(result.stdout)["rows"]
    # 13 lines stand for two nodes each, one for three: 12 + 3 pairs share four switches, all others one.
    assert row["choices"] == 4 * 15
    assert row["parts"] == 13 + 27 * 4
    assert row["even"] < row["best"] == row["limit"] < 4
