# SPDX-License-Identifier: Apache-2.0
"""What the Vagrantfile is told: the plan's machines, NICs, MACs and networks, and what is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from flathood.errors import FlathoodError
from flathood.inventory import load
from flathood.registry import macs_of
from flathood.vms.settings import from_environment
from flathood.vms.site import NOWHERE, Site, site

INVENTORIES = Path(__file__).resolve().parents[2] / "inventories"
QEMU = {"FLATHOOD_DRIVER": "qemu"}


def planned(name: str, **variables: str) -> Site:
    return site(INVENTORIES / name, from_environment(QEMU | variables))


@pytest.mark.parametrize("name", ["hexa", "octet", "klat2"])
def test_every_nic_is_on_the_network_of_its_switch_with_its_own_mac(name: str) -> None:
    inventory = load(INVENTORIES / name, need_macs=True)
    found = planned(name)
    assert len({network.name for network in found.networks.values()}) == len(found.networks)
    assert [machine.name for machine in found.machines] == [
        *inventory.cluster.node_names,
        *inventory.cluster.spare_names,
        inventory.cluster.head.name,
    ]
    for machine in found.machines:
        assert tuple(port.mac for port in machine.ports) == macs_of(inventory.registry, machine.name)
        if machine.name in inventory.cluster.node_names:
            wired = inventory.wiring.nodes[machine.name]
            assert tuple(port.network for port in machine.ports) == tuple(switch or NOWHERE for switch in wired)
        else:
            assert machine.ports[0].network == inventory.cluster.uplink.name
            assert {port.network for port in machine.ports[1:]} <= {NOWHERE}


def test_only_the_uplink_has_the_controller_on_it_at_an_address_that_nobody_has() -> None:
    found = planned("klat2")
    assert [name for name, network in found.networks.items() if network.controller] == [found.uplink]
    controller = found.networks[found.uplink].controller
    assert controller is not None
    assert controller == "10.78.0.253"
    assert "10.78.0.254/24" in found.machines[-1].setup


def test_a_domain_s_name_cannot_be_taken_for_the_beginning_of_a_number() -> None:
    assert all(set(machine.domain) - set("0123456789abcdef-") for machine in planned("hexa").machines)


def test_a_part_of_the_nodes_comes_with_the_head() -> None:
    assert [machine.name for machine in planned("hexa", FLATHOOD_NODES="b, d").machines] == ["b", "d", "head"]


def test_all_that_is_wrong_in_the_environment_is_said_at_once() -> None:
    with pytest.raises(FlathoodError) as caught:
        from_environment({"FLATHOOD_DRIVER": "xen", "FLATHOOD_MEMORY": "much"})
    assert str(caught.value).splitlines() == [
        "FLATHOOD_DRIVER=xen: use kvm or qemu",
        "FLATHOOD_MEMORY=much: use a number of MiB, 256 at least",
    ]


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("FLATHOOD_NODES", "a,z", "FLATHOOD_NODES: z: not in"),
        ("FLATHOOD_PXE", "head", "FLATHOOD_PXE: head: name nodes"),
    ],
)
def test_machines_that_are_not_there_are_named(variable: str, value: str, words: str) -> None:
    with pytest.raises(FlathoodError, match=words):
        planned("hexa", **{variable: value})


def test_a_node_s_name_that_makes_too_long_a_device_is_named(tmp_path: Path) -> None:
    for file in ("cluster.yml", "wiring.yml"):
        shutil.copy(INVENTORIES / "hexa" / file, tmp_path)
        text = (tmp_path / file).read_text()
        (tmp_path / file).write_text(
            text.replace("[a, b", "[a-very-long-name, b").replace("\n  a:", "\n  a-very-long-name:")
        )
    with pytest.raises(FlathoodError, match=r"a-very-long-name\.0 is no name for a device"):
        site(tmp_path, from_environment(QEMU))
