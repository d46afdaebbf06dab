# SPDX-License-Identifier: Apache-2.0
"""MAC tables as switches tell them by SNMP, and the variables that say how they are asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from flathood.cabling import snmp
from flathood.cabling.agents import Agent, agents
from flathood.cabling.bridge_mib import COLUMNS, learnt
from flathood.errors import InvalidInput
from flathood.spec import load_cluster

ROOT = Path(__file__).resolve().parents[3]
A, B, C = (2, 0, 0x5E, 0x10, 0, 1), (2, 0, 0x5E, 0x10, 0, 2), (2, 0, 0x5E, 0x10, 0, 3)


def columns(**filled):
    return {name: filled.get(name, {}) for name in COLUMNS}


def test_ports_get_the_names_that_are_printed_beside_the_sockets():
    # As on many switches, a bridge port's number is not the number of its interface.
    said = columns(
        dot1dTpFdbPort={A: 3, B: 4},
        dot1dTpFdbStatus={A: 3, B: 3},
        dot1dBasePortIfIndex={(3,): 10103, (4,): 10104},
        ifName={(10103,): b"Gi1/0/3", (3,): b"wrong"},
    )
    assert [(each.mac, each.port) for each in learnt(said)] == [
        ("02:00:5e:10:00:01", "Gi1/0/3"),
        ("02:00:5e:10:00:02", "port 4"),
    ]


def test_what_was_not_learnt_is_left_out():
    group = (1, 0, 0x5E, 0, 0, 1)
    said = columns(
        dot1dTpFdbPort={A: 3, B: 0, C: 5, group: 3},
        dot1dTpFdbStatus={A: 4, B: 3, C: 3, group: 3},
    )
    assert [each.port for each in learnt(said)] == ["port 5"]


def test_a_neighborhood_may_be_a_vlan_of_a_larger_switch():
    said = columns(
        dot1dTpFdbPort={A: 1, B: 2, C: 3},
        dot1qTpFdbPort={(7, *A): 1, (8, *B): 2, (8, *C): 3},
        dot1qTpFdbStatus={(7, *A): 3, (8, *B): 3, (8, *C): 3},
        dot1qVlanFdbId={(0, 10): 7, (4711, 20): 8},
    )
    assert [each.port for each in learnt(said, vlan=10)] == ["port 1"]
    assert [each.port for each in learnt(said, vlan=20)] == ["port 2", "port 3"]
    assert learnt(said, vlan=30) == ()
    assert len(learnt(said)) == 3
    # Switches without dot1qVlanFdbId number their databases as their VLANs.
    assert [each.port for each in learnt(said | {"dot1qVlanFdbId": {}}, vlan=8)] == ["port 2", "port 3"]


@pytest.fixture(scope="module")
def hexa():
    return load_cluster(ROOT / "inventories" / "hexa" / "cluster.yml")


def test_switches_take_what_they_have_in_common_from_the_defaults(hexa):
    found = agents(
        hexa,
        {
            "defaults": {"community": "peek", "port": 1161},
            "switches": {
                "red": {"address": "10.0.0.2"},
                "blue": {"address": "fd00::3", "user": "eve", "auth_key": "longenough", "vlan": 20},
            },
        },
    )
    assert found["red"].community.get_secret_value() == "peek"
    assert (found["blue"].community, found["blue"].port, found["blue"].vlan) == (None, 1161, 20)
    assert "longenough" not in repr(found)
    assert "peek" not in repr(found)


def test_all_that_is_wrong_is_told_and_no_secret(hexa):
    given = {
        "defauls": {},
        "switches": {
            "red": {"address": "10.0.0.2", "community": 1234567},
            "green": {"address": "10.0.0.3", "user": "eve", "auth_key": "hush"},
            "blue": {"adress": "10.0.0.4", "community": "hush-hush"},
            "mauve": {"address": "10.0.0.5", "community": "hush-hush", "priv_key": "hush-hush"},
            "white": {"address": "10.0.0.6", "user": "eve", "priv_key": "hush-hush"},
        },
    }
    with pytest.raises(InvalidInput) as caught:
        agents(hexa, given)
    text = str(caught.value)
    for part in (
        "defauls: is not known here",
        "switches.red.community: expected text, found",
        "switches.green.auth_key: is too short",
        "did you mean 'address'?",
        "switches.mauve: is no switch of cluster.yml, which has red",
        "switches.mauve: has a key and no `user`",
        "switches.white: has a `priv_key` and no `auth_key`",
    ):
        assert part in text, (part, text)
    assert "hush" not in text
    assert "1234567" not in text


def test_a_switch_that_does_not_answer_leaves_a_note_and_no_table(monkeypatch):
    monkeypatch.setattr(snmp, "_TIMEOUT", 0.05)
    monkeypatch.setattr(snmp, "_RETRIES", 0)
    # Nothing listens there.
    answers = snmp.ask({"red": Agent(address="127.0.0.1", port=9, community="peek-a-boo")})
    assert answers.tables == {}
    assert "switch red at 127.0.0.1 told nothing" in answers.notes[0]
    assert "peek-a-boo" not in answers.notes[0]
