# SPDX-License-Identifier: Apache-2.0
"""Switches and cables of virtual machines: the host's bridges that libvirt made, joined and timed as the wire is.

A switch is the bridge of a libvirt network, a cable a tap device on it. Every neighborhood's bridge has one more cable,
a veth pair to the uplink's. Everything here can be said again: what is in place stays as it is.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from flathood.lab.errors import LabError
from flathood.lab.evidence import Wires
from flathood.lab.fabric import PORT_MTU, shaper
from flathood.lab.run import run
from flathood.vms.site import Machine, Site

#: Dumb switches: no spanning tree, no snooping; LLDP passes (bit 14 is 01-80-C2-00-00-0E).
_DUMB = "type bridge stp_state 0 mcast_snooping 0 group_fwd_mask 0x4000"
VIRSH = ("virsh", "--quiet", "--connect", "qemu:///system")


@dataclass(frozen=True)
class Fabric:
    """The wires of a site; `enter` makes of a command one that runs where they are; `rate` in bit/s."""

    site: Site
    rate: int
    enter: Callable[[Sequence[str]], list[str]]

    def join(self) -> None:
        """Make the bridges dumb, join them to the uplink's, and give every cable its rate."""
        bridges = self.bridges()
        there = {link["ifname"] for link in self._links()}
        uplink = self.site.uplink
        ip = [f"link set dev {bridge} {_DUMB}" for bridge in bridges.values()]
        devices = [port.tap for machine in self.site.machines for port in machine.ports if port.tap in there]
        for number, switch in enumerate(self.site.switches):
            if switch not in bridges:  # none of the chosen machines is on it
                continue
            near, far = uplink_ends(number)
            if near not in there:
                ip.append(f"link add name {near} mtu {PORT_MTU} type veth peer name {far} mtu {PORT_MTU}")
            for end, side in ((near, switch), (far, uplink)):
                ip.append(f"link set dev {end} master {bridges[side]} up")
                devices.append(end)
        tc = [f"qdisc replace dev {device} root {shaper(self.rate)}" for device in devices]
        self._run(("ip", "-batch", "-"), "\n".join(ip) + "\n")
        self._run(("tc", "-batch", "-"), "\n".join(tc) + "\n")

    def bridges(self) -> dict[str, str]:
        """The bridge of each switch, and of `nowhere` where there is such a network."""
        found = {}
        for switch, network in self.site.networks.items():
            if any(port.network == switch for machine in self.site.machines for port in machine.ports):
                facts = self._run((*VIRSH, "net-info", network.name)).splitlines()
                found[switch] = next(line.split()[1] for line in facts if line.startswith("Bridge:"))
        return found

    def cables(self) -> dict[str, str]:
        """Where each cable is in the kernel now: tap device → switch."""
        switches = {bridge: switch for switch, bridge in self.bridges().items()}
        return {link["ifname"]: switches.get(link.get("master", ""), "") for link in self._links()}

    def evidence(self) -> dict[str, Any]:
        """What the switches say, as that of the embedded lab, see `flathood.lab.evidence.gather`."""
        bridges = {bridge: switch for switch, bridge in self.bridges().items()}
        cables = {
            port.tap: f"{machine.name}:{slot}"
            for machine in self.site.machines
            for slot, port in enumerate(machine.ports)
        }
        for number, switch in enumerate(self.site.switches):
            cables |= dict.fromkeys(uplink_ends(number), f"uplink:{switch}")
        return Wires(self.enter, bridges, cables, bridges.values()).evidence()

    def recable(self, machine: str, slot: int, switch: str) -> None:
        """Plug a machine's cable into another switch: it loses its carrier meanwhile, as a cable does."""
        bridges = self.bridges()
        if switch not in bridges:
            raise LabError(f"{switch}: no switch here; there are {', '.join(bridges)}")
        whose, tap = self._tap(machine, slot)
        self._carrier(whose, tap, "down")
        self._run(("ip", "link", "set", "dev", tap, "master", bridges[switch]))
        self._carrier(whose, tap, "up")

    def power(self, switch: str, *, on: bool) -> None:
        """Switch a switch on or off: the NICs on it have a carrier or none, and nothing crosses it."""
        cables = self.cables()
        state = "up" if on else "down"
        for machine in self.site.machines:
            for port in machine.ports:
                if cables.get(port.tap) == switch:
                    self._carrier(machine, port.tap, state)
        for number, name in enumerate(self.site.switches):
            if switch in (name, self.site.uplink):
                self._run(("ip", "link", "set", "dev", uplink_ends(number)[0], state))

    def unplug_vagrant(self) -> None:
        """Take out the NICs by which Vagrant reached the machines: to an audit they would be strangers."""
        for machine in self.site.machines:
            for line in self._run((*VIRSH, "domiflist", machine.domain)).splitlines():
                _, kind, source, _, mac = line.split()
                if source == self.site.management:
                    self._run((*VIRSH, "detach-interface", machine.domain, kind, "--mac", mac, "--live", "--config"))

    def switch_machines(self, names: Sequence[str], *, on: bool) -> None:
        """Pull the plug of machines, or push their power buttons; one that is so already stays so."""
        wanted = [self._machine(name) for name in names]
        running = self._run((*VIRSH, "list", "--name")).split()
        for machine in wanted:
            if on != (machine.domain in running):
                self._run((*VIRSH, "start" if on else "destroy", machine.domain))
        if on:  # its tap devices are new
            self.join()

    def _carrier(self, machine: Machine, tap: str, state: str) -> None:
        self._run((*VIRSH, "domif-setlink", machine.domain, tap, state))

    def _machine(self, name: str) -> Machine:
        for each in self.site.machines:
            if each.name == name:
                return each
        raise LabError(f"{name}: no machine here; there are {', '.join(each.name for each in self.site.machines)}")

    def _tap(self, machine: str, slot: int) -> tuple[Machine, str]:
        found = self._machine(machine)
        if slot >= len(found.ports):
            raise LabError(f"{machine}:{slot}: no NIC here")
        return found, found.ports[slot].tap

    def _links(self) -> list[dict[str, str]]:
        links: list[dict[str, str]] = json.loads(self._run(("ip", "-json", "link")))
        return links

    def _run(self, argv: Sequence[str], text: str | None = None) -> str:
        return run(self.enter(argv), text)


def uplink_ends(number: int) -> tuple[str, str]:
    """The devices of a switch's cable to the uplink: at the switch with this number, and at the uplink."""
    return f"u{number}.near", f"u{number}.far"
