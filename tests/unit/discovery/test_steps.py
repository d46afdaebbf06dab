# SPDX-License-Identifier: Apache-2.0
"""The steps that write macs.yml, and the work that they leave."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood.cli.discover import discover
from flathood.discovery.folder import Folder
from flathood.discovery.replay import replay
from flathood.discovery.session import Session
from flathood.discovery.steps import close_turn, judge, survey
from flathood.discovery.work import UnknownMachine, Work
from flathood.registry import State, macs_of
from flathood.registry.model import Registry
from flathood.spec.model import Cluster

from .conftest import Wire, mac

HEAD = "02:00:00:00:68:00"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    switches = "".join(f'  - {{name: s{i}, colour: "#00000{i}", ports: 8}}\n' for i in range(4))
    (tmp_path / "cluster.yml").write_text(
        f"plugin: flathood.cluster.inventory\ncluster: c\nnodes: {{names: [a, b], nics: 4}}\nswitches:\n{switches}"
    )
    return tmp_path


def session_of(folder: Path, wire: Wire) -> Session:
    loaded = Folder.load(folder)
    return replay(wire.lines, loaded.work, loaded.registry, loaded.names).session


def test_what_a_killed_run_had_learned_is_written_by_the_next(folder: Path, wire: Wire) -> None:
    wire.turn("a", *(mac("a", slot) for slot in range(4)))
    done = survey(Folder.load(folder), session_of(folder, wire), (), HEAD, write=True)
    assert (done.todo, done.changed) == (["b"], True)
    registry = Folder.load(folder).registry
    assert macs_of(registry, "a") == tuple(mac("a", slot) for slot in range(4))
    assert [nic.state for nic in registry.nodes["head"] if nic] == [State.VERIFIED]
    assert not survey(Folder.load(folder), session_of(folder, wire), (), HEAD, write=True).changed


def test_what_was_saved_is_not_written_again_over_a_correction(folder: Path, wire: Wire) -> None:
    wire.turn("a", *(mac("a", slot) for slot in range(4))).say("saved", node="a")
    done = survey(Folder.load(folder), session_of(folder, wire), (), None, write=True)
    assert done.todo == ["a", "b"]
    assert not Folder.load(folder).registry.nodes


def test_a_survey_in_check_mode_writes_nothing(folder: Path, wire: Wire) -> None:
    done = survey(Folder.load(folder), session_of(folder, wire), ("b",), HEAD, write=False)
    assert (done.todo, done.changed) == (["b"], False)
    assert not (folder / "macs.yml").exists()


def test_each_turn_is_written_at_its_end(folder: Path, wire: Wire) -> None:
    wire.turn("b", *(mac("b", slot) for slot in range(4)))
    done = close_turn(Folder.load(folder), session_of(folder, wire), "b")
    assert (done.outcome, done.changed) == ("complete", True)
    loaded = Folder.load(folder)
    assert list(loaded.registry.nodes) == ["b"]
    verdict = judge(loaded, session_of(folder, wire), ("a", "b"))
    assert not verdict.good
    assert verdict.states == {"a": "unknown", "b": "complete"}
    assert judge(loaded, session_of(folder, wire), ("b",)).good


def test_machines_come_in_the_order_of_the_racks() -> None:
    groups = [
        {"names": ["z"], "rack": "left"},
        {"names": ["m"], "rack": "right"},
        {"names": ["y"], "rack": "left"},
    ]
    switches = [{"name": "red", "colour": "#000000", "ports": 8}]
    cluster = Cluster.model_validate(
        {"cluster": "c", "nodes": [group | {"nics": 1} for group in groups], "switches": switches}
    )
    work = Work.of(cluster, None, Registry(cluster="c"))
    assert work.to_do(Registry(cluster="c")) == ("z", "y", "m")
    with pytest.raises(UnknownMachine, match="q, r: no such node"):
        work.to_do(Registry(cluster="c"), ("m", "q", "r"))


def test_a_log_is_replayed_into_a_folder(folder: Path, wire: Wire) -> None:
    log = folder / "journal.jsonl"
    wire.turn("a", *(mac("a", slot) for slot in range(4))).turn("b", mac("b", 1))
    log.write_text("\n".join([*wire.lines, '{"at": 17']))
    dry = CliRunner().invoke(discover, [str(folder), "--replay", str(log), "--dry-run"])
    assert (dry.exit_code, "would change" in dry.output) == (3, True)
    assert not (folder / "macs.yml").exists()
    done = CliRunner().invoke(discover, [str(folder), "--replay", str(log)])
    assert done.exit_code == 3
    assert "which slot cannot be told" in done.output
    assert "1 lines of the log could not be read" in done.output
    assert macs_of(Folder.load(folder).registry, "a") == tuple(mac("a", slot) for slot in range(4))
    again = CliRunner().invoke(discover, [str(folder), "--replay", str(log)])
    assert "unchanged" in again.output
