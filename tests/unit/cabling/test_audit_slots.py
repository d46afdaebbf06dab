# SPDX-License-Identifier: Apache-2.0
"""Which MAC is in which slot: written to macs.yml only as far as the evidence goes."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood import inventory
from flathood.bench.miswired import World
from flathood.cabling.evidence import NicWord, save_evidence
from flathood.cabling.slots import learn
from flathood.cli.main import cli
from flathood.registry import Nic, Registry, State, load_registry
from flathood.registry.model import macs_of

INVENTORIES = Path(__file__).resolve().parents[3] / "inventories"
ALL = ("carriers", "frames", "tables")
STRANGE = "02:00:5e:77:00:01"


@pytest.fixture(scope="module")
def klat2():
    return inventory.load(INVENTORIES / "klat2", need_macs=True)


@pytest.fixture(scope="module")
def true(klat2):
    """Evidence of klat2 as planned, each machine's NICs in the kernel's order."""
    return World.of(klat2, 1).evidence(ALL)


def knowing(base, **nodes):
    """The cluster with a macs.yml that knows these NICs alone, as (mac, state) or None."""
    slots = {
        name: tuple(Nic(mac=nic[0], state=nic[1]) if nic else None for nic in nics) for name, nics in nodes.items()
    }
    return replace(base, registry=Registry(cluster="klat2", nodes=slots))


def without(evidence, machine, slot):
    """The evidence when a NIC is dead: its kernel does not list it."""
    word = evidence.machines[machine]
    nics = tuple(nic for number, nic in enumerate(word.nics) if number != slot)
    return evidence.model_copy(
        update={"machines": evidence.machines | {machine: word.model_copy(update={"nics": nics})}}
    )


def test_of_machines_nobody_knows_every_slot_is_proved_by_their_kernels(klat2, true):
    learnt = learn(knowing(klat2), {"e": true})
    assert (learnt.verified, learnt.seen, learnt.notes) == (265, 0, ())
    for name in (*klat2.cluster.node_names, *klat2.cluster.spare_names):
        assert macs_of(learnt.registry, name) == macs_of(klat2.registry, name)
        assert {nic.state for nic in learnt.registry.nodes[name]} == {State.VERIFIED}


def test_slots_that_were_only_likely_are_put_right(klat2, true):
    a, b, c, d = macs_of(klat2.registry, "k00")
    mixed = knowing(klat2, k00=[(b, State.SEEN), (a, State.EXPECTED), (c, State.SEEN), (d, State.VERIFIED)])
    learnt = learn(mixed, {"e": true})
    assert macs_of(learnt.registry, "k00") == (a, b, c, d)
    assert learnt.verified == 265 - 1


@pytest.mark.parametrize("state", [State.VERIFIED, State.CONFLICTING])
def test_what_is_certain_or_in_dispute_is_never_written_over(klat2, true, state):
    a, b, c, d = macs_of(klat2.registry, "k00")
    learnt = learn(knowing(klat2, k00=[(STRANGE, state), None, None, None]), {"e": true})
    assert macs_of(learnt.registry, "k00") == (STRANGE, b, c, d)
    assert f"slot 0 is {a} by its kernel and {STRANGE} by macs.yml ({state})" in learnt.notes[0]
    other = learn(knowing(klat2, k01=[(a, state), None, None, None]), {"e": true})
    assert macs_of(other.registry, "k00") == (None, b, c, d)
    assert any(f"k00: {a} is in slot 0 and by macs.yml in k01:0" in note for note in other.notes)


def test_a_machine_that_lacks_a_nic_gets_its_slots_by_its_cables_as_seen(klat2, true):
    a, _, c, d = macs_of(klat2.registry, "k00")
    learnt = learn(knowing(klat2), {"e": without(true, "k00", 1)})
    assert macs_of(learnt.registry, "k00") == (a, None, c, d)
    assert {nic.state for nic in learnt.registry.nodes["k00"] if nic} == {State.SEEN}
    assert (learnt.verified, learnt.seen) == (261, 3)


def test_likely_slots_are_not_written_over_what_macs_yml_has(klat2, true):
    a, b, c, d = macs_of(klat2.registry, "k00")
    held = knowing(klat2, k00=[(b, State.SEEN), None, None, None])
    learnt = learn(held, {"e": without(true, "k00", 0)})
    assert macs_of(learnt.registry, "k00") == (b, None, c, d)
    assert a not in macs_of(learnt.registry, "k00")


def test_a_mac_that_is_there_twice_gets_no_slot(klat2, true):
    word, other = true.machines["k00"], true.machines["k01"]
    twin = NicWord(device="eth0", mac=word.nics[0].mac, carrier=True)
    doubled = true.machines | {"k01": other.model_copy(update={"nics": (twin, *other.nics[1:])})}
    learnt = learn(knowing(klat2), {"e": true.model_copy(update={"machines": doubled, "frames": (), "carriers": None})})
    assert macs_of(learnt.registry, "k00")[0] is None
    assert macs_of(learnt.registry, "k01")[0] is None
    assert learnt.verified == 263


def test_a_mac_that_was_likely_in_a_slot_is_not_in_two(klat2, true):
    a, b, _, _ = macs_of(klat2.registry, "k00")
    other = true.machines["k01"]
    twin = NicWord(device="eth0", mac=b, carrier=True)
    doubled = true.machines | {"k01": other.model_copy(update={"nics": (twin, *other.nics[1:])})}
    evidence = true.model_copy(update={"machines": doubled, "frames": (), "carriers": None})
    learnt = learn(knowing(klat2, k00=[None, (a, State.SEEN), None, None]), {"e": evidence})
    assert macs_of(learnt.registry, "k00")[:2] == (a, None)


def test_what_neighbors_passed_on_proves_no_slot(klat2, true):
    passed = true.machines["k00"].model_copy(update={"relayed": True})
    learnt = learn(knowing(klat2), {"e": true.model_copy(update={"machines": true.machines | {"k00": passed}})})
    assert macs_of(learnt.registry, "k00") == ()
    assert learnt.verified == 261


def test_no_slot_is_ever_wrong_or_double_whatever_was_known_before(klat2, true):
    for seed in range(30):
        dice = random.Random(seed)  # noqa: S311 - no secret
        nodes = {}
        for name in klat2.cluster.node_names[:8]:
            macs = list(macs_of(klat2.registry, name))
            dice.shuffle(macs)
            nodes[name] = [dice.choice([None, (mac, State.SEEN), (mac, State.EXPECTED)]) for mac in macs]
        evidence = true
        for name in dice.sample(klat2.cluster.node_names[:8], 3):
            evidence = without(evidence, name, dice.randrange(4))
        learnt = learn(knowing(klat2, **nodes), {"e": evidence})
        macs = [mac for name in learnt.registry.nodes for mac in macs_of(learnt.registry, name) if mac]
        assert len(macs) == len(set(macs))
        for name in klat2.cluster.node_names[:8]:
            for slot, nic in enumerate(learnt.registry.nodes.get(name, ())):
                if nic and nic.state is State.VERIFIED:
                    assert nic.mac == macs_of(klat2.registry, name)[slot]


def test_command_writes_macs_yml_and_audits_by_it(tmp_path, klat2, true):
    for name in ("cluster.yml", "wiring.yml"):
        (tmp_path / name).write_bytes((klat2.directory / name).read_bytes())
    save_evidence(tmp_path / "e.json", true)
    argv = ["audit", str(tmp_path), "--evidence", str(tmp_path / "e.json")]
    without_macs = CliRunner().invoke(cli, argv)
    assert without_macs.exit_code == 2
    assert "macs.yml" in without_macs.output
    ran = CliRunner().invoke(cli, [*argv, "--macs"])
    assert "265 slots newly verified" in ran.output
    assert ran.exit_code == 0, ran.output
    written = load_registry(tmp_path / "macs.yml", klat2.cluster)
    assert all(macs_of(written, name) == macs_of(klat2.registry, name) for name in klat2.cluster.node_names)
    before = (tmp_path / "macs.yml").read_bytes()
    again = CliRunner().invoke(cli, [*argv, "--macs"])
    assert "0 slots newly verified, 0 newly seen" in again.output
    assert (tmp_path / "macs.yml").read_bytes() == before
