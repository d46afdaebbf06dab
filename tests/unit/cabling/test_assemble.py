# SPDX-License-Identifier: Apache-2.0
"""One run's words become one evidence file, and what machines, neighbors and switches say finds its place in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flathood import inventory
from flathood.cabling.assemble import assemble, offset
from flathood.cabling.audit import audit
from flathood.cabling.evidence import Learnt, Tables
from flathood.cabling.uplinks import with_uplinks
from flathood.registry.model import macs_of

HEXA = Path(__file__).resolve().parents[3] / "inventories" / "hexa"
#: Of the run: when it began by the controller's clock, and how long machines took to answer.
AT, TOOK = 1_772_366_400.0, 0.2
ROW = ("red", "green", "blue")


@pytest.fixture(scope="module")
def hexa():
    return inventory.load(HEXA, need_macs=True)


def nics(base, name):
    """A machine's NICs as its kernel shows them."""
    return [
        {"device": f"fnn{slot}", "mac": mac, "path": None, "carrier": True}
        for slot, mac in enumerate(macs_of(base.registry, name))
    ]


def run(base, ahead=None, unreachable=()):
    """What all machines say when everything is as planned; `ahead`: seconds that clocks are ahead."""
    cluster = base.cluster
    switch = {(name, slot): where for name, row in base.wiring.nodes.items() for slot, where in enumerate(row)}
    everyone = {f"{name}/fnn{slot}": where for (name, slot), where in switch.items()}
    words = {}
    for name in (*cluster.node_names, cluster.head.name):
        late = (ahead or {}).get(name, 0.0)
        together = {
            f"fnn{slot}": sorted(nic for nic, where in everyone.items() if where == switch[name, slot])
            for slot in range(len(base.wiring.nodes.get(name, ())))
        }
        word = {phase: {"time": AT + late + TOOK / 2, "clock": [AT, AT + TOOK]} for phase in ("clock", "start")}
        word["collect"] = {"time": AT + 100 + late, "clock": [AT + 100 - TOOK / 2, AT + 100 + TOOK / 2]}
        word["collect"] |= {"nics": nics(base, name), "changes": [], "words": {}}
        word["collect"]["heard"] = [together, {device: sorted(everyone) for device in together}]
        words[name] = {} if name in unreachable else word
    return words


def switches(**more):
    return {"flips": [], "late": False, "dark": True, "tables": None, "notes": []} | more


def test_words_of_all_machines_are_evidence_of_the_plan(hexa):
    evidence = assemble(hexa, run(hexa, ahead={"c": 7200.0}), switches())
    report = audit(hexa, {"e": evidence})
    assert report.exit_code == 3  # the head's NIC was in no round of probes
    assert report.findings == ()
    assert {str(nic) for nic in report.unjudged} == {"head:0"}
    assert "the clocks of c are off by up to 7,200 s" in report.picture.notes[0]
    assert evidence.machines["c"].clock == pytest.approx(7200.0, abs=TOOK)


def test_a_clock_that_was_set_meanwhile_is_in_doubt():
    ahead, doubt = offset(
        {"start": {"time": 100.0, "clock": [100.0, 100.2]}, "end": {"time": 190, "clock": [160, 161]}}
    )
    assert (ahead - doubt, ahead + doubt) == (pytest.approx(-0.2), pytest.approx(30.0))


def test_neighbors_tell_of_a_machine_that_nobody_reached(hexa):
    words = run(hexa, unreachable=("c",))
    word = json.dumps([[nic["device"], nic["mac"], slot == 1] for slot, nic in enumerate(nics(hexa, "c"))])
    for name in ("a", "d"):
        words[name]["collect"]["words"] = {"c": word}
    for said in words.values():
        for heard in said.get("collect", {}).get("heard", ()):
            for names in heard.values():
                names[:] = [nic for nic in names if nic != "c/fnn0"]
    off = [{"switch": name, "off": AT + 40 + 5 * number, "on": AT + 42 + 5 * number} for number, name in enumerate(ROW)]
    for name, said in words.items():
        for slot, switch in enumerate(hexa.wiring.nodes.get(name, ()) if said else ()):
            at = AT + 41 + 5 * ROW.index(switch)
            said["collect"]["changes"] += [[f"fnn{slot}", at, False], [f"fnn{slot}", at + 1, True]]
    evidence = assemble(hexa, words, switches(flips=off))
    assert (evidence.machines["c"].relayed, evidence.silent) == (True, ())
    report = audit(hexa, {"e": evidence})
    assert [(finding.kind, [*map(str, finding.nics)]) for finding in report.findings] == [("dark", ["c:0"])]
    assert "c could not be reached: what neighbors heard of it counts" in report.picture.notes
    assert report.disagreements == ()
    assert report.unjudged == ()
    assert not any("no word from c" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    "words",
    [
        {"a": "nonsense", "d": "[]"},
        {"a": "[1, 2, 3]", "d": '[["fnn0", "no mac", true]]'},
        {"a": '{"x": 1}', "d": '[["fnn0", "01:00:5e:00:00:01", true]]'},
        {"a": '[["fnn0", "02:00:5e:10:00:05", true]]', "d": '[["fnn0", "02:00:5e:10:00:06", true]]'},
    ],
)
def test_forged_words_of_a_machine_are_none(hexa, words):
    said = run(hexa, unreachable=("c",))
    for name, word in words.items():
        said[name]["collect"]["words"] = {"c": word}
    evidence = assemble(hexa, said, switches())
    assert evidence.silent == ("c",)
    assert {nic.machine for nic in audit(hexa, {"e": evidence}).unjudged} == {"c", "head"}


