# SPDX-License-Identifier: Apache-2.0
"""`flathood moves`: what it prints and writes, from a folder that may have changed since it was cabled."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from flathood.bench import synthetic
from flathood.cabling.moves import least_moves
from flathood.cli.main import cli
from flathood.design.request import Request, design_of
from flathood.design.tradeoff import covers
from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.plan import Options, make_plan
from flathood.plan.proof import Compiled, prove
from flathood.registry import save_registry
from flathood.rewiring.aim import Aim
from flathood.rewiring.hands import worklist
from flathood.rewiring.journal import AFTER, BEFORE
from flathood.rewiring.least import cables
from flathood.rewiring.outage import go_without
from flathood.rewiring.plugged import load_old, plugged, taken_in, taken_out
from flathood.spec import load_cluster
from flathood.wiring import load_wiring, save_wiring
from flathood.wiring.model import Idle

COLOURS = ("#c62828", "#2e7d32", "#1565c0", "#f9a825", "#6a1b9a")
ROWS = {f"n{k}": ["s0", "s1", "s2" if k < 4 else "s3"] for k in range(8)}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path)
    (tmp_path / "wiring.yml").write_text(yaml.safe_dump({"cluster": "x", "nodes": ROWS}))
    return tmp_path


def write(folder: Path, nodes: int = 8, switches: int = 4) -> None:
    spec = {
        "cluster": "x",
        "nodes": {"count": nodes, "name": "n{}", "nics": 3},
        "switches": [{"name": f"s{k}", "colour": COLOURS[k], "ports": 8} for k in range(switches)],
    }
    (folder / "cluster.yml").write_text(json.dumps(spec))


def run(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["moves", *map(str, arguments)])
    assert result.exit_code == 0, result.output + str(result.exception)
    return result.output


def test_the_front_is_told_and_nothing_is_written(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    text = run(folder, "--profile", "ring", "--rounds", 1)
    assert "Rewiring x for ring" in text
    assert "all." in text
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_wiring_is_taken_its_moves_told_and_itself_written(folder):
    target = folder / "new.yml"
    report = json.loads(run(folder, "--profile", "ring", "--rounds", 2, "--within", 4, "--output", target, "--json"))
    taken = report["taken"]
    assert 0 < len(taken["moves"]) <= 4
    assert report["points"][0]["moves"] == 0
    cluster = load_cluster(folder / "cluster.yml")
    wiring = load_wiring(target, cluster)
    assert wiring.design["moves"] == len(taken["moves"])
    assert wiring.model_dump(mode="json") == taken["wiring"]
    assert load_wiring(folder / "wiring.yml", cluster).nodes != wiring.nodes
    # The way there and the way back are as long.
    back = json.loads(run(target, folder / "wiring.yml", "--json"))
    assert back["proved"]
    assert len(back["moves"]) <= len(taken["moves"])


def test_the_sentence_of_each_move_is_in_the_list(folder):
    text = run(folder, "--profile", "ring", "--rounds", 1, "--within", 2)
    report = json.loads(run(folder, "--profile", "ring", "--rounds", 1, "--within", 2, "--json"))
    for number, move in enumerate(report["taken"]["moves"], start=1):
        assert f"{number:4}. {move['text']}" in text


def test_moves_are_dealt_out_to_people(folder):
    options = (folder, "--profile", "ring", "--rounds", 1, "--within", 4)
    moves = [move["text"] for move in json.loads(run(*options, "--json"))["taken"]["moves"]]
    text = run(*options, "--people", 2)
    assert [line.strip() for line in text.splitlines() if line.startswith("  Person")][1].startswith("Person 2: ")
    assert all(text.count(sentence) == 1 for sentence in moves)


def test_the_least_moves_between_two_files_and_who_takes_whose_part(folder):
    other = {node: [{"s0": "s3", "s3": "s0"}.get(switch, switch) for switch in row] for node, row in ROWS.items()}
    other["n0"] = [other["n0"][0], other["n0"][1], "s0"]
    (folder / "new.yml").write_text(yaml.safe_dump({"cluster": "x", "nodes": other}))
    text = run(folder, folder / "new.yml")
    assert "n0: the cable in fnn2 goes from s2 to s3" in text
    assert "Switch s3 takes the part of s0." in text
    assert "1 move, proved the fewest." in text
    assert "n0: the cable in fnn2 goes from s2 to s0" in run(folder, folder / "new.yml", "--exact")


def test_a_new_node_is_taken_in_with_the_fewest_moves(folder):
    write(folder, nodes=9)
    report = json.loads(run(folder, "--rounds", 1, "--within", 20, "--json"))
    # s0 and s1 are full, so the new one needs a cable to each half; no other has to move.
    assert report["points"][0]["moves"] == report["fewest"] == 2
    assert "2 moves mend it, proved the fewest" in run(folder, "--rounds", 1)


def test_a_new_switch_brings_what_its_moves_are_worth(folder):
    rows = {node: [*row[:2], None] for node, row in ROWS.items()}
    (folder / "wiring.yml").write_text(yaml.safe_dump({"cluster": "x", "nodes": rows}))
    write(folder, switches=5)
    report = json.loads(run(folder, "--rounds", 1, "--gain", "100%", "--json"))
    assert report["points"][0]["moves"] == 0
    assert any(point["moves"] == 8 and point["shared"]["mean"] == 3 for point in report["points"])
    assert len(report["taken"]["moves"]) == report["points"][-1]["moves"]


def test_a_dead_switch_and_a_dead_nic_are_left_out(folder):
    target = folder / "new.yml"
    run(folder, "--without", "s0", "--broken", "n7:1", "--rounds", 1, "--gain", 100, "--output", target)
    cluster = load_cluster(folder / "cluster.yml")
    wiring = load_wiring(target, cluster)
    assert wiring.nodes["n7"][1] is None
    assert all("s0" not in row for row in wiring.nodes.values())
    assert covers(Request.of(cluster), design_of(wiring, cluster))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--gain", "eighty"], "is no share"),
        (["--within", "1", "--gain", "80"], "give one of them"),
        (["--output", "new.yml"], "which wiring is it to be"),
        (["--broken", "n0"], "is no NIC: write NODE:SLOT"),
        (["--broken", "n9:0"], "there is no NIC n9:0"),
        (["--broken", "n0:3"], "there is no NIC n0:3"),
        (["--without", "s9"], "no node or switch is called 's9'"),
        (["--plot", "moves.gif"], "a picture's name ends in one of"),
        (["--profile", "tours3d"], "tours3d"),
    ],
)
def test_what_cannot_be_is_said_before_the_search(folder, options, message):
    result = CliRunner().invoke(cli, ["moves", str(folder), "--rounds", "1", *options])
    assert result.exit_code != 0
    assert message in result.output + str(result.exception)


def test_a_new_node_is_taken_in_and_its_cables_are_for_a_rewiring(folder):
    write(folder, nodes=9, switches=5)
    target = folder / "new.yml"
    run(folder, "--rounds", 1, "--gain", 100, "--profile", "ring", "--output", target, "--take-in")
    cluster = load_cluster(folder / "cluster.yml")
    inventory = load(folder, need_macs=False)
    wanted = load_wiring(target, cluster)
    # Nobody's cable is touched, and what the new node is to have is still to be plugged.
    assert {name: list(row) for name, row in inventory.wiring.plugged.items() if name != "n8"} == ROWS
    assert inventory.wiring.nodes["n8"] == wanted.nodes["n8"]
    assert not any(inventory.wiring.plugged["n8"])
    # The cluster runs like this, and the rest takes no more moves than all together would have.
    registry = synthetic.registry(cluster)
    plan = make_plan(cluster, inventory.wiring, registry)
    assert plan.outside_slot(8) == 0
    assert prove(cluster, inventory.wiring, registry, Compiled(plan, Options()), Options()).failures == []
    save_registry(folder / "macs.yml", registry)
    work = Aim(wiring=target).work(folder)
    assert work is not None
    old = {name: tuple(row) for name, row in ROWS.items()}
    whole = least_moves(cables(old), cables(wanted.nodes), {switch.name: 8 for switch in cluster.switches})
    assert sum(len(batch.moves) for batch in work.where.batches) == len(whole)
    assert any("n8: the cable in fnn0 goes from uplink to" in line for line in worklist(work))


def test_a_node_is_taken_out_and_it_is_told_how(folder):
    target = folder / "new.yml"
    assert f"playbooks/rewire.yml -e wiring={target}" in run(folder, "--take-out", "n7", "--output", target)
    cluster = load_cluster(folder / "cluster.yml")
    save_registry(folder / "macs.yml", synthetic.registry(cluster))
    work = Aim(wiring=target).work(folder)
    assert work is not None
    assert sorted(move.sentence() for batch in work.where.batches for move in batch.moves) == [
        "n7: pull the cable of fnn1 out of s1",
        "n7: pull the cable of fnn2 out of s3",
        "n7: the cable in fnn0 goes from s0 to uplink",
    ]
    # What is left of it goes at one go: its pairs are parted in any case.
    assert [len(batch.moves) for batch in work.where.batches] == [2, 1]
    # Who has no other cable has to be awaited, and to be silent again afterwards.
    alone = []
    while work.where.batch is not None:
        work = work.enter()
        alone.append((work.alone, work.alone_before))
        work = work.done()
    work.enter().end()
    assert alone == [((), ()), (("n7",), ())]
    assert (work.alone, work.alone_before) == ((), ("n7",))
    back = work.turn(BEFORE)
    assert (back.alone, back.alone_before) == (("n7",), ())
    back = back.enter().done()
    assert back.alone_before == ("n7",)
    work = back.turn(AFTER)
    while work.where.batch is not None:
        work = work.enter().done()
    work.enter().end()
    assert load(folder, need_macs=True).wiring.plugged["n7"] == (None, None, None)
    # It is no longer a node then, and the others' wiring is what is left.
    write(folder, nodes=7)
    old = plugged(load_cluster(folder / "cluster.yml"), load_old(folder / "wiring.yml"))
    assert {name: list(row) for name, row in old.nodes.items()} == {n: row for n, row in ROWS.items() if n != "n7"}
    assert old.idle == ()


def test_a_node_comes_and_goes_by_its_first_nic_only(folder):
    cluster = load_cluster(folder / "cluster.yml")
    old = load_old(folder / "wiring.yml")
    with pytest.raises(FlathoodError, match="no node is new"):
        taken_in(cluster, old, old)
    with pytest.raises(FlathoodError, match=r"there is no node 'n9'"):
        taken_out(old, ["n9"])
    for wiring in (
        old.model_copy(update={"nodes": {**old.nodes, "n7": (None, "s1", "s3")}}),
        old.model_copy(update={"idle": (Idle(node="n7", slot=0),)}),
    ):
        with pytest.raises(FlathoodError, match="n7: fnn0 has no cable in this wiring that works"):
            taken_out(wiring, ["n7"])


def test_a_dead_switch_does_not_concern_a_node_that_is_still_to_come(folder):
    cluster = load_cluster(folder / "cluster.yml")
    before = taken_out(load_wiring(folder / "wiring.yml", cluster), ["n7"])
    save_wiring(folder / "wiring.yml", before)
    save_registry(folder / "macs.yml", synthetic.registry(cluster))
    assert len(go_without(folder, ["s0"])) == 7
    go_without(folder, ["s0"], back=True)
    assert load(folder, need_macs=True).wiring == before


def test_cables_of_a_dead_switch_go_where_they_help_and_come_back(folder):
    write(folder, switches=5)
    cluster = load_cluster(folder / "cluster.yml")
    save_registry(folder / "macs.yml", synthetic.registry(cluster))
    go_without(folder, ["s0"])
    before = (folder / "wiring.yml").read_text()
    work = Aim(without=("s0",), seconds=1).work(folder)
    assert work is not None
    while work.where.batch is not None:
        work = work.enter().done()
    work.enter().end()
    wiring = load(folder, need_macs=True).wiring
    # Their NICs are not taken for dead: all that stood still are of use again.
    assert {row[0] for row in wiring.nodes.values()} <= {"s2", "s3", "s4"}
    assert wiring.left_out == {"s0"}
    assert wiring.idle == ()
    assert Aim(without=("s0",), seconds=1).work(folder) is None
    back = Aim(undo=True).work(folder)
    assert back is not None
    while back.where.batch is not None:
        back = back.enter().done()
    back.enter().end()
    assert (folder / "wiring.yml").read_text() == before
    with pytest.raises(FlathoodError, match="n0: a node cannot be left without a cable"):
        Aim(without=("n0",)).work(folder, dry=True)
