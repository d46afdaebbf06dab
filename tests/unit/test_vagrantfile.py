# SPDX-License-Identifier: Apache-2.0
"""The Vagrantfile as Vagrant itself reads it, held against the plan: machines, NICs in slot order, MACs, networks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flathood.vms.settings import from_environment
from flathood.vms.site import site

CHECKOUT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(shutil.which("vagrant") is None, reason="needs Vagrant: bin/setup test")


def read(home: Path, name: str, **variables: str) -> list[dict[str, Any]]:
    """What Vagrant makes of the Vagrantfile; it keeps its notes in `home`."""
    own = {"VAGRANT_HOME": str(home / "home"), "VAGRANT_DOTFILE_PATH": str(home / "notes"), "FLATHOOD_INVENTORY": name}
    done = subprocess.run(
        ["ruby", str(CHECKOUT / "tests/vagrant/machines.rb"), str(CHECKOUT)],
        env=os.environ | own | variables,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    machines: list[dict[str, Any]] = json.loads(done.stdout)
    return machines


def test_vagrant_reads_the_plan_s_machines_nics_macs_and_networks(tmp_path: Path) -> None:
    variables = {"FLATHOOD_DRIVER": "qemu", "FLATHOOD_MEMORY": "640", "FLATHOOD_PXE": "f"}
    planned = site(CHECKOUT / "inventories/hexa", from_environment(variables))
    machines = read(tmp_path, "hexa", **variables)
    assert [machine["name"] for machine in machines] == [machine.domain for machine in planned.machines]
    for machine, plan in zip(machines, planned.machines, strict=True):
        assert (machine["driver"], machine["memory"]) == ("qemu", 640)
        networks = [planned.networks[port.network] for port in plan.ports]
        assert [nic["mac"] for nic in machine["networks"]] == [port.mac for port in plan.ports]
        assert [nic["libvirt__iface_name"] for nic in machine["networks"]] == [port.tap for port in plan.ports]
        assert [nic["libvirt__network_name"] for nic in machine["networks"]] == [network.name for network in networks]
        assert [nic.get("libvirt__host_ip") for nic in machine["networks"]] == [each.controller for each in networks]
        assert {nic["libvirt__dhcp_enabled"] for nic in machine["networks"]} == {False}
        for nic, network in zip(machine["networks"], networks, strict=True):
            assert nic["libvirt__forward_mode"] == ("none" if network.controller else "veryisolated")
        assert machine["setup"] == ([plan.setup] if plan.setup else [])
        if plan.name == "f":
            assert machine["box"] is None
            assert machine["boot"] == ["hd", "network"]
        else:
            assert machine["box"] == "debian/bookworm64"


def test_a_fault_in_the_files_is_all_that_vagrant_says(tmp_path: Path) -> None:
    (tmp_path / "cluster.yml").write_text("cluster: broken\nnodes: {count: 2}\n")
    with pytest.raises(AssertionError) as caught:
        read(tmp_path, str(tmp_path))
    assert "cluster.yml" in str(caught.value)
    assert "switches" in str(caught.value)
    assert "Traceback" not in str(caught.value)
