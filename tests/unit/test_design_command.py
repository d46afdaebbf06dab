# SPDX-License-Identifier: Apache-2.0
"""`flathood design` in a folder: what it writes, when it leaves alone what is there, what it says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from flathood.cli.main import cli
from flathood.design.bounds import Impossible
from flathood.design.engine import Budget
from flathood.design.folder import Options, design_folder
from flathood.design.objective import evaluate
from flathood.design.request import Design, Request, design_of
from flathood.design.slots import slots_of
from flathood.errors import FlathoodError, InvalidInput
from flathood.spec import load_cluster
from flathood.wiring import Wiring, load_wiring, save_wiring

INVENTORIES = Path(__file__).parents[2] / "inventories"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve nodes with four NICs on nine switches of six ports: quick, and no bound is met."""
    text = (INVENTORIES / "klat2/cluster.yml").read_text()
    text = text.replace("count: 64", "count: 12").replace("start: 64", "start: 12").replace("ports: 31", "ports: 6")
    (tmp_path / "cluster.yml").write_text(text)
    return tmp_path


def run(folder: Path, *options: str) -> Result:
    result = CliRunner().invoke(cli, ["design", str(folder), *options], catch_exceptions=False)
    assert result.exit_code == 0
    return result


def test_the_second_run_changes_nothing(folder: Path) -> None:
    assert "A new wiring was designed." in run(folder).stdout
    first = (folder / "wiring.yml").read_bytes()
    load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml"))
    again = run(folder)
    assert "stays: the search found none better" in again.stdout
    assert "unchanged" in again.stdout
    assert (folder / "wiring.yml").read_bytes() == first
    (folder / "wiring.yml").unlink()
    run(folder)
    assert (folder / "wiring.yml").read_bytes() == first


def test_a_dry_run_writes_nothing(folder: Path) -> None:
    result = run(folder, "--dry-run")
    assert "would be written" in result.stdout
    assert "+  k00: [" in result.stdout
    assert [path.name for path in folder.iterdir()] == ["cluster.yml"]


def test_json_tells_everything(folder: Path) -> None:
    report = json.loads(run(folder, "--json", "--seed", "5", "--profile", "ring").stdout)
    assert report["written"]
    assert report["cables"] == {"plug": 48, "unplug": 0}
    assert report["given"] is None
    assert report["wiring"]["design"]["seed"] == 5
    assert report["wiring"]["design"]["profile"] == "ring"
    assert report["evaluation"]["uncovered"] == 0
    assert not json.loads(run(folder, "--json", "--seed", "5", "--profile", "ring").stdout)["written"]


@pytest.mark.parametrize("name", ["hexa", "octet"])
def test_the_papers_own_wirings_stay(name: str, tmp_path: Path) -> None:
    shutil.copytree(INVENTORIES / name, tmp_path / name)
    before = (tmp_path / name / "wiring.yml").read_bytes()
    assert "is proved optimal: there is nothing to improve" in run(tmp_path / name).stdout
    assert (tmp_path / name / "wiring.yml").read_bytes() == before


def _exchanges(design: Design, one: int, other: int) -> Iterator[Design]:
    """Designs in which two nodes have exchanged the ends of a cable."""
    for here, there in product(
        np.flatnonzero(design[one] & ~design[other]), np.flatnonzero(design[other] & ~design[one])
    ):
        changed = design.copy()
        changed[[one, other], here] = False, True
        changed[[one, other], there] = True, False
        yield changed


def test_a_worse_wiring_is_replaced_and_the_cables_counted(folder: Path) -> None:
    run(folder)
    cluster = load_cluster(folder / "cluster.yml")
    good = load_wiring(folder / "wiring.yml", cluster)
    best = design_of(good, cluster)
    request = Request.of(cluster)
    worse = (
        design
        for one, other in permutations(range(12), 2)
        for design in _exchanges(best, one, other)
        if 0 < evaluate(request, design).quality < evaluate(request, best).quality - 1e-6
    )
    design = next(worse)
    save_wiring(folder / "wiring.yml", Wiring(cluster="klat2", nodes=slots_of(design, cluster)))
    outcome = design_folder(folder)
    assert outcome.given is not None
    assert outcome.cables == (2, 2)
    assert (design_of(outcome.wiring, cluster) == best).all()
    assert outcome.save()
    assert not design_folder(folder).changed


