# SPDX-License-Identifier: Apache-2.0
"""flathood.cluster.install on the controller: what makes it ask a machine, what it ships, what it says on failure."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible_collections.flathood.cluster.plugins.action import install
from ansible_collections.flathood.cluster.plugins.module_utils.machine import live, role
from ansible_collections.flathood.cluster.plugins.module_utils.machine.files import signature

from flathood.plan import Options, load_plan, render
from flathood.plan.views import ROLES_OF
from tests.plans import HEXA

ROOT = Path(__file__).parents[3]
STATE, INSTALL = "flathood.cluster.state", "flathood.cluster.install"

Call = tuple[str, dict[str, Any]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """hexa with made-up MAC addresses."""
    folder = tmp_path_factory.mktemp("hexa")
    for name in ("cluster.yml", "wiring.yml"):
        shutil.copy(ROOT / "inventories/hexa" / name, folder)
    slots = {name: len(row) for name, row in zip("abcdef", HEXA, strict=True)} | {"head": 1}
    rows = [
        f"  {name}: [{', '.join(f'{{mac: 02:00:00:00:{number:02x}:{slot:02x}}}' for slot in range(count))}]"
        for number, (name, count) in enumerate(slots.items())
    ]
    (folder / "macs.yml").write_text("\n".join(["cluster: hexa", "nodes:", *rows, ""]))
    return folder


def state_of(folder: Path, host: str, kind: str = "node") -> dict[str, Any]:
    """What a machine says on which all is as planned."""
    views = [render(load_plan(folder), host, name, Options()) for name in ROLES_OF[kind]]
    facets = {facet: live.digest(lines) for view in views for facet, lines in view.live.items() if facet != "sysctl"}
    return {
        "files": {v.role: {f.path: signature(f.content.encode(), f.mode) for f in v.files} for v in views},
        "live": facets,
        "sysctl": {view.role: live.digest(view.live.get("sysctl", ())) for view in views},
    }


class Machine:
    """Stands in for a machine: answers each module with what the test gave it, in order."""

    def __init__(self, *answers: dict[str, Any] | Exception) -> None:
        self.answers = list(answers)
        self.calls: list[Call] = []

    def __call__(self, module: str, arguments: dict[str, Any], task_vars: dict[str, Any]) -> dict[str, Any]:
        self.calls.append((module, arguments))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def modules(self) -> list[str]:
        return [module for module, _ in self.calls]


Play = Callable[..., dict[str, Any]]


@pytest.fixture
def play(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Run the action for one role on one machine."""
    monkeypatch.setattr(install.time, "sleep", lambda _seconds: None)

    def run(machine: Machine, host: str = "a", facts: dict[str, Any] | None = None, **args: Any) -> dict[str, Any]:
        task = SimpleNamespace(
            args={"directory": str(folder), "role": "arp"} | args, async_val=0, check_mode=False, diff=False
        )
        options = {"timeout": 30}
        connection = SimpleNamespace(
            transport="ssh",
            get_option=options.get,
            set_option=options.__setitem__,
            _shell=SimpleNamespace(tmpdir="unused"),
        )
        action = install.ActionModule(
            task, connection, SimpleNamespace(check_mode=False, diff=False), None, SimpleNamespace(), None
        )
        monkeypatch.setattr(action, "_execute_module", machine)
        return action.run(
            task_vars={"inventory_hostname": host, "ansible_host": "10.78.0.1", "ansible_facts": facts or {}}
        )

    return run


def test_a_nic_without_carrier_is_told_and_fails_nothing(folder: Path, play: Play) -> None:
    machine = Machine({"state": state_of(folder, "a") | {"no_carrier": ["fnn1 (blue)"]}})
    result = play(machine, role="links")
    assert (result["changed"], result["no_carrier"]) == (False, ["fnn1 (blue)"])


def test_a_machine_on_which_all_is_right_is_asked_once_for_all_roles(folder: Path, play: Play) -> None:
    machine = Machine({"state": state_of(folder, "a")})
    first = play(machine, role="links")
    assert first["changed"] is False
    assert machine.modules == [STATE]
    assert set(machine.calls[0][1]["look"]) == set(ROLES_OF["node"])
    for name in ROLES_OF["node"][1:]:
        assert play(machine, role=name, facts=first["ansible_facts"])["changed"] is False
    assert machine.modules == [STATE]


