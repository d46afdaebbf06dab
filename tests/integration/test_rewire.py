# SPDX-License-Identifier: Apache-2.0
"""Rewiring, going on without a switch, and a spare in the place of a dead node, on real machines."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood.bench.pinging import all_pairs
from flathood.cli.main import cli
from flathood.lab import Lab, paths
from flathood.plan import load_plan
from flathood.playbook import command, play, start
from flathood.rewiring.exchange import exchanges
from flathood.rewiring.journal import standing
from flathood.spec import load_cluster
from flathood.wiring import load_wiring, save_wiring
from tests.labs import copied, know_macs, running

pytestmark = pytest.mark.lab

LIMIT = 1200
#: Give a machine a host key of its own, and take it back.
OWN_KEY = """cd /etc/ssh; for end in "" .pub; do cp ssh_host_ed25519_key$end common$end; done
echo y | ssh-keygen -q -t ed25519 -N "" -f ssh_host_ed25519_key >&2; systemctl restart ssh"""
COMMON_KEY = 'cd /etc/ssh; for end in "" .pub; do mv common$end ssh_host_ed25519_key$end; done; systemctl restart ssh'


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


@pytest.fixture
def known_hosts(lab: Lab) -> Iterator[Path]:
    """Nodes a and g have host keys of their own, and the controller's known_hosts has them by hashed addresses."""
    path = paths.lab_run(lab.name) / "ssh" / "known_hosts"
    before, plan = path.read_text(), load_plan(folder_of(lab))
    common = before.removeprefix("* ")
    places = {name: str(plan.outside_ip(number)) for name, number in plan.numbers.items()}
    places[plan.head] = str(plan.head_ip)
    try:
        text = ""
        for name, address in places.items():
            key = common
            if name in "ag":
                assert lab.exec(name, ["sh", "-ec", OWN_KEY]).returncode == 0
                key = lab.exec(name, ["cat", "/etc/ssh/ssh_host_ed25519_key.pub"]).stdout
            text += f"{' '.join([address, *key.split()[:2]])}\n"
        path.write_text(text)
        subprocess.run(["ssh-keygen", "-q", "-H", "-f", path], check=True, capture_output=True)
        yield path
    finally:
        path.write_text(before)
        for name in "ag":
            lab.exec(name, ["sh", "-ec", COMMON_KEY])


def test_a_spare_takes_the_place_of_a_dead_node_and_gives_it_back(lab: Lab, known_hosts: Path) -> None:
    folder, hosts = folder_of(lab), known_hosts.read_bytes()
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
    assert known_hosts.read_bytes() != hosts
    # The lab's machines keep the names on their cases.
    assert lab.exec("g", ["hostname"]).stdout == "a\n"
    assert [lab.state.cables.get(name) for name in ("g:0", "g:1", "a:0", "a:1")] == ["red", "green", "white", None]
    for peer in ("b", "f"):
        assert lab.exec(peer, answers).returncode == 0
    assert run(lab, "replace", node="a", back=True) == 0
    assert known_hosts.read_bytes() == hosts
    assert {name: (folder / name).read_bytes() for name in files} == files
    assert lab.state.cables == lab.state.planned.cables
    assert [lab.exec(name, ["hostname"]).stdout for name in ("a", "g")] == ["a\n", "g\n"]
    assert lab.exec("f", answers).returncode == 0
    # Every machine is as it was, to the last route.
    done = play(command("site", folder / "cluster.yml", "--check"), lab, limit=LIMIT)
    assert done.returncode == 0
    assert not re.search("changed=[1-9]", done.stdout)


def test_a_spare_becomes_a_node_and_a_spare_again(lab: Lab, tmp_path: Path) -> None:
    folder, target = folder_of(lab), tmp_path / "next.yml"
    spec = (folder / "cluster.yml").read_text().replace("spares: {names: [g], nics: 2}\n", "")
    (folder / "cluster.yml").write_text(spec.replace("e, f]", "e, f, g]").replace("ports: 4", "ports: 6"))
    options = ["--gain", "100", "--rounds", "1", "--output", str(target), "--take-in"]
    told = CliRunner().invoke(cli, ["moves", str(folder), *options])
    assert told.exit_code == 0, told.output
    # Another node's cable is moved with its own.
    wanted = load_wiring(target, load_cluster(folder / "cluster.yml"))
    save_wiring(target, wanted.model_copy(update={"nodes": {**wanted.nodes, "a": ("blue", "green")}, "ports": {}}))
    assert run(lab, "rewire", wiring=str(target), rewire_mistakes=1) == 0
    row = load_plan(folder).wiring.nodes["g"]
    assert [lab.state.cables.get(f"g:{slot}") for slot in range(2)] == list(row)
    assert lab.state.cables["a:0"] == "blue"
    # Every pair of the seven, over every switch that it shares.
    report = {"validate_directory": str(tmp_path / "validate")}
    done = play(command("validate", folder / "cluster.yml", "--tags", "state,traffic", **report), lab, limit=LIMIT)
    assert done.returncode == 0, done.stdout[-3000:]
    done = play(command("rewire", folder / "cluster.yml", wiring=str(target)), lab, limit=LIMIT)
    assert done.returncode == 0
    assert not re.search("changed=[1-9]", done.stdout)
    assert run(lab, "rewire", rewire_undo=True) == 0
    assert lab.state.cables == lab.state.planned.cables
