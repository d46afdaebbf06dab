# SPDX-License-Identifier: Apache-2.0
"""The plan: everything that every machine's view is rendered from. A pure function of the three files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Address, IPv4Network

import numpy as np
import numpy.typing as npt

from flathood.plan import addresses
from flathood.registry.model import Registry
from flathood.spec.model import Cluster, Routing
from flathood.wiring.model import Wiring

NODE_DEVICE = "node0"


@dataclass(frozen=True, eq=False)
class Plan:
    """Numbers of nodes are in cluster.yml order, spares after them; numbers of neighborhoods in switch order.

    ``attach``: neighborhood of each slot, int16[nodes, slots], -1: not used.
    ``usable``: the same, with -1 for NICs whose cables carry nothing for now (`Wiring.idle`).
    ``slot_on``: slot by which a node is on a neighborhood, int8[nodes, neighborhoods], -1: it is not.
    ``chosen``: basic routing's neighborhood for each pair, int16[nodes, nodes], symmetric; -1 on the diagonal, and for
    pairs that share none and talk by their outside NICs through the uplink.
    ``weights``: what the pairs weigh in that choice, float64[nodes, nodes].
    ``subnets``: the subnet of each neighborhood.
    """

    cluster: Cluster
    wiring: Wiring
    registry: Registry
    attach: npt.NDArray[np.int16]
    usable: npt.NDArray[np.int16]
    slot_on: npt.NDArray[np.int8]
    chosen: npt.NDArray[np.int16]
    weights: npt.NDArray[np.float64]
    subnets: tuple[IPv4Network, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Nodes, then spares, in number order."""
        return self.cluster.node_names + self.cluster.spare_names

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of each node and spare by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @property
    def node_count(self) -> int:
        """How many nodes there are, spares not counted: numbers from here on are spares'."""
        return len(self.attach)

    @property
    def routing(self) -> Routing:
        """How pairs use the neighborhoods that they share."""
        return self.cluster.routing

    @property
    def head(self) -> str:
        """Name of the head."""
        return self.cluster.head.name

    @cached_property
    def switches(self) -> tuple[str, ...]:
        """Names of the neighborhoods, in number order."""
        return self.cluster.switch_names

    @cached_property
    def head_ip(self) -> IPv4Address:
        """The head's one address, on the outside subnet."""
        return addresses.head(self.cluster)

    def neighborhood_ip(self, node: int, switch: int) -> IPv4Address:
        """A node's address on a neighborhood, whether it is on it or not."""
        return addresses.host(self.subnets[switch], node)

    def node_ip(self, node: int) -> IPv4Address:
        """The address of a node that is the same from everywhere, on no NIC."""
        return addresses.host(self.cluster.addresses.nodes, node)

    def outside_ip(self, number: int) -> IPv4Address:
        """The address of a node or spare on the outside subnet."""
        return addresses.host(self.cluster.addresses.outside, number)

    def outside_slot(self, number: int) -> int:
        """The slot that has the outside address: the first one that carries something; 0 for a spare."""
        return self._outside_slots[number] if number < self.node_count else 0

    @cached_property
    def _outside_slots(self) -> list[int]:
        usable = self.usable >= 0
        slots = np.where(usable.any(axis=1, keepdims=True), usable, self.attach >= 0)
        first: list[int] = np.argmax(slots, axis=1).tolist()
        return first

    def used_slots(self, number: int) -> tuple[int, ...]:
        """The slots of a node or spare that are plugged in."""
        return tuple(np.flatnonzero(self.attach[number] >= 0).tolist()) if number < self.node_count else (0,)

    def macs(self, name: str) -> tuple[str | None, ...]:
        """MAC address of each slot of a machine; None: not known (never so for a slot that is used)."""
        return tuple(nic.mac if nic is not None else None for nic in self.registry.nodes.get(name, ()))

    def mac(self, name: str, slot: int) -> str:
        """MAC address of one slot; LookupError when it is not known."""
        nics = self.registry.nodes[name]
        if slot >= len(nics) or (nic := nics[slot]) is None:
            raise LookupError(f"{name}: the MAC address of slot {slot} is not known")
        return nic.mac

    def shared(self, i: int, j: int) -> tuple[int, ...]:
        """The neighborhoods that two nodes share, in number order."""
        return tuple(np.flatnonzero((self.slot_on[i] >= 0) & (self.slot_on[j] >= 0)).tolist())

    def reached_over(self, node: int, peer: int) -> dict[int, int]:
        """Of each neighborhood that a peer has an address on and a node is not on: the one that it is reached over.

        That is the one chosen for the pair; in advanced mode all that they share in turn. So a program that has a
        connection to each of the peer's addresses, as Open MPI does, has about as many on each switch.
        """
        shared, chosen = self.shared(node, peer), int(self.chosen[node, peer])
        apart = [switch for switch in self.addressed(peer) if switch not in shared]
        several = [chosen, *(switch for switch in shared if switch != chosen)]
        ways = several if self.routing == "advanced" else [chosen]
        return {switch: ways[place % len(ways)] for place, switch in enumerate(apart)}

    @cached_property
    def _coming(self) -> dict[str, tuple[int, ...]]:
        number = {name: switch for switch, name in enumerate(self.switches)}
        found: dict[str, tuple[int, ...]] = {}
        for cable in self.wiring.idle:
            if cable.to is not None:
                found[cable.node] = (*found.get(cable.node, ()), number[cable.to])
        return found

    def addressed(self, node: int) -> tuple[int, ...]:
        """The neighborhoods on which a node has an address, or is about to have one as its cables are moved."""
        attach = self.attach[node]
        return tuple(sorted({*attach[attach >= 0].tolist(), *self._coming.get(self.names[node], ())}))

    def waits(self, number: int, slot: int) -> bool:
        """Whether a NIC has no cable now and is about to get one."""
        name = self.names[number]
        return any((one.node, one.slot) == (name, slot) for one in self.wiring.idle)

    def by_uplink(self, node: int) -> tuple[int, ...]:
        """The nodes that a node shares no neighborhood with, in number order."""
        return tuple(peer for peer in np.flatnonzero(self.chosen[node] < 0).tolist() if peer != node)
