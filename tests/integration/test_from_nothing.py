# SPDX-License-Identifier: Apache-2.0
"""playbooks/site.yml from a cluster.yml alone: designed, labelled, cabled, discovered, audited, set up and proved.

Somebody cables one machine wrongly. The tests of this file go on from one another, in order.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flathood.checks.results import Report
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.playbook import command, play
from flathood.registry import State, load_registry
from flathood.spec import load_cluster
from flathood.wiring import Wiring, load_wiring
from tests.labs import copied, running

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "nothingtest"
NODES = ("a", "b", "c", "d", "e", "f")
#: Longest wait for a run, seconds; a test that passes never takes as long.
PATIENCE = 1000


@dataclass
class Rig:
    lab: Lab
    folder: Path
    output: Path

    def site(self, **variables: object) -> tuple[int, str]:
        everywhere = {f"{part}_directory": str(self.output / part) for part in ("labels", "audit", "validate")}
        done = play(command("site", self.folder, **everywhere, **variables), self.lab, limit=PATIENCE)
        return done.returncode, done.stdout

    @property
    def wiring(self) -> Wiring:
        return load_wiring(self.folder / "wiring.yml", load_cluster(self.folder / "cluster.yml"))

    def provisioned(self) -> set[str]:
        there = {node: self.lab.exec(node, ["test", "-e", "/etc/systemd/network/50-fnn0.link"]) for node in NODES}
        return {node for node, done in there.items() if done.returncode == 0}


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("nothing"), NAME)
    (folder / "wiring.yml").unlink()
    with running(folder) as lab:
        lab.power_off(*NODES)
        yield Rig(lab, folder, folder.parent / "out")


def test_it_designs_labels_discovers_and_stops_at_a_wrong_cable(rig: Rig) -> None:
    rig.lab.break_(FaultKind.SWAP, "a:0", "a:1")
    code, text = rig.site(
        discover_power="lab", discover_settle=1, discover_timeout=120, site_hands="lab", audit_flips=False
    )
    assert code == 2, text[-3000:]
    wiring = rig.wiring
    assert (rig.output / "labels" / "labels.pdf").stat().st_size > 0
    registry = load_registry(rig.folder / "macs.yml", load_cluster(rig.folder / "cluster.yml"))
    found = {
        (name, slot): (nic.mac, nic.state)
        for name, nics in registry.nodes.items()
        for slot, nic in enumerate(nics)
        if nic is not None
    }
    assert found == {(name, slot): (mac, State.VERIFIED) for name, slot, mac in rig.lab.macs()}
    report = json.loads((rig.output / "audit" / "audit.json").read_text())
    assert [(each["kind"], each["nics"]) for each in report["findings"]] == [("exchanged-slots", ["a:0", "a:1"])]
    red, blue = wiring.nodes["a"]
    assert f"a: the {blue} cable goes from fnn0 to fnn1" in text
    assert f"a: the {red} cable goes from fnn1 to fnn0" in text
    assert "failed: Say what differs from the plan, and what to move: " in text
    assert rig.provisioned() == set()


def test_with_adopt_it_goes_on_to_a_cluster_that_is_proved(rig: Rig) -> None:
    planned = rig.wiring
    code, text = rig.site(discover_power="lab", audit_adopt=True, audit_flips=False)
    assert code == 0, text[-3000:]
    assert rig.wiring.nodes == {**planned.nodes, "a": planned.nodes["a"][::-1]}
    assert rig.provisioned() == set(NODES)
    # What was there already was not done again.
    assert "Begin the turn of" not in text
    report = Report.model_validate_json((rig.output / "validate" / "report.json").read_bytes())
    assert report.exit == 0, text[-3000:]