def test_a_machines_own_recorder_tells_more_than_this_run(hexa):
    words = run(hexa)
    words["b"]["collect"]["changes"] = [["fnn0", AT - 90_000, False], ["fnn0", AT + 50, False], ["gone", AT + 50, True]]
    flips = [{"switch": name, "off": AT + 49, "on": AT + 52} for name in ("red", "green")]
    evidence = assemble(hexa, words, switches(flips=flips))
    assert [(change.device, change.at) for change in evidence.carriers.changes] == [("fnn0", AT + 50)]


def test_lldp_names_are_matched_and_what_is_no_switch_is_told(hexa):
    words = run(hexa)
    row = hexa.wiring.nodes["a"]
    words["a"]["start"]["lldp"] = [
        ["fnn0", f"{row[0].upper()}.example.org", "02:00:00:00:00:01", "7"],
        ["fnn1", "", "02:00:00:00:00:02", "Gi1/0/9"],
        ["fnn1", "b", "02:00:5e:10:00:07", ""],
        ["eth9", "coffee-machine", "02:00:00:00:00:09", ""],
    ]
    evidence = assemble(hexa, words, switches(), names={"02:00:00:00:00:02": row[1]})
    assert [(each.device, each.switch, each.port) for each in evidence.lldp] == [
        ("fnn0", row[0], "7"),
        ("fnn1", row[1], "Gi1/0/9"),
    ]
    assert len(evidence.notes) == 1
    assert "a/eth9 is plugged into 'coffee-machine', which is no switch of cluster.yml" in evidence.notes[0]
    assert audit(hexa, {"e": evidence}).warnings[0] == evidence.notes[0]


def test_a_nic_that_hears_two_switches_may_be_on_either(hexa):
    words = run(hexa)
    words["a"]["start"]["lldp"] = [["fnn0", name, "", ""] for name in ("red", "blue")]
    evidence = assemble(hexa, words, switches()).model_copy(update={"frames": ()})
    report = audit(hexa, {"e": evidence})
    assert report.findings == ()
    assert sorted(report.picture.told[next(iter(report.picture.told))]["lldp"]) == ["blue", "red"]


def test_with_all_switches_on_probes_do_not_tell_domains_apart(hexa):
    evidence = assemble(hexa, run(hexa), switches(dark=False))
    assert [frames.uplink for frames in evidence.frames] == [True, True]
    assert assemble(hexa, run(hexa), switches(late=True)).frames == ()


def tables(base, head_port=True):
    """MAC tables of all switches with everything as planned, the head behind port `up` of each."""
    macs = {name: macs_of(base.registry, name) for name in (*base.cluster.node_names, base.cluster.head.name)}
    head = macs.pop(base.cluster.head.name)[0]
    found = {name: [Learnt(mac=head, port="up")] if head_port else [] for name in base.cluster.switch_names}
    white = [Learnt(mac=head, port="9")]
    for name, row in base.wiring.nodes.items():
        for slot, switch in enumerate(row):
            for other in base.cluster.switch_names:
                found[other].append(Learnt(mac=macs[name][slot], port=f"{name}" if other == switch else "up"))
            white.append(Learnt(mac=macs[name][slot], port=f"to {switch}"))
    return Tables(switches={name: tuple(table) for name, table in found.items()} | {"white": tuple(white)}), head


def test_ports_that_lead_to_other_switches_are_found_out(hexa):
    said, head = tables(hexa)
    ways = with_uplinks(said, "white", head).uplinks
    assert ways == {"red": ("up",), "green": ("up",), "blue": ("up",), "white": ("to blue", "to green", "to red")}
    given = with_uplinks(said.model_copy(update={"uplinks": {"red": ("x",)}}), "white", head).uplinks
    assert given["red"] == ("x",)
    assert with_uplinks(said, "white", None).uplinks == {}


def test_tables_without_named_uplinks_place_every_nic(hexa):
    said, _ = tables(hexa)
    words = run(hexa)
    table = said.model_dump(mode="json")
    evidence = assemble(hexa, words, switches(tables=table, dark=False)).model_copy(update={"frames": ()})
    report = audit(hexa, {"e": evidence})
    assert (report.exit_code, report.judged) == (0, 13)


def test_switches_that_told_nothing_are_named_and_hold_no_secret(hexa):
    note = "snmp: switch red at 10.0.0.2 told nothing (No SNMP response received before timeout): check its address"
    evidence = assemble(hexa, run(hexa), switches(notes=[note]))
    report = audit(hexa, {"e": evidence})
    assert report.warnings[0] == note
    assert report.exit_code == 3
