# SPDX-License-Identifier: Apache-2.0
"""The hardware that a description asks for: machines with their NICs, switches, and the cables as planned. Pure."""

from __future__ import annotations

import hashlib
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from flathood.lab.errors import LabError
from flathood.lab.paths import FABRIC
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring


class Kind(StrEnum):
    """What a machine is in the cluster."""

    NODE = "node"
    SPARE = "spare"
    HEAD = "head"


class _Frozen(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Machine(_Frozen):
    """A computer: its MACs are its NICs', in slot order."""

    name: str
    kind: Kind
    macs: tuple[str, ...]


class Hardware(_Frozen):
    """All that is in the racks. `cables` maps a NIC (``k17:2``) to what its cable's other end is plugged into.

    The other end is a switch (``red``) or another NIC (``k18:0``; such a cable is listed once). A NIC that is not
    listed has no cable. Every switch but the uplink has one more cable, to the uplink.
    """

    lab: str
    machines: tuple[Machine, ...]
    switches: tuple[str, ...]
    uplink: str
    colours: dict[str, str]
    head_address: str
    rate: int
    cables: dict[str, str]

    @property
    def by_name(self) -> dict[str, Machine]:
        """Machines by name, in number order: nodes, spares, head."""
        return {machine.name: machine for machine in self.machines}

    @property
    def head(self) -> str:
        """The name of the head."""
        return next(machine.name for machine in self.machines if machine.kind is Kind.HEAD)

    @property
    def all_switches(self) -> tuple[str, ...]:
        """The neighborhoods' switches in number order, then the uplink switch."""
        return (*self.switches, self.uplink)


def nic(machine: str, slot: int) -> str:
    """How a NIC is written: ``k17:2``."""
    return f"{machine}:{slot}"


def split_nic(text: str) -> tuple[str, int]:
    """The machine and the slot of a NIC written as ``k17:2``; LabError if it is not one."""
    machine, colon, slot = text.partition(":")
    if not (colon and slot.isdecimal()):
        raise LabError(f"{text!r} is no NIC: write NODE:SLOT, such as k17:2")
    return machine, int(slot)


def lab_mac(lab: str, machine: str, slot: int) -> str:
    """The MAC burnt into a lab NIC: locally administered, unicast, always the same for the same NIC."""
    digest = hashlib.sha256(f"{lab}/{machine}/{slot}".encode()).digest()
    return ":".join(f"{byte:02x}" for byte in (0x02, *digest[:5]))


def build(cluster: Cluster, wiring: Wiring | None, rate: int | None = None) -> Hardware:
    """The hardware of a cluster, cabled as `wiring` plans; `rate` in bit/s replaces `links.rate`.

    Without a wiring the nodes have no cables yet.
    """
    counts = cluster.nic_counts
    roles = (
        *((name, Kind.NODE, counts[name]) for name in cluster.node_names),
        *((name, Kind.SPARE, counts[name]) for name in cluster.spare_names),
        (cluster.head.name, Kind.HEAD, 1),
    )
    if FABRIC in (name for name, _, _ in roles):
        raise LabError(f"a machine cannot be called {FABRIC!r} in the lab: it is the name of the switches' namespace")
    machines = tuple(
        Machine(name=name, kind=kind, macs=tuple(lab_mac(cluster.cluster, name, slot) for slot in range(count)))
        for name, kind, count in roles
    )
    cables = {
        nic(name, slot): switch
        for name in cluster.node_names
        for slot, switch in enumerate(wiring.nodes[name] if wiring is not None else ())
        if switch is not None
    }
    cables |= {nic(machine.name, 0): cluster.uplink.name for machine in machines if machine.kind is not Kind.NODE}
    outside = cluster.addresses.outside
    return Hardware(
        lab=cluster.cluster,
        machines=machines,
        switches=cluster.switch_names,
        uplink=cluster.uplink.name,
        colours={switch.name: switch.colour for switch in cluster.switches}
        | {cluster.uplink.name: cluster.uplink.colour},
        head_address=f"{outside.broadcast_address - 1}/{outside.prefixlen}",
        rate=rate or cluster.links.rate,
        cables=cables,
    )
