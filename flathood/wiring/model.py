# SPDX-License-Identifier: Apache-2.0
"""The model of wiring.yml: the to-be cabling, made by the designer and committed."""

from __future__ import annotations

from typing import Annotated, get_args

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, Field, JsonValue

from flathood.spec.fields import HostName, Ports, Strictly, Whole
from flathood.spec.model import Cluster
from flathood.spec.rules import Mode

#: What a wiring promises of its pairs: every pair shares a switch; or not every pair does, on purpose.
MODES: tuple[str, ...] = get_args(Mode)


def _meant(design: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if design.get("mode", MODES[0]) not in MODES:
        raise ValueError(f"mode {design['mode']!r} is not known here: write {', '.join(MODES[:-1])} or {MODES[-1]}")
    left_out = design.get("without", [])
    if not isinstance(left_out, list) or not all(isinstance(name, str) for name in left_out):
        raise ValueError(f"without {left_out!r} is no list of names: write [] or names of nodes and switches")
    return design


class Idle(Strictly):
    """A slot whose cable carries nothing for now: it is about to be moved, or something of it is dead."""

    node: HostName
    slot: Annotated[Whole, Field(ge=0, le=255)]
    to: HostName | None = Field(
        default=None,
        description="The switch that its cable is about to go to: the address there is routed already; where it is the "
        "slot's own, the cable is still to be plugged",
    )


class Wiring(Strictly):
    """The switch of each slot of each node, in label order; None: the slot is not used.

    ``design`` says how it was made and how good it is (engine, seed, quality, bounds, proofs): for people and
    for reports; nothing is compiled from it. Its ``mode`` and ``without`` say what is missing on purpose.
    ``ports`` are those that cables are in after moves (see `flathood.cabling.ports`); nothing is compiled from them.
    ``idle`` are cables that no path goes by for now (see `flathood.rewiring`).
    """

    cluster: HostName = Field(description="Name of the cluster, as in cluster.yml")
    nodes: dict[HostName, Annotated[tuple[HostName | None, ...], Field(min_length=1)]] = Field(
        description="The switch of each slot of each node, in label order; null: the slot is not used",
        json_schema_extra={"additionalProperties": False},
    )
    ports: dict[HostName, tuple[Ports | None, ...]] = Field(
        default_factory=dict,
        description="The port of its switch that each slot's cable is in, where that is not the one that the order of "
        "the racks gives; null: no cable, or any port",
    )
    idle: tuple[Idle, ...] = Field(
        default=(),
        description="Slots whose cables carry nothing for now, as they are moved or something of them is dead",
    )
    design: Annotated[dict[str, JsonValue], AfterValidator(_meant)] = Field(
        default_factory=dict,
        description="How the wiring was made and how good it is; mode: universal (default), fractional or sparse; "
        "without: nodes and switches that it leaves out on purpose",
    )

    @property
    def universal(self) -> bool:
        """Whether every pair of nodes must share a switch; other modes leave some pairs to the uplink on purpose."""
        return self.design.get("mode", MODES[0]) == MODES[0]

    @property
    def left_out(self) -> frozenset[str]:
        """Nodes and switches that the design leaves out on purpose."""
        names = self.design.get("without", [])
        return frozenset(str(name) for name in names) if isinstance(names, list) else frozenset()

    @property
    def coming(self) -> frozenset[tuple[str, int]]:
        """The nodes and slots whose cables are still to be plugged, as those of a node that is new.

        A node that has no others is where spares are: on the uplink switch, by the NIC of its slot 0.
        """
        told = ((one, self.nodes.get(one.node, ())) for one in self.idle if one.to is not None)
        return frozenset((one.node, one.slot) for one, row in told if row[one.slot : one.slot + 1] == (one.to,))

    @property
    def plugged(self) -> dict[str, tuple[str | None, ...]]:
        """`nodes` without the cables that are still to be plugged."""
        coming = self.coming
        return {
            node: tuple(None if (node, slot) in coming else switch for slot, switch in enumerate(row))
            for node, row in self.nodes.items()
        }

    def matrix(self, cluster: Cluster) -> npt.NDArray[np.int16]:
        """Switch number of each node and slot, shape (nodes, most slots); -1: not used or no such slot."""
        number = {name: index for index, name in enumerate(cluster.switch_names)}
        slots = max(cluster.nic_counts[name] for name in cluster.node_names)
        table = np.full((len(cluster.node_names), slots), -1, dtype=np.int16)
        for row, node in enumerate(cluster.node_names):
            for slot, switch in enumerate(self.nodes[node]):
                if switch is not None:
                    table[row, slot] = number[switch]
        return table

    def usable(self, cluster: Cluster) -> npt.NDArray[np.int16]:
        """As `matrix`, with -1 for idle cables too: what paths may go by."""
        table = self.matrix(cluster)
        row = {name: number for number, name in enumerate(cluster.node_names)}
        for cable in self.idle:
            table[row[cable.node], cable.slot] = -1
        return table
