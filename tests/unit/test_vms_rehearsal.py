# SPDX-License-Identifier: Apache-2.0
"""A rehearsal on virtual machines: the way to them, whose MACs are taken in, and what the operator reads of it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flathood.checks.results import Count, Exit, Report
from flathood.cli.rehearse import choose_bare
from flathood.inventory import MACS
from flathood.lab.progress import silent
from flathood.registry import State, load_registry, macs_of
from flathood.rehearse import rehearsal, summary
from flathood.rehearse.rehearsal import Audited, Rehearsal
from flathood.spec import load_cluster
from flathood.vms.box import Box
from flathood.vms.settings import from_environment
from flathood.vms.site import site
from flathood.vms.vms import Vms

HEXA = Path(__file__).resolve().parents[2] / "inventories" / "hexa"


@pytest.fixture
def vms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Vms:
    """Virtual machines of hexa with a note of them, but none up; f is bare."""
    monkeypatch.setattr("flathood.vms.room.ROOMS", tmp_path / "rooms")
    monkeypatch.setattr("flathood.vms.room.Room.is_open", True)
    found = Vms(HEXA)
    found.room.folder.mkdir(parents=True)
    planned = site(HEXA, from_environment({"FLATHOOD_DRIVER": "qemu", "FLATHOOD_PXE": "f"}))
    found.room.note.write_text(planned.model_dump_json())
    return found


@pytest.mark.parametrize(
    ("told", "bare"),
    [({}, ("f",)), ({"FLATHOOD_NODES": "a,c"}, ("c",)), ({"FLATHOOD_PXE": ""}, ()), ({"FLATHOOD_PXE": "b"}, ("b",))],
)
def test_a_rehearsal_has_one_machine_that_boots_from_the_network_unless_told_otherwise(
    vms: Vms, told: dict[str, str], bare: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", {"FLATHOOD_DRIVER": "qemu"} | told)
    choose_bare(vms)
    planned = site(HEXA, from_environment(os.environ))
    assert tuple(machine.name for machine in planned.machines if machine.boot == "network") == bare


def test_nodes_are_reached_through_the_head_and_the_head_at_once(vms: Vms, tmp_path: Path) -> None:
    (tmp_path / "host.pub").write_text("ecdsa-sha2-nistp256 AAAA a box\n")
    vms.write_access(Box("box", tmp_path / "flathood.box", tmp_path / "id_rsa", tmp_path / "host.pub"))
    config = vms.room.folder / "ssh" / "config"
    assert vms.environment["ANSIBLE_SSH_ARGS"] == f"-F {config}"

    def settings(host: str) -> dict[str, str]:
        done = subprocess.run(["ssh", "-G", "-F", str(config), host], capture_output=True, text=True, check=True)
        return dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)

    node, head = settings("10.78.0.1"), settings("10.78.0.254")
    assert node["proxycommand"] == f"ssh -F {config} -W %h:%p root@10.78.0.254"
    assert "proxycommand" not in head
    assert head["controlpath"].endswith("/sockets/head")
    assert {each["stricthostkeychecking"] for each in (node, head)} == {"true"}
    assert (config.parent / "known_hosts").read_text() == "* ecdsa-sha2-nistp256 AAAA a box\n"


def test_the_macs_of_bare_machines_are_for_discovery(vms: Vms, tmp_path: Path) -> None:
    assert vms.bare == ("f",)
    assert {name for name, _, _ in vms.macs()} == {"a", "b", "c", "d", "e", "head"}
    cluster = load_cluster(HEXA / "cluster.yml")
    before = (HEXA / MACS).read_bytes()
    # The cluster's own folder knows these MACs, and f's too: that is no place for what is to be discovered.
    state = Rehearsal(cluster, HEXA, HEXA, tmp_path / "build")
    rehearsal._take_macs(state, vms, silent, vms.bare)
    assert state.inventory == tmp_path / "build/rehearse/hexa"
    known = load_registry(state.inventory / MACS, cluster)
    assert [bool(macs_of(known, name)) for name in ("a", "f", "head")] == [True, False, True]
    # The others run meanwhile: what is only expected would be a contradiction in the turn of a bare one.
    assert {nic.state for name in ("a", "head") for nic in known.nodes[name] if nic} == {State.SEEN}
    assert (HEXA / MACS).read_bytes() == before


def test_a_cable_in_the_wrong_place_is_a_failure_and_told(tmp_path: Path) -> None:
    state = Rehearsal(load_cluster(HEXA / "cluster.yml"), HEXA, HEXA, tmp_path)
    assert state.exit == Exit.NOTHING_RAN
    state.report = Report.model_construct(counts={"name": Count(passed=1)})
    for wrong, code in ((0, Exit.PASS), (2, Exit.FAIL)):
        state.audited = Audited(12 - wrong, wrong, wrong)
        assert state.exit == code
    assert summary._cables(Audited(12, 1, 0)) == "12 of 13 cables judged, nothing found"
    assert summary._cables(Audited(13, 0, 2)) == "13 of 13 cables judged; 2 faults found (audit.log)"
