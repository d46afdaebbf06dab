# SPDX-License-Identifier: Apache-2.0
"""playbooks/audit.yml on six real nodes: carriers, probes, SNMP and LLDP find what is plugged wrongly."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood import inventory
from flathood.cabling.audit import audit
from flathood.cabling.evidence import Evidence, load_evidence
from flathood.cli.main import cli
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.playbook import command, play
from flathood.registry import State, load_registry, macs_of, save_registry
from flathood.spec import load_cluster
from flathood.wiring import load_wiring
from tests import managed
from tests.labs import copied, know_macs, running

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "audittest"
STRANGER = "02:5a:00:00:00:01"
#: Longest wait for a playbook, seconds; a test that passes never takes as long.
PATIENCE = 400


@dataclass
class Rig:
    lab: Lab
    folder: Path
    output: Path

    def play(self, book: str, **variables: object) -> tuple[int, str]:
        done = play(command(book, self.folder / "cluster.yml", **variables), self.lab, limit=PATIENCE)
        return done.returncode, done.stdout

    def audit(self, **variables: object) -> tuple[int, str]:
        return self.play("audit", audit_directory=str(self.output), **variables)

    @property
    def evidence(self) -> Evidence:
        return load_evidence(self.output / "evidence.json")


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("audit"), NAME)
    with running(folder) as lab:
        know_macs(lab, folder)
        (folder / "group_vars").mkdir()
        (folder / "group_vars" / "all.yml").write_text("recorder_state: present\n")
        rig = Rig(lab, folder, folder / "out")
        code, text = rig.play("site")
        assert code == 0, text[-3000:]
        yield rig


@contextmanager
def asked(rig: Rig, work: Path) -> Iterator[dict[str, object]]:
    """Switches that speak LLDP and SNMP: one by v2c, two as VLANs of one box by v3. How they are to be asked."""
    boxes = {name: rig.lab.bridge(name) for name in ("red", "green", "blue", "white")}
    views = {"red": boxes["red"], "box": f"10={boxes['green']} 20={boxes['blue']}", "white": boxes["white"]}
    user = {"user": managed.USER, "auth_key": managed.AUTH_KEY, "priv_key": managed.PRIV_KEY, "auth": "sha256"}
    with managed.agents(rig.lab, work, views) as ports, managed.talkative(rig.lab, work):
        managed.hear(rig.lab, *"abcdef")
        switches = {
            "red": {"port": ports["red"]},
            "white": {"port": ports["white"]},
            "green": {"port": ports["box"], "vlan": 10, **user},
            "blue": {"port": ports["box"], "vlan": 20, **user},
        }
        yield {"defaults": {"address": managed.ADDRESS, "community": managed.COMMUNITY}, "switches": switches}


def test_faults_are_found_on_the_real_kernel_and_the_moves_mend_them(rig: Rig, tmp_path: Path) -> None:
    rig.lab.recable("a", 0, "blue")
    rig.lab.recable("c", 1, "red")
    with asked(rig, tmp_path) as how, managed.stranger(rig.lab, "green", STRANGER):
        rig.lab.break_(FaultKind.DEAD_CABLE, "d:1")
        code, text = rig.audit(audit_snmp=how)
    assert code == 2, text[-3000:]
    report = json.loads((rig.output / "audit.json").read_text())
    assert [(each["kind"], each["nics"]) for each in report["findings"]] == [
        ("exchanged-cables", ["a:0", "c:1"]),
        ("dark", ["d:1"]),
        ("unknown-machine", []),
    ], report["findings"]
    assert f"{STRANGER} on green is in no file" in text
    assert (report["judged"], report["disagreements"]) == (13, [])
    assert set(report["evidence"]) == {"carriers", "frames", "tables", "lldp"}
    assert "a: the cable in fnn0 goes from blue to red" in text
    written = (rig.output / "evidence.json").read_text() + (rig.output / "audit.json").read_text() + text
    for secret in (managed.COMMUNITY, managed.AUTH_KEY, managed.PRIV_KEY):
        assert secret not in written
    # Ports by the names that the switches' own agents have for them.
    assert {entry.port for entry in rig.evidence.tables.switches["white"]} >= {"u0.far", "u1.far", "u2.far"}
    assert rig.evidence.tables.uplinks["green"] == ("u1.near",)
    _each_kind_alone_agrees(rig)
    for move in report["restore"]["moves"]:
        rig.lab.recable(move["after"]["machine"], move["after"]["slot"], move["after"]["switch"])
    rig.lab.mend()
    code, text = rig.audit(audit_flips=False)
    assert code == 0, text[-3000:]
    assert "Everything is as planned." in text
    assert set(rig.lab.status()["switches"]) >= {"red", "green", "blue", "white"}
    assert rig.lab.state.dark == frozenset()


def _each_kind_alone_agrees(rig: Rig) -> None:
    """Every collector finds the exchanged cables by itself."""
    loaded = inventory.load(rig.folder, need_macs=True)
    whole = rig.evidence
    nothing = {"carriers": None, "frames": (), "tables": None, "lldp": ()}
    for kind in nothing:
        rest = {name: none for name, none in nothing.items() if name != kind}
        report = audit(loaded, {"evidence.json": whole.model_copy(update=rest)})
        wrong = {str(nic) for finding in report.findings for nic in finding.nics}
        assert wrong == {"a:0", "c:1", "d:1"}, (kind, [*map(str, report.findings)])


def test_a_node_that_nobody_reaches_is_judged_by_what_its_neighbors_heard(rig: Rig) -> None:
    rig.lab.break_(FaultKind.DEAD_CABLE, "c:0")
    rig.lab.break_(FaultKind.SWAP, "c:1", "f:0")
    # The head knows at once that there is no way, instead of waiting for ssh to give up.
    way = ["ip", "-n", rig.lab.namespace("head"), "route", "replace", "unreachable", "10.78.0.3"]
    subprocess.run(way, check=True)
    try:
        code, text = rig.audit(audit_flips=False)
        assert code == 2, text[-3000:]
        report = json.loads((rig.output / "audit.json").read_text())
        assert "c could not be reached: what neighbors heard of it counts" in report["notes"]
        assert [(each["kind"], each["nics"]) for each in report["findings"]] == [
            ("exchanged-cables", ["c:1", "f:0"]),
            ("dark", ["c:0"]),
        ], report["findings"]
    finally:
        subprocess.run([*way[:4], "delete", *way[5:]], check=True)
        rig.lab.mend()


def test_two_exchanged_cables_of_one_node_are_adopted_and_an_unknown_mac_is_written(rig: Rig) -> None:
    rig.lab.break_(FaultKind.SWAP, "a:0", "a:1")
    cluster = load_cluster(rig.folder / "cluster.yml")
    planned = load_wiring(rig.folder / "wiring.yml", cluster).nodes["a"]
    delivered = load_registry(rig.folder / "macs.yml", cluster)
    known = delivered.nodes | {"b": (delivered.nodes["b"][0], None)}
    save_registry(rig.folder / "macs.yml", delivered.model_copy(update={"nodes": known}))
    try:
        code, text = rig.audit(audit_adopt=True, audit_macs=True, audit_flips=False)
        assert code == 0, text[-3000:]
        assert "adopted" in text
        written = load_registry(rig.folder / "macs.yml", cluster).nodes["b"][1]
        assert written is not None
        assert (written.mac, written.state) == (macs_of(delivered, "b")[1], State.VERIFIED)
        wiring = load_wiring(rig.folder / "wiring.yml", load_cluster(rig.folder / "cluster.yml"))
        assert wiring.nodes["a"] == planned[::-1]
        ran = CliRunner().invoke(cli, ["audit", str(rig.folder), "--evidence", str(rig.output / "evidence.json")])
        assert "NOT as planned" not in ran.output
        assert ran.exit_code == 3  # as planned, by evidence that is older than the wiring
    finally:
        rig.lab.mend()
