# SPDX-License-Identifier: Apache-2.0
"""What there is to discover: machines in the order of the racks, their cabled slots, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from flathood.errors import FlathoodError
from flathood.registry.model import Registry, State
from flathood.registry.progress import Progress, progress_of
from flathood.spec.model import Cluster
from flathood.spec.racks import standing
from flathood.wiring.model import Wiring


class UnknownMachine(FlathoodError):
    """Names were given that are no nodes or spares of this cluster."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a MAC is by macs.yml, and how sure that is."""

    node: str
    slot: int
    state: State


@dataclass(frozen=True)
class Work:
    """``counts``: NICs of each machine; ``cabled``: slot → switch of the slots that have a cable, so that can ask."""

    order: tuple[str, ...]
    counts: Mapping[str, int]
    cabled: Mapping[str, Mapping[int, str]]
    places: dict[str, Place] = field(default_factory=dict)

    @classmethod
    def of(cls, cluster: Cluster, wiring: Wiring | None, registry: Registry) -> Work:
        """All nodes, then all spares; without a wiring every slot of a node counts as cabled."""
        cabled: dict[str, dict[int, str]] = {}
        for name in cluster.node_names:
            slots = wiring.nodes[name] if wiring is not None else ("",) * cluster.nic_counts[name]
            cabled[name] = {slot: switch for slot, switch in enumerate(slots) if switch is not None}
        cabled |= {name: {0: cluster.uplink.name} for name in cluster.spare_names}
        places = {
            nic.mac: Place(node, slot, nic.state)
            for node, nics in registry.nodes.items()
            for slot, nic in enumerate(nics)
            if nic is not None
        }
        return cls(_rack_order(cluster), dict(cluster.nic_counts), cabled, places)

    def to_do(self, registry: Registry, only: Iterable[str] = ()) -> tuple[str, ...]:
        """The machines to power, in order: those named, or all that are not completely seen; raises UnknownMachine."""
        named = tuple(dict.fromkeys(only))
        unknown = [name for name in named if name not in self.cabled]
        if unknown:
            raise UnknownMachine(f"{', '.join(unknown)}: no such node or spare in cluster.yml")
        done = (Progress.COMPLETE, Progress.VERIFIED)
        wanted = named or [
            name for name in self.order if progress_of(registry.nodes.get(name, ()), self.cabled[name]) not in done
        ]
        return tuple(name for name in self.order if name in wanted and self.cabled[name])

    def slot(self, node: str, slot: int) -> str:
        """A slot as people read it: ``slot 2 (blue)``."""
        switch = self.cabled[node].get(slot)
        return f"slot {slot} ({switch})" if switch else f"slot {slot}"

    def held(self, node: str) -> dict[int, str]:
        """The MAC of each slot of a machine that macs.yml knows."""
        return {place.slot: mac for mac, place in self.places.items() if place.node == node}


def _rack_order(cluster: Cluster) -> tuple[str, ...]:
    """Machines as cluster.yml lists them, those of one rack together, so that a person walks each rack once."""
    machines = (*cluster.node_names, *cluster.spare_names)
    racks = {stands.name: stands.rack for stands in standing(cluster)}
    first = {rack: number for number, rack in reversed(list(enumerate(map(racks.get, machines))))}
    return tuple(sorted(machines, key=lambda name: first[racks.get(name)]))
