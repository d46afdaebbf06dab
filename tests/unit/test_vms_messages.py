# SPDX-License-Identifier: Apache-2.0
"""What is said before virtual machines are made, where they could not be: memory, disk, processor, libvirt, names."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from flathood.errors import Conflict
from flathood.lab.errors import LabError
from flathood.vms import system, vms
from flathood.vms.fabric import Fabric
from flathood.vms.settings import from_environment
from flathood.vms.site import Site, site

HEXA = Path(__file__).resolve().parents[2] / "inventories" / "hexa"


@pytest.fixture
def hexa() -> Site:
    return site(HEXA, from_environment({"FLATHOOD_DRIVER": "qemu", "FLATHOOD_MEMORY": "512"}))


@pytest.fixture
def roomy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> vms.Vms:
    """Virtual machines of hexa whose disks would be in a folder of the test."""
    monkeypatch.setattr(vms, "ROOMS", tmp_path / "rooms")
    monkeypatch.setattr(vms, "CACHE", tmp_path / "cache")
    return vms.Vms(HEXA)


def test_memory_is_computed_before_anything_starts(hexa: Site, roomy: vms.Vms, monkeypatch: pytest.MonkeyPatch) -> None:
    need = 7 * (512 + 1200)
    assert hexa.memory == need
    monkeypatch.setattr(vms.host, "memory_free", lambda: (need << 20) - 1)
    with pytest.raises(LabError) as caught:
        roomy.check_space(hexa)
    said = str(caught.value)
    assert f"7 virtual machines need {need} MiB of memory (1712 each, qemu), {need - 1} MiB are free" in said
    assert "FLATHOOD_NODES=a" in said
    assert "FLATHOOD_MEMORY (now 512)" in said
    monkeypatch.setattr(vms.host, "memory_free", lambda: need << 20)
    monkeypatch.setattr(vms.shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 40))
    roomy.check_space(hexa)


def test_a_disk_that_is_too_full_is_named(hexa: Site, roomy: vms.Vms, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vms.host, "memory_free", lambda: 1 << 40)
    monkeypatch.setattr(vms.shutil, "disk_usage", lambda _: SimpleNamespace(free=1 << 30))
    with pytest.raises(LabError, match=r"(rooms|cache): virtual machines need about 7680 MiB, 1024 MiB are free"):
        roomy.check_space(hexa)


def test_kvm_that_is_not_there_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vms, "virtualizes", lambda: False)
    with pytest.raises(LabError) as caught:
        vms.check_driver(from_environment({"FLATHOOD_DRIVER": "kvm"}))
    assert "/dev/kvm" in str(caught.value)
    assert "firmware" in str(caught.value)
    vms.check_driver(from_environment({"FLATHOOD_DRIVER": "qemu"}))


def test_a_libvirt_that_is_not_for_us_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = tmp_path / "libvirt-sock"
    monkeypatch.setattr(system, "_SOCKETS", (socket,))
    assert not system.answers()
    socket.touch()
    monkeypatch.setattr(system, "run", lambda _: "libvirt 9")
    assert system.answers()

    def refuse(_: Sequence[str]) -> str:
        raise LabError("virsh: error: Failed to connect socket: Permission denied")

    monkeypatch.setattr(system, "run", refuse)
    with pytest.raises(LabError, match="not for you: run this as root"):
        system.answers()

    def dead(_: Sequence[str]) -> str:
        raise LabError("virsh: error: Failed to connect socket: Connection refused")

    monkeypatch.setattr(system, "run", dead)
    assert not system.answers()


def test_all_names_and_addresses_that_another_lab_has_are_said_at_once(
    hexa: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = {
        "list": "b.hexa\nother.machine\n",
        "net-list": "default\nflathood-hexa-red\n",
        "link": json.dumps([{"ifname": "lo"}, {"ifname": "u0.near"}]),
        "route": json.dumps([{"dst": "default"}, {"dst": "10.78.0.0/16", "dev": "eth7"}]),
    }

    def run(argv: Sequence[str]) -> str:
        return next(text for word, text in there.items() if word in argv)

    monkeypatch.setattr(system, "run", run)
    with pytest.raises(Conflict) as caught:
        system.System("hexa").check(hexa)
    said = str(caught.value)
    for words in (
        "a domain b.hexa",
        "a network flathood-hexa-red",
        "a device u0.near",
        "a route to 10.78.0.0/16 (eth7)",
    ):
        assert words in said
    assert "other.machine" not in said
    there |= {"list": "", "net-list": "default\n", "link": "[]", "route": "[]"}
    system.System("hexa").check(hexa)


class Switchyard:
    """Stands in for libvirt and the kernel: notes every command, answers with what it was given."""

    def __init__(self, running: Sequence[str], links: Sequence[str]) -> None:
        self.running, self.links = list(running), links
        self.said: list[tuple[str, ...]] = []

    def __call__(self, argv: Sequence[str], text: str | None = None) -> str:
        self.said.append((*argv, *([text] if text else ())))
        if "list" in argv:
            return "\n".join(self.running)
        if "net-info" in argv:
            return f"Bridge: virbr-{argv[-1][-4:]}\n"
        if "-json" in argv:
            return json.dumps([{"ifname": name} for name in self.links])
        return ""


def test_only_machines_that_are_otherwise_are_switched(hexa: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    yard = Switchyard(["a.hexa"], ["a.0", "a.1", "b.0", "b.1"])
    monkeypatch.setattr("flathood.vms.fabric.run", yard)
    fabric = Fabric(hexa, 100_000_000, list)
    fabric.switch_machines(["a", "b"], on=True)
    verbs = [argv[-2:] for argv in yard.said if "virsh" in argv and argv[-2] in ("start", "destroy")]
    assert verbs == [("start", "b.hexa")]
    # Its tap devices are new, so every cable that is there gets its rate, and no other does.
    shaped = next(argv[-1] for argv in yard.said if argv[0] == "tc")
    assert "dev b.1 root tbf rate 100000000bit" in shaped
    assert "dev c.0" not in shaped
    with pytest.raises(LabError, match="z: no machine here"):
        fabric.switch_machines(["z"], on=False)
