# SPDX-License-Identifier: Apache-2.0
"""The model of wiring.yml: the to-be cabling, made by the designer and committed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field

from flathood.spec.model import Cluster, HostName


class Wiring(BaseModel):
    """The switch of each slot of each node, in label order; None: the slot is not used.

    ``design`` says how it was made and how good it is (engine, seed, quality, bounds, proofs): for people and
    for reports; nothing is compiled from it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    cluster: HostName
    nodes: dict[HostName, tuple[HostName | None, ...]]
    design: dict[str, Any] = Field(default_factory=dict)

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
