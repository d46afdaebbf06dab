# SPDX-License-Identifier: Apache-2.0
"""What a design has to be made of: nodes with NICs, switches with ports, and the traffic between the nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from flathood.design.profiles import Matrix, name_of, traffic
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

#: A design: bool[nodes, switches], true where a node has a NIC on a switch. One NIC a switch: two would share a port's
#: worth of neighbors with nobody new, and a host with two NICs in one subnet answers on the wrong one.
Design = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Request:
    """The hardware and the traffic: nics int64[n], ports int64[switches], weights float64[n, n] (see `profiles`)."""

    nics: Counts
    ports: Counts
    weights: Matrix
    profile: str

    @classmethod
    def of(cls, cluster: Cluster, base_dir: Path | None = None, profile: object = None) -> Request:
        """The request that a cluster.yml makes; another profile than its own may be given.

        Raises InvalidInput when the profile or its matrix file is wrong.
        """
        wanted = cluster.profile if profile is None else profile
        return cls(
            nics=np.array([cluster.nic_counts[name] for name in cluster.node_names], dtype=np.int64),
            ports=np.array([switch.ports for switch in cluster.switches], dtype=np.int64),
            weights=traffic(wanted, len(cluster.node_names), base_dir),
            profile=name_of(wanted),
        )

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return len(self.nics)

    @property
    def switches(self) -> int:
        """How many neighborhood switches."""
        return len(self.ports)

    @property
    def usable_nics(self) -> Counts:
        """NICs of each node that can have a switch of their own, int64[n]."""
        return np.minimum(self.nics, self.switches)

    @property
    def usable_ports(self) -> Counts:
        """Ports of each switch that can have a node of their own, int64[switches]."""
        return np.minimum(self.ports, self.nodes)

    def fits(self, design: Design) -> bool:
        """Whether a design keeps to the NICs of every node and the ports of every switch."""
        return bool(
            design.shape == (self.nodes, self.switches)
            and (design.sum(axis=1) <= self.nics).all()
            and (design.sum(axis=0) <= self.ports).all()
        )


def design_of(wiring: Wiring, cluster: Cluster) -> Design:
    """The design that a (valid) wiring stands for, whatever the order of its slots."""
    table = wiring.matrix(cluster)
    design = np.zeros((len(table), len(cluster.switches) + 1), dtype=np.bool_)
    np.put_along_axis(design, table.astype(np.int64), True, axis=1)  # -1, no cable, falls into the last column
    return design[:, :-1]


def slots_of(design: Design, cluster: Cluster) -> dict[str, tuple[str | None, ...]]:
    """Every node's switches in label order, with null for the slots left over.

    Slot 0 is the way to the uplink switch (outside, multicast, the tree routing), so first slots are dealt out evenly
    over the switches; the others follow in the order of cluster.yml.
    """
    firsts = np.zeros(design.shape[1], dtype=np.int64)
    labels: dict[str, tuple[str | None, ...]] = {}
    for name, row in zip(cluster.node_names, design, strict=True):
        mine = [int(switch) for switch in np.flatnonzero(row)]
        mine.sort(key=lambda switch: (firsts[switch], switch))
        firsts[mine[:1]] += 1
        order = [cluster.switch_names[switch] for switch in (*mine[:1], *sorted(mine[1:]))]
        labels[name] = (*order, *[None] * (cluster.nic_counts[name] - len(order)))
    return labels