def test_only_what_differs_is_shipped(folder: Path, play: Play) -> None:
    state = state_of(folder, "a")
    drop_in = "/etc/systemd/network/50-fnn1.network.d/arp.conf"
    state["files"]["arp"][drop_in] = "0644 other"
    machine = Machine({"state": state}, {"changed": True, "state": state_of(folder, "a")})
    result = play(machine)
    assert result["changed"] is True
    assert machine.modules == [STATE, INSTALL]
    sent = role.unpack(machine.calls[1][1]["payload"])
    assert [file.path for file in sent.wanted if file.content is not None] == [drop_in]
    assert len(sent.wanted) == 3
    assert "state" not in result
    assert play(Machine(), facts=result["ansible_facts"])["changed"] is False


@pytest.mark.parametrize("facet", ["neighbors", "arp"])
def test_live_state_that_differs_is_repaired_with_no_file_shipped(folder: Path, play: Play, facet: str) -> None:
    state = state_of(folder, "a")
    state["live"][facet] = live.digest(["something else"])
    machine = Machine({"state": state}, {"changed": True, "state": state_of(folder, "a")})
    play(machine)
    sent = role.unpack(machine.calls[1][1]["payload"])
    assert [file.content for file in sent.wanted] == [None] * 3
    assert sent.live[facet]


def test_a_file_left_over_is_reason_enough(folder: Path, play: Play) -> None:
    state = state_of(folder, "a")
    state["files"]["arp"]["/etc/systemd/network/50-fnn5.network.d/arp.conf"] = "0644 old"
    machine = Machine({"state": state}, {"changed": True, "state": state_of(folder, "a")})
    assert play(machine)["changed"] is True


def test_a_fact_of_another_run_is_not_believed(folder: Path, play: Play) -> None:
    state = state_of(folder, "a")
    old = {install.FACT: {"run": "yesterday", "state": state}}
    machine = Machine({"state": state})
    play(machine, facts=old)
    assert machine.modules == [STATE]


def test_an_input_that_changes_bytes_makes_a_difference(folder: Path, play: Play) -> None:
    state = state_of(folder, "a")
    machine = Machine({"state": state}, {"changed": True, "state": state})
    play(machine, role="hosts", options={"hosts_extra": ["10.0.0.5 storage"]})
    sent = role.unpack(machine.calls[1][1]["payload"])
    assert b"10.0.0.5 storage\n" in b"".join(file.content or b"" for file in sent.wanted)


def test_a_machine_that_boots_is_waited_for_and_one_that_is_off_is_named(folder: Path, play: Play) -> None:
    silence = [AnsibleConnectionFailure("advice. ssh: connect to host 10.78.0.1: No route to host") for _ in range(9)]
    machine = Machine(*silence[:3], {"state": state_of(folder, "a")})
    assert play(machine, patience=60)["changed"] is False
    with pytest.raises(AnsibleConnectionFailure) as caught:
        play(Machine(*silence), patience=0)
    assert caught.value.message.startswith("a cannot be reached at 10.78.0.1 (tried for 0 s): connect to host")


def test_a_connection_left_over_and_dead_costs_no_machine(folder: Path, play: Play) -> None:
    machine = Machine(AnsibleConnectionFailure("mux"), {"state": state_of(folder, "a")})
    assert play(machine, patience=0)["changed"] is False


def test_a_failure_names_machine_and_role_and_leaves_the_state_out(folder: Path, play: Play) -> None:
    state = state_of(folder, "a")
    state["live"]["arp"] = ""
    machine = Machine({"state": state}, {"failed": True, "msg": "NIC fnn1 (green) has no carrier", "state": state})
    result = play(machine)
    assert result["failed"]
    assert result["msg"] == "a: role arp: NIC fnn1 (green) has no carrier"
    assert "state" not in result
    assert "ansible_facts" not in result


def test_the_head_says_how_long_it_has_leased_addresses(folder: Path, play: Play) -> None:
    state = state_of(folder, "head", "head") | {"leasing_for": 7}
    assert play(Machine({"state": state}), host="head", role="head")["leasing_for"] == 7
    stale = state | {"files": {"head": {}}}
    machine = Machine({"state": stale}, {"changed": True, "state": state | {"leasing_for": 1}})
    assert play(machine, host="head", role="head")["leasing_for"] == 1


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"host": "z"}, "has no machine of this name"),
        ({"host": "head", "role": "arp"}, "head is a head and has no role arp"),
        ({"directory": "/nowhere"}, "cluster.yml"),
        ({"options": {"node_device": "veth"}}, "node_device"),
        ({"options": {"colour": "red"}}, "colour"),
    ],
)
def test_what_cannot_be_is_said_before_any_machine_is_asked(play: Play, args: dict[str, Any], message: str) -> None:
    machine = Machine()
    with pytest.raises(AnsibleActionFail, match=message):
        play(machine, **args)
    assert machine.calls == []
