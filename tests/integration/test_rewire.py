# SPDX-License-Identifier: Apache-2.0
"""Rewiring, going on without a switch, and a spare in the place of a dead node, on real machines."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from flathood.bench.pinging import all_pairs
from flathood.lab import Lab
from flathood.plan import load_plan
from flathood.playbook import command, play, start
from flathood.rewiring.exchange import exchanges
from flathood.rewiring.journal import standing
from tests.labs import copied, know_macs, running

pytestmark = pytest.mark.lab

LIMIT = 1200


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Six nodes and a spare, provisioned."""
    folder = copied(tmp_path_factory.mktemp("rewire"), "rewire")
    text = (folder / "cluster.yml").read_text()
    (folder / "cluster.yml").write_text(text.replace("switches:", "spares: {names: [g], nics: 2}\nswitches:"))
    with running(folder) as found:
        know_macs(found, folder)
        assert run(found, "site") == 0
        yield found


def run(lab: Lab, name: str, **variables: object) -> int:
    done = play(command(name, folder_of(lab) / "cluster.yml", **variables), lab, limit=LIMIT)
    print(done.stdout)
    return done.returncode


def folder_of(lab: Lab) -> Path:
    assert lab.directory is not None
    return lab.directory


def test_a_rewiring_finds_slips_outlives_its_controller_and_is_undone_to_the_byte(lab: Lab, tmp_path: Path) -> None:
    folder = folder_of(lab)
    before = (folder / "wiring.yml").read_bytes()
    # Two nodes change places, one of them with its slots exchanged.
    target = tmp_path / "wiring.yml"
    rows = {"  a: [red, green]": "  a: [blue, green]", "  e: [green, blue]": "  e: [green, red]"}
    text = before.decode()
    for old, new in rows.items():
        assert old in text
        text = text.replace(old, new)
    target.write_text(text)
    with all_pairs(lab, load_plan(folder)) as pings:
        argv = command("rewire", folder / "cluster.yml", wiring=str(target), rewire_mistakes=1)
        with start(argv, lab, group=True) as program:
            for line in program.stdout or ():
                if line.startswith("TASK [Listen where frames come by]"):
                    os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
        where = standing(folder)
        assert where is not None
        assert where.open
        assert (folder / "wiring.yml").read_bytes() not in (before, text.encode())
        assert run(lab, "rewire", rewire_mistakes=1) == 0
    assert (folder / "wiring.yml").read_text() == text
    assert lab.state.cables["a:0"] == "blue"
    assert lab.state.cables["e:1"] == "red"
    # Every pair was answered again and again; what is lost is lost while a plug is pulled, not while nodes are told.
    assert pings.sent > 0
    assert pings.lost < pings.sent / 4
    assert run(lab, "rewire", wiring=str(target)) == 0
    again = standing(folder)
    assert again is not None
    assert again.ended
    assert run(lab, "rewire", rewire_undo=True) == 0
    assert (folder / "wiring.yml").read_bytes() == before
    assert lab.state.cables == lab.state.planned.cables


def test_the_cluster_goes_on_without_a_switch_and_takes_it_back(lab: Lab) -> None:
    folder = folder_of(lab)
    before = (folder / "wiring.yml").read_bytes()
    plan = load_plan(folder)
    address = str(plan.node_ip(plan.numbers["d"]))
    lab.switch_off("red")
    try:
        # a to d are reached by the head through red only; a and d share no other switch.
        assert run(lab, "replace", switch="red") == 0
        assert lab.exec("a", ["ping", "-c", "5", "-i", "0.3", address]).returncode == 0
    finally:
        lab.switch_on("red")
    assert run(lab, "replace", switch="red", back=True) == 0
    assert (folder / "wiring.yml").read_bytes() == before
    assert lab.exec("a", ["ping", "-c", "5", "-i", "0.3", address]).returncode == 0


def test_a_spare_takes_the_place_of_a_dead_node_and_gives_it_back(lab: Lab) -> None:
    folder = folder_of(lab)
    files = {name: (folder / name).read_bytes() for name in ("macs.yml", "wiring.yml")}
    plan = load_plan(folder)
    answers = ["ping", "-c", "5", "-i", "0.3", str(plan.node_ip(plan.numbers["a"]))]
    # Nobody may have the addresses of a node that lives.
    told = {"node": "a", "with": "g"}
    assert run(lab, "replace", **told) != 0
    assert (folder / "macs.yml").read_bytes() == files["macs.yml"]
    lab.power_off("a")
    with start(command("replace", folder / "cluster.yml", **told), lab, group=True) as program:
        for line in program.stdout or ():
            if line.startswith("TASK [Install what those have to know"):
                os.killpg(program.pid, signal.SIGKILL)
        program.communicate()
    assert (folder / "macs.yml").read_bytes() != files["macs.yml"]
    assert not exchanges(folder)[-1].ended
    assert run(lab, "replace", replace_mistakes=1, **told) == 0
    assert exchanges(folder)[-1].ended
    # The lab's machines keep the names on their cases.
    assert lab.exec("g", ["hostname"]).stdout == "a\n"
    assert [lab.state.cables.get(name) for name in ("g:0", "g:1", "a:0", "a:1")] == ["red", "green", "white", None]
    for peer in ("b", "f"):
        assert lab.exec(peer, answers).returncode == 0
    assert run(lab, "replace", node="a", back=True) == 0
    assert {name: (folder / name).read_bytes() for name in files} == files
    assert lab.state.cables == lab.state.planned.cables
    assert [lab.exec(name, ["hostname"]).stdout for name in ("a", "g")] == ["a\n", "g\n"]
    assert lab.exec("f", answers).returncode == 0
    # Every machine is as it was, to the last route.
    done = play(command("site", folder / "cluster.yml", "--check"), lab, limit=LIMIT)
    assert done.returncode == 0
    assert not re.search("changed=[1-9]", done.stdout)
