# SPDX-License-Identifier: Apache-2.0
"""Which NIC is on which cable: the wiring and the registry put together, in numbers."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt

from flathood.fabrics import fabric_of
from flathood.plan.addresses import host, neighborhood_subnets
from flathood.plan.proof.findings import Place
from flathood.registry.model import Registry
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

Ints = npt.NDArray[np.int64]

#: Segment of a NIC on the uplink switch, and of one that is not plugged in.
UPLINK, UNPLUGGED = -2, -1


class Cabling:
    """Machines are numbered nodes first, then spares, then the head; `nodes` says how many nodes there are.

    ``segment``: int64[machines, slots], the segment of each NIC, UPLINK or UNPLUGGED.
    ``idle``: bool[machines, slots], the NICs whose cables carry nothing for now.
    ``mac``: int64[machines, slots], 48 bits, -1 where no MAC address is known.
    ``coming``: addresses that nodes are about to have, as their cables are being moved.
    """

    def __init__(self, cluster: Cluster, wiring: Wiring, registry: Registry) -> None:
        self.cluster = cluster
        fabric = fabric_of(cluster, wiring)
        self.segments = fabric.segments
        self.names = (*cluster.node_names, *cluster.spare_names, cluster.head.name)
        self.numbers = {name: number for number, name in enumerate(self.names)}
        self.nodes = len(cluster.node_names)
        nics = [registry.nodes.get(name, ()) for name in self.names]
        slots = max(fabric.attach.shape[1], *map(len, nics))
        self.segment: Ints = np.full((len(self.names), slots), UNPLUGGED, dtype=np.int64)
        self.segment[: self.nodes, : fabric.attach.shape[1]] = fabric.attach
        self.segment[self.nodes :, 0] = UPLINK
        self.idle = np.zeros(self.segment.shape, dtype=np.bool_)
        subnets, coming = neighborhood_subnets(cluster), list[int]()
        for cable in wiring.idle:
            row = self.numbers[cable.node]
            self.idle[row, cable.slot] = True
            if cable.to is not None:
                coming.append(int(host(subnets[self.segments.index(cable.to)], row)))
        self.coming: Ints = np.array(coming, dtype=np.int64)
        self.mac: Ints = np.full(self.segment.shape, -1, dtype=np.int64)
        for row, known in enumerate(nics):
            for slot, nic in enumerate(known):
                if nic is not None:
                    self.mac[row, slot] = int(nic.mac.replace(":", ""), 16)
        flat = self.mac.ravel()
        self._order = np.argsort(flat, kind="stable")
        self._sorted = flat[self._order]

    def owner(self, macs: Ints) -> tuple[Ints, Ints]:
        """Machine and slot that each MAC address is of; -1, -1 for one that nobody has."""
        place = np.searchsorted(self._sorted, macs).clip(max=len(self._sorted) - 1)
        found = (self._sorted[place] == macs) & (macs >= 0)
        machine, slot = np.divmod(self._order[place], self.segment.shape[1])
        return np.where(found, machine, -1), np.where(found, slot, -1)

    def used(self, machine: int) -> list[int]:
        """The slots of a machine that are plugged in."""
        slots: list[int] = np.flatnonzero(self.segment[machine] != UNPLUGGED).tolist()
        return slots

    def shares(self, machine: int) -> npt.NDArray[np.bool_]:
        """On which segments a machine is with a cable that carries something, bool[segments]."""
        on = np.zeros(len(self.segments), dtype=np.bool_)
        mine = self.segment[machine][~self.idle[machine]]
        on[mine[mine >= 0]] = True
        return on

    @cached_property
    def on(self) -> npt.NDArray[np.bool_]:
        """`shares` of every machine, bool[machines, segments]."""
        return np.array([self.shares(machine) for machine in range(len(self.names))])

    def apart(self, machine: int) -> npt.NDArray[np.bool_]:
        """With which machines a node shares no segment, bool[machines]: it talks to these nodes through the uplink."""
        alone: npt.NDArray[np.bool_] = ~(self.on & self.on[machine]).any(axis=1)
        return alone

    def alias(self, machine: int, slot: int) -> str:
        """What a NIC is plugged into: the segment's name, the uplink's, or `unused`."""
        segment = int(self.segment[machine, slot])
        if segment == UPLINK:
            return self.cluster.uplink.name
        return "unused" if segment == UNPLUGGED else self.segments[segment]

    def cable(self, machine: int, slot: int) -> str:
        """A cable for people: where it goes, and its colour."""
        segment = int(self.segment[machine, slot])
        if segment == UNPLUGGED:
            return "not plugged in"
        colour = self.cluster.uplink.colour if segment == UPLINK else self.cluster.switches[segment].colour
        return f"{self.alias(machine, slot)} {colour}"

    def place(self, machine: int, slot: int, file: str) -> Place:
        """A file that is about one NIC; slot -1: about `node0`."""
        if slot < 0:
            return Place(file, "node0")
        cable = self.cable(machine, slot) if slot < self.segment.shape[1] else ""
        return Place(file, f"fnn{slot}", cable)
