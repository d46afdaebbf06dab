# SPDX-License-Identifier: Apache-2.0
"""A node and a spare change places: what is refused, what is written, and the way back to the byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flathood.bench import synthetic
from flathood.errors import Conflict, FlathoodError, InvalidInput
from flathood.inventory import load
from flathood.plan import Plan, load_plan, make_plan
from flathood.plan.bundle import machine_files
from flathood.plan.views import Options
from flathood.registry import Registry, macs_of, save_registry
from flathood.rewiring.aim import Aim
from flathood.rewiring.exchange import FILE, Replacing, exchanges, replacing, under_way
from flathood.rewiring.hands import changeover, judged, places
from flathood.rewiring.spare import witnesses
from flathood.rewiring.work import Work
from flathood.spec import load_cluster
from flathood.wiring import load_wiring, save_wiring
from flathood.wiring.model import Idle

SPEC = """cluster: tiny
nodes: {names: [a, b, c], nics: 2}
spares: [{names: [x, y], nics: 2}, {names: [z], nics: 1}]
switches:
  - {name: red, colour: "#c62828", ports: 2}
  - {name: blue, colour: "#1565c0", ports: 2}
  - {name: green, colour: "#2e7d32", ports: 2}
uplink: {name: white, ports: 8}
"""
WIRING = "cluster: tiny\nnodes:\n  a: [red, blue]\n  b: [blue, green]\n  c: [green, red]\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster.yml").write_text(SPEC)
    (tmp_path / "wiring.yml").write_text(WIRING)
    cluster = load_cluster(tmp_path / "cluster.yml")
    save_registry(tmp_path / "macs.yml", synthetic.registry(cluster))
    return tmp_path


def wanted(folder: Path, *told: object) -> Replacing:
    found = replacing(folder, *told)  # type: ignore[arg-type]
    assert found is not None
    return found


def macs(folder: Path) -> dict[str, tuple[str | None, ...]]:
    registry = load(folder, need_macs=True).registry
    return {name: macs_of(registry, name) for name in registry.nodes}


def test_the_macs_of_the_two_change_places_and_nothing_else_and_back_to_the_byte(folder: Path) -> None:
    # In a form of one's own: no program writes it like this.
    text = "# mine\n" + (folder / "macs.yml").read_text().replace("nodes:", "nodes:  # all of them")
    (folder / "macs.yml").write_text(text)
    before, wiring = macs(folder), (folder / "wiring.yml").read_bytes()
    wanted(folder, "b", "x").make().end()
    after = macs(folder)
    assert after == {**before, "b": before["x"], "x": before["b"]}
    assert list(after) == list(before)
    assert replacing(folder, "b", "x") is None
    wanted(folder, "b", None, True).make().end()
    assert (folder / "macs.yml").read_text() == text
    assert (folder / "wiring.yml").read_bytes() == wiring
    assert replacing(folder, "b", None, True) is None


def test_what_somebody_else_wrote_meanwhile_is_kept(folder: Path) -> None:
    wanted(folder, "b", "x").make().end()
    registry = load(folder, need_macs=True).registry
    nic = registry.nodes["y"][0]
    assert nic is not None
    nodes = {**registry.nodes, "y": (nic.model_copy(update={"mac": "02:11:22:33:44:55"}), registry.nodes["y"][1])}
    save_registry(folder / "macs.yml", Registry(cluster="tiny", nodes=nodes))
    now = macs(folder)
    wanted(folder, "b", "x", True).make().end()
    assert macs(folder) == {**now, "b": now["x"], "x": now["b"]}


def test_it_goes_on_from_wherever_it_was_killed(folder: Path) -> None:
    before = macs(folder)
    first = wanted(folder, "b", "x")
    assert not first.begun
    text = (folder / "macs.yml").read_text()
    first.make()
    (folder / "macs.yml").write_text(text)  # killed between the journal and macs.yml
    again = wanted(folder, "b", "x")
    assert (again.begun, again.exchanged) == (True, False)
    again.make()
    last = wanted(folder, "b", "x")
    assert (last.begun, last.exchanged) == (True, True)
    done = macs(folder)
    last.make()  # killed after it
    assert macs(folder) == done
    assert len(exchanges(folder)) == 1
    with pytest.raises(Conflict, match=r"x takes b's place, and this has not come to its end"):
        replacing(folder, "a", "y")
    # Turned round before its end.
    back = wanted(folder, "b", None, True)
    assert (back.exchange.spare, back.exchanged) == ("x", False)
    back.make().end()
    assert macs(folder) == before
    assert under_way(load(folder, need_macs=True)) is None


def test_a_line_that_was_cut_short_says_nothing_and_an_edited_one_is_told(folder: Path) -> None:
    wanted(folder, "b", "x").make()
    with (folder / FILE).open("a") as file:
        file.write('{"event": "en')
    assert [one.ended for one in exchanges(folder)] == [False]
    wanted(folder, "b", "x").end()
    assert [one.ended for one in exchanges(folder)] == [True]
    with (folder / FILE).open("a") as file:
        file.write(json.dumps({"event": "dance"}) + "\n")
    with pytest.raises(InvalidInput, match=r"replacements\.jsonl:3: is no line of this journal \('dance'"):
        exchanges(folder)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (("b", "c"), "there is no spare 'c'"),
        (("q", "x"), "there is no node 'q'"),
        (("b", "z"), "b has 2 NICs, z has 1: take a spare of as many"),
        (("b", None), "with what\\? Name a spare"),
        (("b", "x", True), "b has not been replaced by x"),
    ],
)
def test_what_cannot_be_is_refused(folder: Path, told: tuple[object, ...], said: str) -> None:
    before = (folder / "macs.yml").read_bytes()
    with pytest.raises(FlathoodError, match=said):
        replacing(folder, *told)  # type: ignore[arg-type]
    assert (folder / "macs.yml").read_bytes() == before
    assert not (folder / FILE).exists()


def test_all_that_speaks_against_it_is_told_at_once(folder: Path) -> None:
    registry = load(folder, need_macs=True).registry
    nodes = {**registry.nodes, "x": registry.nodes["x"][:1]}
    save_registry(folder / "macs.yml", Registry(cluster="tiny", nodes=nodes))
    wiring = load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml"))
    save_wiring(folder / "wiring.yml", wiring.model_copy(update={"idle": (Idle(node="b", slot=0),)}))
    with pytest.raises(FlathoodError, match=r"the MACs of fnn1 of x are not known.*fnn0 of b has no cable that works"):
        replacing(folder, "b", "x")


def test_not_while_cables_are_being_moved(folder: Path) -> None:
    inventory = load(folder, need_macs=True)
    rows = {**inventory.wiring.nodes, "a": ("blue", "red")}
    Work.to(folder, inventory.cluster, inventory.wiring.model_copy(update={"nodes": rows})).begun()
    with pytest.raises(Conflict, match="a rewiring is under way"):
        replacing(folder, "b", "x")


def test_no_cable_is_moved_for_another_wiring_meanwhile(folder: Path) -> None:
    wanted(folder, "b", "x").make()
    with pytest.raises(Conflict, match="x takes b's place, which has not come to its end"):
        Aim("ring").work(folder, dry=True)


def test_later_exchanges_of_a_spare_are_taken_back_first(folder: Path) -> None:
    wanted(folder, "b", "x").make().end()
    wanted(folder, "a", "x").make().end()
    with pytest.raises(FlathoodError, match=r"x takes a's place since: take that back first"):
        replacing(folder, "b", None, True)
    wanted(folder, "a", None, True).make().end()
    assert wanted(folder, "b", None, True).exchange.spare == "x"


def test_a_spare_that_died_in_its_turn_is_replaced_too(folder: Path) -> None:
    before = macs(folder)
    for spare in ("x", "y"):
        wanted(folder, "b", spare).make().end()
    assert macs(folder)["b"] == before["y"]
    for _ in range(2):
        wanted(folder, "b", None, True).make().end()
    assert macs(folder) == before


def test_who_is_told_which_address_and_where_cables_go(folder: Path) -> None:
    work = wanted(folder, "b", "x")
    assert (work.living.now, work.living.becomes) == ("x", "b")
    assert (work.living.old, work.living.new) == ("10.78.0.4", "10.78.0.2")
    assert work.living.mac == macs(folder)["x"][0]
    assert work.other.mac == macs(folder)["b"][0]
    assert changeover(work) == [
        "Put the spare x into the place of b, which is dead:",
        "  the blue cable goes from b fnn0 to x fnn0",
        "  the green cable goes from b fnn1 to x fnn1",
        "  the white cable goes from x fnn0 to b fnn0",
        "  A NIC that still has a plug becomes free by another line of this list: pull that one first.",
        "  Exchange the labels of the two: x is b now, b is x.",
    ]
    work = work.make()
    assert {str(nic): to for nic, to in places(work).items()} == {
        "b:0": "blue",
        "b:1": "green",
        "x:0": "white",
        "x:1": None,
    }
    assert {str(nic) for nic in judged(work)} == {"b:0", "b:1"}
    work.end()
    back = wanted(folder, "b", None, True)
    assert (back.living.now, back.living.becomes) == ("b", "x")
    assert {str(nic) for nic in judged(back.make())} == {"b:0", "b:1", "x:0", "x:1"}


def test_a_dead_switch_is_no_reason_to_look_for_a_cable_there(folder: Path) -> None:
    wiring = load_wiring(folder / "wiring.yml", load_cluster(folder / "cluster.yml"))
    save_wiring(folder / "wiring.yml", wiring.model_copy(update={"idle": (Idle(node="b", slot=1),)}))
    work = wanted(folder, "b", "x")
    assert {str(nic) for nic in places(work)} == {"b:0", "b:1", "x:0", "x:1"}
    assert {str(nic) for nic in judged(work)} == {"b:0"}


def test_a_node_that_is_not_dead_would_be_heard_on_each_of_its_switches(folder: Path) -> None:
    assert witnesses(load_plan(folder), "b") == {"a": ["10.80.1.2"], "c": ["10.80.2.2"]}


def plan_of(folder: Path) -> Plan:
    inventory = load(folder, need_macs=True)
    return make_plan(inventory.cluster, inventory.wiring, inventory.registry)


def test_only_macs_differ_in_the_files_of_all_others(folder: Path) -> None:
    before = {name: list(machine_files(plan_of(folder), name, Options())) for name in ("a", "c", "y", "head")}
    old = macs(folder)
    wanted(folder, "b", "x").make()
    new = plan_of(folder)
    for name, files in before.items():
        for one, other in zip(files, machine_files(new, name, Options()), strict=True):
            text = one.content
            for k in range(2):
                text = text.replace(str(old["b"][k]), "@").replace(str(old["x"][k]), str(old["b"][k]))
                text = text.replace("@", str(old["x"][k]))
            assert (one.path, sorted(text.splitlines())) == (other.path, sorted(other.content.splitlines()))
