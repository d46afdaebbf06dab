# SPDX-License-Identifier: Apache-2.0
"""Rewiring and going on without a switch, on real machines under pings of all pairs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flathood.bench.pinging import all_pairs
from flathood.lab import Lab
from flathood.plan import load_plan
from flathood.rewiring.journal import standing
from tests.labs import CHECKOUT, copied, know_macs, running

pytestmark = pytest.mark.lab

PLAYBOOK = str(Path(sys.executable).with_name("ansible-playbook"))
LIMIT = 1200


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Six nodes, provisioned."""
    folder = copied(tmp_path_factory.mktemp("rewire"), "rewire")
    with running(folder) as found:
        know_macs(found, folder)
        assert play(found, "site") == 0
        yield found


def start(lab: Lab, name: str, *told: str) -> subprocess.Popen[str]:
    argv = [PLAYBOOK, f"playbooks/{name}.yml", "-i", str(folder_of(lab) / "cluster.yml")]
    argv += [word for one in told for word in ("-e", one)]
    return subprocess.Popen(
        lab.at_head(argv),
        cwd=CHECKOUT,
        env=os.environ | lab.environment | {"ANSIBLE_CONFIG": str(CHECKOUT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def play(lab: Lab, name: str, *told: str) -> int:
    with start(lab, name, *told) as program:
        print(program.communicate(timeout=LIMIT)[0])
    return program.returncode


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
        with start(lab, "rewire", f"wiring={target}", "rewire_mistakes=1") as program:
            for line in program.stdout or ():
                if line.startswith("TASK [Listen where frames come by]"):
                    os.killpg(program.pid, signal.SIGKILL)
            program.communicate()
        where = standing(folder)
        assert where is not None
        assert where.open
        assert (folder / "wiring.yml").read_bytes() not in (before, text.encode())
        assert play(lab, "rewire", "rewire_mistakes=1") == 0
    assert (folder / "wiring.yml").read_text() == text
    assert lab.state.cables["a:0"] == "blue"
    assert lab.state.cables["e:1"] == "red"
    # Every pair was answered again and again; what is lost is lost while a plug is pulled, not while nodes are told.
    assert pings.sent > 0
    assert pings.lost < pings.sent / 4
    assert play(lab, "rewire", f"wiring={target}") == 0
    again = standing(folder)
    assert again is not None
    assert again.ended
    assert play(lab, "rewire", "rewire_undo=true") == 0
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
        assert play(lab, "replace", "switch=red") == 0
        assert lab.exec("a", ["ping", "-c", "5", "-i", "0.3", address]).returncode == 0
    finally:
        lab.switch_on("red")
    assert play(lab, "replace", "switch=red", "back=true") == 0
    assert (folder / "wiring.yml").read_bytes() == before
    assert lab.exec("a", ["ping", "-c", "5", "-i", "0.3", address]).returncode == 0
