# SPDX-License-Identifier: Apache-2.0
"""Shorter cables: for nothing where parts can be exchanged, else for bandwidth, and never hidden."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from flathood.cabling.lengths import cable_lengths, metres
from flathood.cli.main import cli
from flathood.design.engine import Budget
from flathood.design.objective import evaluate, shared_switches
from flathood.design.request import Request, design_of
from flathood.design.shorter import by_length, length_front, shorter_as_good, total
from flathood.spec import load_cluster
from flathood.wiring import load_wiring

COLOURS = ("#c62828", "#2e7d32", "#1565c0", "#f9a825")


def spec_of(nodes: int = 6, switches: int = 3, **keys: object) -> dict[str, object]:
    """Two racks three metres apart, half of the nodes and every other switch in each."""
    return {
        "cluster": "x",
        "racks": ["left", {"name": "right", "x": 3.0}],
        "nodes": {"count": nodes, "name": "n{}", "nics": 2, "rack": ["left", "right"]},
        "switches": [
            {"name": f"s{k}", "colour": COLOURS[k], "ports": 4, "rack": ("left", "right")[k % 2]}
            for k in range(switches)
        ],
        **keys,
    }


def folder_of(tmp_path: Path, **keys: object) -> Path:
    (tmp_path / "cluster.yml").write_text(json.dumps(spec_of(**keys)))
    return tmp_path


def designs(request: Request):
    """Every design in which all NICs are used and every pair shares a switch."""
    rows = [np.isin(np.arange(request.switches), two) for two in itertools.combinations(range(request.switches), 2)]
    for choice in itertools.product(rows, repeat=request.nodes):
        design = np.array(choice)
        if request.fits(design) and not (request.required & (shared_switches(design) == 0)).any():
            yield design


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["all-to-all", "ring"]))
def test_parts_are_exchanged_for_nothing_as_well_as_can_be(tmp_path_factory, seed, profile):
    cluster = load_cluster(folder_of(tmp_path_factory.mktemp("x"), profile=profile) / "cluster.yml")
    request, lengths = Request.of(cluster), metres(cluster)
    every = list(designs(request))
    rng = np.random.default_rng(seed)
    design = every[int(rng.integers(len(every)))]
    found = shorter_as_good(request, lengths, design)
    assert request.fits(found)
    assert total(lengths, found) <= total(lengths, design)
    before, after = evaluate(request, design), evaluate(request, found)
    assert after.quality == pytest.approx(before.quality)
    assert after.histogram == before.histogram
    best = min(
        total(lengths, design[:, list(parts)])
        for parts in itertools.permutations(range(3))
        if request.fits(design[:, list(parts)])
    )
    assert total(lengths, found) <= best + 1e-6  # switches alone; where nodes may change places, too, it may be less


@pytest.mark.parametrize("profile", ["all-to-all", "ring"])
def test_on_a_small_cluster_the_front_is_the_best_there_is(tmp_path, profile):
    cluster = load_cluster(folder_of(tmp_path, profile=profile) / "cluster.yml")
    request, lengths = Request.of(cluster), metres(cluster)
    every = list(designs(request))
    front = length_front(request, lengths, "quality")
    spots = by_length(front, lengths, every[-1], Budget(rounds=3))
    for spot in spots:
        best = max(evaluate(request, each).quality for each in every if total(lengths, each) <= spot.cost + 1e-6)
        assert evaluate(request, spot.design).quality == pytest.approx(best)
    assert spots[0].cost == pytest.approx(min(total(lengths, each) for each in every), abs=0.011)


def test_a_new_design_has_short_cables_and_says_how_many_metres(tmp_path):
    folder = folder_of(tmp_path)
    result = CliRunner().invoke(cli, ["design", str(folder)])
    assert result.exit_code == 0, result.output
    cluster = load_cluster(folder / "cluster.yml")
    wiring = load_wiring(folder / "wiring.yml", cluster)
    request, lengths = Request.of(cluster), metres(cluster)
    said = wiring.design["metres"]
    assert said == pytest.approx(sum(cable_lengths(cluster, wiring).values()))
    assert wiring.design["optimal"] is True
    same = evaluate(request, design_of(wiring, cluster)).quality
    shortest = min(total(lengths, each) for each in designs(request) if evaluate(request, each).quality >= same - 1e-9)
    assert said == pytest.approx(shortest)


def test_a_wiring_is_taken_from_the_list_and_written(tmp_path):
    folder = folder_of(tmp_path)
    target = folder / "short.yml"
    runner = CliRunner()
    result = runner.invoke(cli, ["shorten", str(folder), "--worth", "50", "--output", str(target), "--json"])
    assert result.exit_code == 0, result.output
    report = json.loads(result.output)
    points = report["points"]
    assert [point["metres"] for point in points] == sorted({point["metres"] for point in points})
    assert points[-1]["worth"] == 1
    taken = report["taken"]
    assert taken == next(point for point in points if point["worth"] >= 0.5)
    cluster = load_cluster(folder / "cluster.yml")
    wiring = load_wiring(target, cluster)
    assert total(metres(cluster), design_of(wiring, cluster)) == taken["metres"] == wiring.design["metres"]
    assert sum(taken["cables"].values()) == 12
    assert not (folder / "wiring.yml").exists()


@pytest.mark.parametrize(
    ("keys", "options", "message"),
    [
        ({"racks": []}, [], "not known where all nodes and switches stand"),
        ({}, ["--within", "0.1"], "the shortest wiring that was found has"),
        ({}, ["--output", "x.yml"], "--output needs --within or --worth"),
        ({}, ["--within", "9", "--worth", "9"], "give one of them"),
        ({}, ["--worth", "200"], "is no share"),
        ({}, ["--plot", "x.gif"], "a picture's name ends in one of"),
    ],
)
def test_what_cannot_be_is_said(tmp_path, keys, options, message):
    result = CliRunner().invoke(cli, ["shorten", str(folder_of(tmp_path, **keys)), "--rounds", "1", *options])
    assert result.exit_code != 0
    assert message in result.output + str(result.exception)


def test_moves_are_told_where_something_is_plugged(tmp_path):
    folder = folder_of(tmp_path)
    rows = {f"n{k}": row for k, row in enumerate([["s0", "s1"], ["s0", "s2"], ["s1", "s2"]] * 2)}
    (folder / "wiring.yml").write_text(yaml.safe_dump({"cluster": "x", "nodes": rows}))
    result = CliRunner().invoke(cli, ["shorten", str(folder), "--rounds", "1", "--json"])
    report = json.loads(result.output)
    assert report["plugged"] >= report["points"][-1]["metres"]
    assert all(point["moves"] >= 0 for point in report["points"])
