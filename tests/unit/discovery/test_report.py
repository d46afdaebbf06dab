# SPDX-License-Identifier: Apache-2.0
"""What a machine says of its NICs, in its kernel's order."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.cabling import nics

from flathood.discovery.report import read_report

BUS = "/sys/devices/pci0000:00"


def test_the_bus_decides_then_the_port_then_the_number() -> None:
    said = f"""
    Welcome to n07!
    nic 7 0 enp16s0 02:00:00:00:00:10 {BUS}/0000:00:1c.0/0000:10:00.0
    nic 2 1 enp2s0f0np1 02:00:00:00:00:02 {BUS}/0000:00:1c.0/0000:02:00.0
    nic 3 0 enp2s0f0np0 02:00:00:00:00:01 {BUS}/0000:00:1c.0/0000:02:00.0
    nic 9 0 eno1 02:00:00:00:00:00 {BUS}/0000:00:19.0
    """
    assert [mac[-2:] for mac in read_report(said)] == ["00", "01", "02", "10"]


def test_without_a_bus_the_kernels_numbers_decide() -> None:
    said = "nic 10 0 eth1 02:00:00:00:00:02\nnic 9 0 eth0 02:00:00:00:00:01 \n"
    assert read_report(said) == ("02:00:00:00:00:01", "02:00:00:00:00:02")


def test_nonsense_is_left() -> None:
    said = "nic x 0 eth0 02:00:00:00:00:01\nnic 1 0 eth0 ff:ff:ff:ff:ff:ff\nnic 2 0 {{x}} 02:00:00:00:00:01; rm\n"
    assert read_report(said + "nic 3 0 eth0 02:00:00:00:00:09\n" * 1) == ("02:00:00:00:00:09",)


def test_the_recorder_on_the_machine_counts_its_nics_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has Python and sorts there, discovery only sh, and sorts here: a slot must be the same to both."""
    places = {
        "eth0": ("pci0000:00/0000:00:1c.0/0000:10:00.0", 0),
        "eth1": ("pci0000:00/0000:00:1c.0/0000:0a:00.1", 0),
        "eth2": ("pci0000:00/0000:00:1c.0/0000:0a:00.0", 1),
        "eth3": ("pci0000:00/0000:00:1c.0/0000:0a:00.0", 0),
        "eth4": ("pci0000:00/0000:00:19.0", 0),
        "eth5": ("pci0000:00/0000:00:19.0/usb1/1-2", 0),
        "eth6": ("pci0001:00/0001:00:02.0/virtio3", 0),
    }
    said, links = [], []
    for number, (name, (place, port)) in enumerate(places.items()):
        device, mac = tmp_path / "sys/devices" / place, f"02:00:00:00:00:{number:02x}"
        device.mkdir(parents=True, exist_ok=True)
        (tmp_path / "net" / name).mkdir(parents=True)
        (tmp_path / "net" / name / "device").symlink_to(device)
        (tmp_path / "net" / name / "dev_port").write_text(f"{port}\n")
        said.append(f"nic {20 - number} {port} {name} {mac} /sys/devices/{place}")
        links.append({"ifname": name, "link_type": "ether", "address": mac, "ifindex": 20 - number, "flags": []})
    shown = subprocess.CompletedProcess([], 0, json.dumps(links))
    monkeypatch.setattr(nics, "_SYS", tmp_path / "net")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: shown)
    assert read_report("\n".join(said)) == tuple(nic["mac"] for nic in nics.nics())
