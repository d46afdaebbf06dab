# SPDX-License-Identifier: Apache-2.0
"""Evidence that is wrong, old, cut short or partial: said plainly, and what is left still gives a labelled answer."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood import inventory
from flathood.bench.audit import facts_of
from flathood.bench.breaking import Breaker
from flathood.bench.miswired import World
from flathood.cabling.audit import audit
from flathood.cabling.evidence import load_evidence, save_evidence
from flathood.cli.main import cli
from flathood.errors import InvalidInput

INVENTORIES = Path(__file__).resolve().parents[3] / "inventories"
ALL = ("carriers", "frames", "tables")


@pytest.fixture(scope="module")
def klat2():
    return inventory.load(INVENTORIES / "klat2", need_macs=True)


@pytest.fixture(scope="module")
def broken(klat2):
    """klat2 with two cables exchanged, and its whole evidence."""
    world = World.of(klat2, 3)
    Breaker(world, ["swap"]).add(1)
    return world, world.evidence(ALL)


def command(tmp_path, *evidence):
    for number, one in enumerate(evidence):
        save_evidence(tmp_path / f"{number}.json", one)
    files = [word for number in range(len(evidence)) for word in ("--evidence", str(tmp_path / f"{number}.json"))]
    return CliRunner().invoke(cli, ["audit", str(INVENTORIES / "klat2"), *files])


def test_evidence_of_another_cluster_is_refused_beside_good_evidence(tmp_path, broken):
    hexa = inventory.load(INVENTORIES / "hexa", need_macs=True)
    ran = command(tmp_path, broken[1], World.of(hexa, 1).evidence(ALL))
    assert ran.exit_code == 2
    assert "1.json: cluster: is evidence of 'hexa', cluster.yml describes 'klat2': wrong file?" in ran.output


def test_evidence_older_than_the_wiring_is_judged_and_labelled(tmp_path, broken):
    ran = command(tmp_path, broken[1].model_copy(update={"wiring": "0" * 64}))
    assert ran.exit_code == 1
    assert "when another wiring was planned" in ran.output
    assert "259 of 259 cables judged" in ran.output


def test_a_file_that_was_cut_short_anywhere_is_refused_in_one_line(tmp_path, broken):
    save_evidence(tmp_path / "whole.json", broken[1])
    whole = (tmp_path / "whole.json").read_bytes()
    dice = random.Random(1)  # noqa: S311 - no secret
    for size in [0, 1, len(whole) - 2, *(dice.randrange(len(whole) - 2) for _ in range(6))]:
        (tmp_path / "cut.json").write_bytes(whole[:size])
        with pytest.raises(InvalidInput, match=r"cut.json.*is no valid JSON|is empty") as caught:
            load_evidence(tmp_path / "cut.json")
        assert len(caught.value.problems) == 1


def test_clocks_that_are_apart_are_allowed_for_and_told(tmp_path, klat2, broken):
    world, evidence = broken
    shift = {"k03": 86_400.0, "k17": -7_200.0}
    machines = {
        name: word.model_copy(update={"clock": word.clock + shift.get(name, 0.0)})
        for name, word in evidence.machines.items()
    }
    changes = tuple(
        change.model_copy(update={"at": change.at + shift.get(change.machine, 0.0)})
        for change in evidence.carriers.changes
    )
    carriers = evidence.carriers.model_copy(update={"changes": changes})
    apart = evidence.model_copy(update={"machines": machines, "carriers": carriers, "frames": (), "tables": None})
    assert facts_of(audit(klat2, {"e": apart})) == world.facts()
    assert "the clocks of" in command(tmp_path, apart).output


def test_a_clock_that_is_not_known_well_enough_leaves_its_machine_out_and_says_so(klat2, broken):
    _, evidence = broken
    doubtful = evidence.machines["k03"].model_copy(update={"doubt": 500.0})
    update = {"machines": evidence.machines | {"k03": doubtful}, "frames": (), "tables": None}
    report = audit(klat2, {"e": evidence.model_copy(update=update)})
    assert {nic.machine for nic in report.unjudged} == {"k03"}
    assert any("k03's clock is uncertain by 500 s" in warning for warning in report.warnings)
    assert report.exit_code == 1


def half(klat2, evidence):
    """The evidence when every other node says nothing; switches and the others go on."""
    silent = tuple(klat2.cluster.node_names[::2])
    heard = {name: word for name, word in evidence.machines.items() if name not in silent}
    gone = {f"{name}/{nic.device}" for name in silent for nic in evidence.machines[name].nics}
    changes = tuple(change for change in evidence.carriers.changes if change.machine in heard)
    frames = tuple(
        one.model_copy(
            update={
                "heard": tuple(tuple(nic for nic in nics if nic not in gone) for nics in one.heard),
                "by": {nic: number for nic, number in one.by.items() if nic not in gone},
            }
        )
        for one in evidence.frames
    )
    carriers = evidence.carriers.model_copy(update={"changes": changes})
    return silent, evidence.model_copy(
        update={"machines": heard, "silent": silent, "carriers": carriers, "frames": frames}
    )


@pytest.mark.parametrize("kinds", [{"tables": None}, {"tables": None, "frames": ()}])
def test_with_half_of_the_nodes_missing_the_other_half_is_judged(tmp_path, klat2, broken, kinds):
    world, evidence = broken
    silent, partial = half(klat2, evidence)
    partial = partial.model_copy(update=kinds)
    report = audit(klat2, {"e": partial})
    assert {nic.machine for nic in report.unjudged} == set(silent)
    wrong = {str(nic) for finding in report.findings for nic in finding.nics}
    assert wrong == {f"{name}:{slot}" for fault in world.faults for name, slot in fault.nics if name not in silent}
    told = command(tmp_path, partial).output
    assert "131 of 259 cables judged" in told
    assert "Partial: of 128 cables the evidence says nothing certain: k00:0" in told
    assert "no word from k00" in told


def test_switches_that_can_be_asked_stand_in_for_missing_nodes(klat2, broken):
    world, evidence = broken
    _, partial = half(klat2, evidence)
    report = audit(klat2, {"e": partial})
    assert report.unjudged == ()
    assert facts_of(report) == world.facts()


def test_evidence_that_was_gathered_hours_apart_is_judged_and_labelled(klat2, broken):
    _, evidence = broken
    later = evidence.taken.model_copy(update={"end": evidence.taken.end + timedelta(hours=30)})
    report = audit(klat2, {"e": evidence, "f": evidence.model_copy(update={"taken": later})})
    assert any("hours: cables may have moved meanwhile" in warning for warning in report.warnings)
    assert report.exit_code == 1
