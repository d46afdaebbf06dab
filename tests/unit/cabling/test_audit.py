# SPDX-License-Identifier: Apache-2.0
"""The audit on generated evidence: every fault is found, none is invented, nothing is guessed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood import inventory
from flathood.bench.audit import facts_of, trial
from flathood.bench.breaking import Breaker
from flathood.bench.miswired import KINDS, World
from flathood.cabling.adopt import Adoption, adopt
from flathood.cabling.audit import CannotAdopt, adopted, adoption, audit
from flathood.cabling.evidence import save_evidence
from flathood.cabling.picture import Nic
from flathood.cabling.ports import ports
from flathood.cli.main import cli
from flathood.errors import FlathoodError, InvalidInput
from flathood.registry import Registry
from flathood.wiring import load_wiring, save_wiring
from flathood.wiring.pairs import apart

INVENTORIES = Path(__file__).resolve().parents[3] / "inventories"
ALL = ("carriers", "frames", "tables")


@pytest.fixture(scope="module")
def klat2():
    return inventory.load(INVENTORIES / "klat2", need_macs=True)


@pytest.fixture(scope="module")
def hexa():
    return inventory.load(INVENTORIES / "hexa", need_macs=True)


@pytest.mark.parametrize("faults", [1, 2, 5, 20])
def test_every_fault_is_found_and_none_invented(klat2, faults):
    for seed in range(100, 108):
        world, report = trial(klat2, faults, seed)
        assert facts_of(report) == world.facts(), (seed, world.faults)
        assert not report.disagreements


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_alone_is_told_by_its_name(klat2, kind):
    names = {
        "swap": "exchanged-cables",
        "slots": "exchanged-slots",
        "nodes": "exchanged-nodes",
        "dead-cable": "dark",
        "dead-nic": "absent",
        "dead-switch": "dark-switch",
        "stranger": "unknown-machine",
        "switches": "exchanged-switches",
        "cut": "cut-off",
    }
    world = World.of(klat2, 5)
    Breaker(world, [kind]).add(1)
    report = audit(klat2, {"e": world.evidence(ALL)})
    assert [finding.kind for finding in report.findings] == [names.get(kind, kind)], world.faults
    assert facts_of(report) == world.facts()
    assert report.exit_code == 1


@pytest.mark.parametrize("kind", ["carriers", "tables", "people"])
@pytest.mark.parametrize("fault", ["swap", "slots", "nodes", "wrong-switch", "switches", "dead-nic"])
def test_one_kind_of_evidence_finds_misplaced_cables(klat2, kind, fault):
    for seed in range(5):
        world = World.of(klat2, seed)
        Breaker(world, [fault]).add(1)
        report = audit(klat2, {"e": world.evidence([kind])})
        assert facts_of(report) == world.facts(), (seed, world.faults)


def test_frames_alone_find_swaps_and_do_not_mind_exchanged_switches(klat2):
    world = World.of(klat2, 1)
    Breaker(world, ["swap", "wrong-switch", "nodes"]).add(6)
    facts = world.facts()
    Breaker(world, ["switches"]).add(1)
    report = audit(klat2, {"e": world.evidence(["frames"])})
    assert facts_of(report) == facts


def test_the_moves_restore_the_plan(klat2):
    world = World.of(klat2, 2)
    Breaker(world, ["swap", "slots", "nodes", "wrong-switch"]).add(12)
    report = audit(klat2, {"e": world.evidence(ALL)})
    wrong = sum(world.cable[port] != world.planned[port] for port in world.planned)
    assert len(report.moves) == wrong  # each cable that is wrong needs one plug moved, and no plug mends two
    cables = set(world.cable.items())
    cables -= {((move.before[0].machine, move.before[0].slot), move.before[1]) for move in report.moves}
    cables |= {((move.after[0].machine, move.after[0].slot), move.after[1]) for move in report.moves}
    world.cable = dict(cables)
    assert audit(klat2, {"e": world.evidence(ALL)}).exit_code == 0


def test_exchanged_switches_need_no_move(klat2):
    world = World.of(klat2, 4)
    Breaker(world, ["switches"]).add(1)
    report = audit(klat2, {"e": world.evidence(ALL)})
    assert (report.moves, report.now.uncovered, report.now.bandwidth) == ((), 0, 1.0)
    nearest = adoption(klat2, report)
    assert nearest.moves == ()
    assert nearest.proved
    swapped = dict([world.faults[0].names, world.faults[0].names[::-1]])
    assert nearest.rows == {
        node: tuple(swapped.get(name, name) for name in row) for node, row in klat2.wiring.nodes.items()
    }


def test_adopting_takes_fewer_moves_than_restoring_where_the_found_wiring_is_nearly_valid(klat2):
    world = World.of(klat2, 10)
    Breaker(world, ["swap"]).add(3)
    report = audit(klat2, {"e": world.evidence(ALL)})
    nearest = adoption(klat2, report)
    wiring = adopted(klat2.cluster, klat2.wiring, nearest)
    assert apart(wiring.nodes) == ""
    assert len(nearest.moves) < len(report.moves) == 6
    assert nearest.bound <= len(nearest.moves)


@pytest.mark.parametrize(("faults", "seed"), [(1, 2), (2, 2), (5, 3), (20, 0), (20, 1), (20, 2)])
def test_an_adoption_at_full_size_is_proved_to_take_the_fewest_moves(klat2, faults, seed):
    _, report = trial(klat2, faults, seed)
    nearest = adoption(klat2, report)
    assert apart(adopted(klat2.cluster, klat2.wiring, nearest).nodes) == ""
    assert 0 < len(nearest.moves) == nearest.bound


def test_partial_evidence_gives_a_partial_answer_and_is_not_adopted(klat2):
    world = World.of(klat2, 3)
    Breaker(world, ["swap"]).add(2)
    whole = world.evidence(["carriers"])
    silent = tuple(klat2.cluster.node_names[::2])
    heard = {name: word for name, word in whole.machines.items() if name not in silent}
    changes = tuple(change for change in whole.carriers.changes if change.machine in heard)
    half = whole.model_copy(
        update={
            "machines": heard,
            "silent": silent,
            "carriers": whole.carriers.model_copy(update={"changes": changes}),
        }
    )
    report = audit(klat2, {"e": half})
    assert {nic.machine for nic in report.unjudged} == set(silent)
    assert report.judged == 259 - 4 * 32
    true = {fact for fact in world.facts() if fact[1][0] not in silent}
    assert facts_of(report) == true
    assert any("no word from k00" in warning for warning in report.warnings)
    with pytest.raises(CannotAdopt, match="128 NICs"):
        adoption(klat2, report)


def test_kinds_that_disagree_are_told_and_a_majority_is_taken(hexa):
    world = World.of(hexa, 1)
    true = world.evidence(ALL)
    liar = World.of(hexa, 1)
    liar.cable["a", 0], liar.cable["e", 1] = liar.cable["e", 1], liar.cable["a", 0]
    old = liar.evidence(["carriers"]).model_copy(update={"frames": (), "tables": None})
    two = audit(hexa, {"t": true.model_copy(update={"carriers": None, "frames": ()}), "c": old})
    assert len(two.disagreements) == 2
    assert Nic("a", 0) in two.unjudged
    assert two.findings == ()
    assert two.exit_code == 3
    three = audit(hexa, {"t": true.model_copy(update={"carriers": None}), "c": old})
    assert len(three.disagreements) == 2
    assert (three.unjudged, three.findings) == ((), ())


def test_evidence_of_another_cluster_is_refused_and_old_evidence_is_told(klat2, hexa):
    evidence = World.of(hexa, 1).evidence(ALL)
    with pytest.raises(InvalidInput, match=r"evidence of 'hexa', cluster.yml describes 'klat2'"):
        audit(klat2, {"hexa.json": evidence})
    frames = evidence.model_copy(update={"carriers": None})
    good = audit(hexa, {"e": frames})
    assert good.exit_code == 0
    assert "clocks" in good.picture.notes[0]
    old = audit(hexa, {"e": frames.model_copy(update={"wiring": "0" * 64})})
    assert old.exit_code == 3
    assert "another wiring was planned" in old.warnings[0]
    later = frames.taken.model_copy(update={"end": frames.taken.end + timedelta(hours=30)})
    apart_ = audit(hexa, {"e": frames, "f": frames.model_copy(update={"taken": later})})
    assert any("hours" in warning for warning in apart_.warnings)


def test_without_any_mac_the_audit_says_what_to_do(hexa):
    bare = replace(hexa, registry=Registry(cluster="hexa"))
    with pytest.raises(FlathoodError, match="discover them first"):
        audit(bare, {"e": World.of(hexa, 1).evidence(ALL)})


def _folder(tmp_path, base, world, kinds=ALL):
    for name in ("cluster.yml", "macs.yml", "wiring.yml"):
        (tmp_path / name).write_bytes((base.directory / name).read_bytes())
    save_evidence(tmp_path / "e.json", world.evidence(kinds))
    return ["audit", str(tmp_path), "--evidence", str(tmp_path / "e.json")]


def test_command_says_what_to_move_in_plain_words(tmp_path, hexa):
    world = World.of(hexa, 1)
    world.cable["a", 0], world.cable["f", 1] = world.cable["f", 1], world.cable["a", 0]
    ran = CliRunner().invoke(cli, _folder(tmp_path, hexa, world, ["people"]))
    assert ran.exit_code == 1
    first, second = hexa.wiring.nodes["a"][0], hexa.wiring.nodes["f"][1]
    assert f"a: the cable in fnn0 goes from {second} to {first}" in ran.output
    assert f"f: the cable in fnn1 goes from {first} to {second}" in ran.output


def test_command_adopts_a_valid_wiring_and_the_audit_is_clean_then(tmp_path, hexa):
    world = World.of(hexa, 1)
    world.cable["a", 0], world.cable["a", 1] = world.cable["a", 1], world.cable["a", 0]
    argv = _folder(tmp_path, hexa, world, ["people"])
    told = json.loads(CliRunner().invoke(cli, [*argv, "--json"]).output)
    assert told["adopt"]["valid_as_found"] is True
    assert len(told["restore"]["moves"]) == 2
    ran = CliRunner().invoke(cli, [*argv, "--adopt"])
    assert ran.exit_code == 0
    wiring = load_wiring(tmp_path / "wiring.yml", hexa.cluster)
    assert wiring.nodes["a"] == hexa.wiring.nodes["a"][::-1]
    assert wiring.design == {"engine": "adopted", "moves": 0}
    again = CliRunner().invoke(cli, argv)
    assert "another wiring was planned" in again.output
    assert again.exit_code == 3
    before = (tmp_path / "wiring.yml").read_bytes()
    assert CliRunner().invoke(cli, [*argv, "--adopt"]).exit_code == 0
    assert (tmp_path / "wiring.yml").read_bytes() == before


def test_command_refuses_bad_files_all_at_once(tmp_path, hexa):
    argv = _folder(tmp_path, hexa, World.of(hexa, 1))
    (tmp_path / "cut.json").write_bytes((tmp_path / "e.json").read_bytes()[:3000])
    (tmp_path / "new.json").write_text((tmp_path / "e.json").read_text().replace('evidence": 1', 'evidence": 2'))
    more = [word for name in ("cut.json", "new.json") for word in ("--evidence", str(tmp_path / name))]
    ran = CliRunner().invoke(cli, [*argv, *more])
    assert ran.exit_code == 2
    assert "cut.json" in ran.output
    assert "no valid JSON" in ran.output
    assert "version 2 is not known here" in ran.output


def test_a_folder_without_wiring_keeps_its_error(tmp_path, hexa):
    argv = _folder(tmp_path, hexa, World.of(hexa, 1))
    save_wiring(tmp_path / "wiring.yml", hexa.wiring.model_copy(update={"cluster": "octet"}))
    ran = CliRunner().invoke(cli, argv)
    assert ran.exit_code == 2
    assert "wrong file?" in ran.output


@pytest.mark.parametrize("kind", ["frames", "tables"])
@pytest.mark.parametrize("fault", ["joined", "cut"])
def test_probes_and_tables_each_find_joined_and_cut_off_switches(klat2, kind, fault):
    for seed in range(3):
        world = World.of(klat2, seed)
        Breaker(world, [fault]).add(1)
        report = audit(klat2, {"e": world.evidence([kind])})
        assert facts_of(report) == world.facts(), (seed, world.faults)


def test_without_time_to_search_adopting_still_leaves_alone_what_need_not_move(klat2):
    world = World.of(klat2, 2)
    Breaker(world, ["swap"]).add(6)
    report = audit(klat2, {"e": world.evidence(["carriers"])})
    nearest = adopt(klat2.cluster, klat2.wiring, report.rows, frozenset(), patience=0.0)
    assert apart(nearest.rows) == ""
    assert len(nearest.moves) < len(report.moves)
    assert any(row == report.rows[node] != klat2.wiring.nodes[node] for node, row in nearest.rows.items())


def test_an_adopted_wiring_keeps_the_ports_of_cables_that_stay(klat2, tmp_path):
    nodes = dict(klat2.wiring.nodes)
    nodes["k00"] = (*reversed(nodes["k00"][:2]), *nodes["k00"][2:])
    wiring = adopted(klat2.cluster, klat2.wiring, Adoption(nodes, (), 0))
    save_wiring(tmp_path / "wiring.yml", wiring)
    again = load_wiring(tmp_path / "wiring.yml", klat2.cluster)
    before, after = ports(klat2.cluster, klat2.wiring), ports(klat2.cluster, again)
    assert {cable for cable in before if before[cable] != after[cable]} <= {("k00", 0), ("k00", 1)}
