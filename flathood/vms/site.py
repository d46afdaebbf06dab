# SPDX-License-Identifier: Apache-2.0
"""Which machines and networks the Vagrantfile makes of a cluster's folder; it reads them as JSON and decides nothing.

One isolated libvirt network per switch; a machine per node, spare and head with its NICs in slot order behind Vagrant's
own management NIC, MACs as macs.yml has them. The controller is on the uplink's network, only nodes on the others.
"""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from flathood.errors import FlathoodError
from flathood.inventory import Inventory, load
from flathood.lab.hardware import Hardware, Kind, build, nic
from flathood.plan import addresses
from flathood.registry import macs_of
from flathood.vms.settings import Settings

#: The network of NICs that have no cable.
NOWHERE = "nowhere"
#: An address range for it: nothing is ever sent there (RFC 5737).
_NOWHERE_RANGE = IPv4Network("192.0.2.0/24")
#: Length of a device's name in the kernel, see netdevice(7).
_NAME = 15
_UPLINK = """\
cat > /etc/systemd/network/80-uplink.network <<'END'
[Match]
MACAddress={mac}

[Network]
Address={address}
LinkLocalAddressing=no
IPv6AcceptRA=no
END
networkctl reload
"""


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Network(_Frozen):
    """A libvirt network; `controller`: the address that the machine which runs libvirt has on it, else none."""

    name: str
    address: str
    netmask: str
    controller: str | None = None


class Port(_Frozen):
    """A machine's NIC: the tap device's name on the host, its MAC, and the network that its cable leads to."""

    tap: str
    mac: str
    network: str


class Machine(_Frozen):
    """One virtual machine; `setup` is a shell script that its operator would have run before the first contact.

    `domain` is its name for Vagrant and libvirt. The dot matters: Vagrant takes a name such as ``b`` for the beginning
    of another machine's hexadecimal number.
    """

    name: str
    domain: str
    kind: Kind
    boot: Literal["disk", "network"]
    ports: tuple[Port, ...]
    setup: str = ""


class Site(_Frozen):
    """All that the Vagrantfile makes."""

    cluster: str
    management: str
    settings: Settings
    switches: tuple[str, ...]
    uplink: str
    networks: dict[str, Network]
    machines: tuple[Machine, ...]

    @property
    def memory(self) -> int:
        """MiB that all machines may come to use, with what an emulator needs beside."""
        return len(self.machines) * (self.settings.memory + self.settings.beside)


def site(directory: Path, settings: Settings) -> Site:
    """The machines and networks of the cluster in a folder.

    Raises InvalidInput for faults in its files; FlathoodError for a node that it has not, or a name that is too long.
    """
    inventory = load(directory, need_macs=False)
    hardware = build(inventory.cluster, inventory.wiring)
    prefix = f"flathood-{hardware.lab}-"
    networks = _networks(inventory, hardware, prefix)
    chosen = set(settings.nodes or hardware.by_name) | {hardware.head}
    if unknown := sorted(chosen - hardware.by_name.keys()):
        raise FlathoodError(f"FLATHOOD_NODES: {', '.join(unknown)}: not in cluster {hardware.lab}")
    if strange := sorted(set(settings.pxe) - hardware.by_name.keys() | set(settings.pxe) & {hardware.head}):
        raise FlathoodError(f"FLATHOOD_PXE: {', '.join(strange)}: name nodes of cluster {hardware.lab}")
    machines = []
    for machine in hardware.machines:
        if machine.name not in chosen:
            continue
        known = dict(enumerate(macs_of(inventory.registry, machine.name)))
        ports = tuple(
            Port(
                tap=f"{machine.name}.{slot}",
                mac=known.get(slot) or mac,
                network=hardware.cables.get(nic(machine.name, slot), NOWHERE),
            )
            for slot, mac in enumerate(machine.macs)
        )
        if long := next((port.tap for port in ports if len(port.tap) > _NAME), None):
            raise FlathoodError(f"{machine.name}: {long} is no name for a device, {_NAME} characters at most")
        head = machine.kind is Kind.HEAD
        setup = _UPLINK.format(mac=ports[0].mac, address=hardware.head_address) if head else ""
        boot: Literal["disk", "network"] = "network" if machine.name in settings.pxe else "disk"
        domain = f"{machine.name}.{hardware.lab}"
        machines.append(
            Machine(name=machine.name, domain=domain, kind=machine.kind, boot=boot, ports=ports, setup=setup)
        )
    return Site(
        cluster=hardware.lab,
        management=f"{prefix}vagrant",
        settings=settings,
        switches=hardware.switches,
        uplink=hardware.uplink,
        networks=networks,
        machines=tuple(machines),
    )


def _networks(inventory: Inventory, hardware: Hardware, prefix: str) -> dict[str, Network]:
    cluster = inventory.cluster
    ranges = dict(zip(hardware.switches, addresses.neighborhood_subnets(cluster), strict=True))
    found = {
        switch: Network(name=f"{prefix}{switch}", address=str(subnet.network_address), netmask=str(subnet.netmask))
        for switch, subnet in (ranges | {NOWHERE: _NOWHERE_RANGE}).items()
    }
    outside = cluster.addresses.outside
    visitor = addresses.head(cluster) - 1
    found[hardware.uplink] = Network(
        name=f"{prefix}{hardware.uplink}",
        address=str(outside.network_address),
        netmask=str(outside.netmask),
        controller=str(visitor),
    )
    return found
