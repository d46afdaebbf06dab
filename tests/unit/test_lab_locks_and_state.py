# SPDX-License-Identifier: Apache-2.0
"""The lab's lock and its notes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from flathood.errors import Conflict
from flathood.lab import paths, state
from flathood.lab.errors import LabError
from flathood.lab.hardware import build
from flathood.lab.lock import hold
from flathood.lab.recipe import SUITES, recipe
from flathood.lab.state import Phase, State
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring


def test_the_second_holder_is_told_who_the_first_one_is(tmp_path: Path) -> None:
    lock = tmp_path / "lab" / "x.lock"
    with (
        hold(lock, "lab up"),
        pytest.raises(Conflict, match=rf"process {os.getpid()} .*lab up") as caught,
        hold(lock, ""),
    ):
        pass
    assert caught.value.holder == os.getpid()


def test_a_lock_leaves_no_file(tmp_path: Path) -> None:
    for _ in range(2):
        with hold(tmp_path / "x.lock", "something"):
            assert (tmp_path / "x.lock").exists()
        assert not (tmp_path / "x.lock").exists()


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    lock = tmp_path / "x.lock"
    program = (
        "import os, pathlib, signal, sys\n"
        "from flathood.lab.lock import hold\n"
        "with hold(pathlib.Path(sys.argv[1]), 'die'):\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    subprocess.run([sys.executable, "-c", program, str(lock)], check=False, timeout=60)
    assert lock.exists()
    with hold(lock, "live"):
        pass


def a_state() -> State:
    cluster = Cluster.model_validate(
        {"cluster": "one", "nodes": [{"names": ["a"]}], "switches": [{"name": "r", "colour": "#ff0000", "ports": 1}]}
    )
    hardware = build(cluster, Wiring.model_validate({"cluster": "one", "nodes": {"a": ["r"]}}))
    return State(
        directory=Path("/one"),
        nonce="0",
        phase=Phase.UP,
        root=Path("/root"),
        node_device="ifb",
        planned=hardware,
        cables=hardware.cables,
    )


def test_the_state_comes_back_as_it_was_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "LABS", tmp_path)
    assert state.load("one") is None
    saved = a_state().but(off={"a"}, dark={"r"})
    state.save(saved)
    assert state.load("one") == saved
    assert state.labs() == ["one"]
    assert [file.name for file in (tmp_path / "one").iterdir()] == ["state.json"]


def test_a_state_cut_short_is_reported_with_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "LABS", tmp_path)
    state.save(a_state())
    file = paths.state_file("one")
    file.write_text(file.read_text()[:100])
    with pytest.raises(LabError, match=r"state\.json"):
        state.load("one")


def test_another_recipe_is_another_folder() -> None:
    names = {recipe(suite).name for suite in SUITES}
    assert len(names) == len(SUITES)
    assert recipe().name == recipe(SUITES[0]).name


def test_an_unknown_release_is_refused() -> None:
    with pytest.raises(LabError, match="bookworm or trixie"):
        recipe("potato")
