# SPDX-License-Identifier: Apache-2.0
"""What a machine says of its NICs, in its kernel's order."""

from __future__ import annotations

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
