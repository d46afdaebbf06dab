# SPDX-License-Identifier: Apache-2.0
"""Loose plugs, cables that work one way, cards that went to another machine, and LLDP: at KLAT2's size."""

from __future__ import annotations

from pathlib import Path

import pytest

from flathood import inventory
from flathood.bench.audit import facts_of
from flathood.bench.breaking import Breaker
from flathood.bench.miswired import World
from flathood.cabling.audit import audit
from flathood.cabling.evidence import Change, Neighbor, NicWord
from flathood.cabling.picture import Nic

INVENTORIES = Path(__file__).resolve().parents[3] / "inventories"


@pytest.fixture(scope="module")
def klat2():
    return inventory.load(INVENTORIES / "klat2", need_macs=True)


def told(report):
    return [(finding.kind, finding.nics, finding.names) for finding in report.findings]


def test_a_loose_plug_is_told_and_does_not_hide_where_the_cable_is(klat2):
    evidence = World.of(klat2, 1).evidence(("carriers", "frames"))
    carriers, planned = evidence.carriers, klat2.wiring.nodes["k17"][2]
    other = next(flip for flip in carriers.flips if flip.switch != planned)
    fell = Change(machine="k17", device="eth2", at=other.off + 2 + evidence.machines["k17"].clock, up=False)
    loose = carriers.model_copy(update={"changes": (*carriers.changes, fell)})
    report = audit(klat2, {"e": evidence.model_copy(update={"carriers": loose})})
    assert told(report) == [("flapping", (Nic("k17", 2),), ())]
    assert set(report.findings[0].seen) == {planned, other.switch}
    assert (report.moves, report.unjudged, report.disagreements) == ((), (), ())
    alone = audit(klat2, {"e": evidence.model_copy(update={"carriers": loose, "frames": ()})})
    assert told(alone) == [("flapping", (Nic("k17", 2),), ())]
    assert alone.moves == ()


def test_a_cable_that_carries_nothing_one_way_is_told(klat2):
    evidence = World.of(klat2, 2).evidence(("carriers", "frames"))
    rounds = tuple(
        one.model_copy(update={"heard": tuple(tuple(nic for nic in heard if nic != "k05/eth1") for heard in one.heard)})
        for one in evidence.frames
    )
    report = audit(klat2, {"e": evidence.model_copy(update={"frames": rounds})})
    assert told(report) == [("one-way", (Nic("k05", 1),), ())]
    assert (report.moves, report.unjudged) == ((), ())


@pytest.mark.parametrize("misplaced", [False, True])
def test_a_card_in_another_machine_is_told_with_where_its_cable_goes(klat2, misplaced):
    world = World.of(klat2, 3)
    planned = world.cable["k03", 1]
    if misplaced:
        free = [switch.name for switch in klat2.cluster.switches if switch.name not in klat2.wiring.nodes["k03"]]
        count = [sum(place == name for place in world.cable.values()) for name in free]
        world.cable["k03", 1] = free[count.index(min(count))]
    evidence = world.evidence(("carriers", "frames"))
    words = dict(evidence.machines)
    card = next(nic for nic in words["k03"].nics if nic.device == "eth1")
    rest = tuple(nic for nic in words["k03"].nics if nic != card)
    words["k03"] = words["k03"].model_copy(update={"nics": rest})
    fresh = NicWord(device="eth4", mac=card.mac, carrier=True)
    words["k04"] = words["k04"].model_copy(update={"nics": (*words["k04"].nics, fresh)})
    shift = words["k04"].clock - words["k03"].clock
    changes = tuple(
        Change(machine="k04", device="eth4", at=each.at + shift, up=each.up)
        if (each.machine, each.device) == ("k03", "eth1")
        else each
        for each in evidence.carriers.changes
    )
    names = {"k03/eth1": "k04/eth4"}
    rounds = tuple(
        one.model_copy(
            update={
                "heard": tuple(tuple(names.get(nic, nic) for nic in heard) for heard in one.heard),
                "by": {names.get(nic, nic): number for nic, number in one.by.items()},
            }
        )
        for one in evidence.frames
    )
    moved = {"carriers": evidence.carriers.model_copy(update={"changes": changes}), "frames": rounds, "machines": words}
    report = audit(klat2, {"e": evidence.model_copy(update=moved)})
    found = told(report)
    assert found.pop() == ("moved-nic", (Nic("k03", 1),), ("k04",))
    assert [(kind, nics) for kind, nics, _ in found] == ([("wrong-switch", (Nic("k03", 1),))] if misplaced else [])
    assert [move.after for move in report.moves] == ([(Nic("k03", 1), planned)] if misplaced else [])


def _announced(world):
    """What the NICs of all nodes hear of switches that speak LLDP."""
    return tuple(
        Neighbor(machine=machine, device=f"eth{slot}", switch=world.label[place], port="7")
        for (machine, slot), place in world.cable.items()
        if machine in world.inventory.wiring.nodes and world.alive((machine, slot))
    )


@pytest.mark.parametrize("seed", range(6))
def test_lldp_alone_finds_what_is_plugged_wrongly_or_dead(klat2, seed):
    world = World.of(klat2, seed)
    Breaker(world, ["swap", "slots", "nodes", "wrong-switch", "dead-cable", "dead-nic"]).add(12)
    report = audit(klat2, {"e": world.evidence(()).model_copy(update={"lldp": _announced(world)})})
    assert facts_of(report) == world.facts()
    assert {nic.machine for nic in report.unjudged} <= {*klat2.cluster.spare_names, klat2.cluster.head.name}


def test_two_switches_that_announce_themselves_at_one_nic_are_not_chosen_between(klat2):
    world = World.of(klat2, 1)
    wrong, planned = (
        next(name for name in klat2.cluster.switch_names if name not in klat2.wiring.nodes["k09"]),
        klat2.wiring.nodes["k09"][0],
    )
    both = (*_announced(world), Neighbor(machine="k09", device="eth0", switch=wrong))
    report = audit(klat2, {"e": world.evidence(()).model_copy(update={"lldp": both})})
    assert report.findings == ()
    assert report.picture.places[Nic("k09", 0)] == {wrong, planned}