def test_a_wiring_that_does_not_fit_any_more_is_replaced(folder: Path) -> None:
    run(folder)
    text = (folder / "cluster.yml").read_text()
    (folder / "cluster.yml").write_text(text.replace("count: 12", "count: 11").replace("start: 12", "start: 11"))
    result = run(folder)
    assert "does not fit cluster.yml" in result.stdout
    assert len(load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml")).nodes) == 11


def test_force_replaces_what_is_as_good(tmp_path: Path) -> None:
    shutil.copytree(INVENTORIES / "octet", tmp_path / "octet")
    assert design_folder(tmp_path / "octet", Options(force=True)).changed


def test_what_is_impossible_leaves_the_file_alone(folder: Path) -> None:
    run(folder)
    before = (folder / "wiring.yml").read_bytes()
    text = (folder / "cluster.yml").read_text()
    (folder / "cluster.yml").write_text(text.replace("count: 12", "count: 30").replace("start: 12", "start: 30"))
    with pytest.raises(Impossible, match="no wiring lets every pair of nodes share a switch"):
        design_folder(folder)
    assert (folder / "wiring.yml").read_bytes() == before


@pytest.mark.parametrize(
    "budget", [{"seed": -1}, {"rounds": 0}, {"jobs": 0}, {"seconds": 0.0}, {"seconds": float("nan")}]
)
def test_budgets_that_are_none(budget: dict[str, float]) -> None:
    with pytest.raises(FlathoodError, match=next(iter(budget))):
        Budget(**budget)


def test_what_is_wrong_in_the_options_is_told_at_once(folder: Path) -> None:
    result = CliRunner().invoke(
        cli, ["design", str(folder), "--keep", "k99:red", "--keep", "k01:rde", "--without", "gry"]
    )
    assert isinstance(result.exception, InvalidInput)
    assert str(result.exception).splitlines() == [
        "--keep: k01.0: there is no switch 'rde' (did you mean 'red'?): correct it",
        "--keep: k99: there is no node 'k99' (did you mean 'k09'?): correct it",
        "--without: 0: no node or switch is called 'gry' (did you mean 'grey'?): correct it",
    ]
    assert CliRunner().invoke(cli, ["design", str(folder), "--keep", "k01"]).exit_code == 2
    assert not (folder / "wiring.yml").exists()


def test_the_rules_of_the_command_line_take_the_place_of_the_files(folder: Path) -> None:
    text = (folder / "cluster.yml").read_text()
    (folder / "cluster.yml").write_text(text + "design: {without: [red], keep: {k00: [blue]}}\n")
    report = json.loads(run(folder, "--json").stdout)
    wiring = report["wiring"]
    assert wiring["design"]["without"] == ["red"]
    assert "blue" in wiring["nodes"]["k00"]
    assert not any("red" in switches for switches in wiring["nodes"].values())
    options = ("--keep", "k01:red", "--keep", "k01:pink", "--without", "k11", "--without", "grey")
    wiring = json.loads(run(folder, "--json", *options).stdout)["wiring"]
    assert wiring["design"]["without"] == ["k11", "grey"]
    assert {"red", "pink"} <= set(wiring["nodes"]["k01"])
    assert wiring["nodes"]["k11"] == [None] * 4
    load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml"))


def test_a_wiring_that_breaks_a_rule_is_replaced_and_what_stays_keeps_its_nic(folder: Path) -> None:
    run(folder)
    cluster = load_cluster(folder / "cluster.yml")
    before = load_wiring(folder / "wiring.yml", cluster)
    lacking = next(switch for switch in cluster.switch_names if switch not in before.nodes["k00"])
    result = run(folder, "--keep", f"k00:{lacking}")
    assert f"it lacks cables that are to stay: k00 on {lacking}" in result.stdout
    after = load_wiring(folder / "wiring.yml", cluster)
    assert lacking in after.nodes["k00"]
    for node, switches in after.nodes.items():
        for slot, switch in enumerate(before.nodes[node]):
            assert switch not in switches or switches[slot] == switch


def test_the_wiring_says_its_mode_engines_and_bounds(folder: Path) -> None:
    text = (folder / "cluster.yml").read_text()
    (folder / "cluster.yml").write_text(text + "profile: torus2d\n")
    run(folder, "--mode", "sparse", "--seed", "3")
    block = load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml")).design
    assert block["mode"] == "sparse"
    assert block["required"] == {"pairs": 24, "missing": 0}
    assert block["engine"]
    assert block["engines"]
    assert block["seed"] == 3
    assert block["bounds"] == {
        "ports": {"least": 2, "theorem": "counting"},
        "switches": {"least": 2, "theorem": "counting"},
        "nics": {"least": 1, "theorem": "counting"},
    }
