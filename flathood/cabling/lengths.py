# SPDX-License-Identifier: Apache-2.0
"""How long each cable is, from where its two ends stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.spec.model import Cluster
from flathood.spec.racks import UNIT, WIDTH, Cabling, standing
from flathood.wiring.model import Wiring


@dataclass(frozen=True)
class Place:
    """Where something stands: its rack, and metres along the row, from row to row and above the floor."""

    rack: str
    x: float
    y: float
    z: float


def places(cluster: Cluster) -> dict[str, Place]:
    """The places of all machines and switches whose rack is listed under `racks`."""
    racks = {rack.name: rack for rack in cluster.racks}
    found = {}
    for stands in standing(cluster):
        rack = racks.get(stands.rack)
        if rack is not None:
            aside = ((stands.column + 0.5) / stands.abreast - 0.5) * WIDTH
            z = (stands.unit - 1 + stands.height / 2) * UNIT
            found[stands.name] = Place(rack.name, (rack.x or 0.0) + aside, rack.y, z)
    return found


def length(cabling: Cabling, one: Place, other: Place) -> float:
    """Metres of the cable between two places, its slack included, in whole centimetres.

    Cables run along the racks' sides and the rows, never askew. Those between racks go up to the tray and down again.

    >>> left, right = Place("left", 0, 0, 1.0), Place("right", 0.6, 0, 2.0)
    >>> [length(Cabling(), left, other) for other in (left, right)]
    [0.5, 2.5]
    """
    if one.rack == other.rack or cabling.tray is None:
        rise = abs(one.z - other.z)
    else:
        rise = abs(cabling.tray - one.z) + abs(cabling.tray - other.z)
    return round(cabling.slack + abs(one.x - other.x) + abs(one.y - other.y) + rise, 2)


def cable_lengths(cluster: Cluster, wiring: Wiring) -> dict[tuple[str, int], float | None]:
    """Metres of the cable in each slot of each node that has one; None where it is not known where an end stands."""
    where = places(cluster)
    return {
        (node, slot): _between(cluster.cabling, where, node, switch)
        for node, switches in wiring.nodes.items()
        for slot, switch in enumerate(switches)
        if switch is not None
    }


def uplink_lengths(cluster: Cluster) -> dict[str, float | None]:
    """Metres of the cable from each neighborhood switch, spare and the head to the uplink switch; None as above."""
    where = places(cluster)
    names = (*cluster.switch_names, *cluster.spare_names, cluster.head.name)
    return {name: _between(cluster.cabling, where, name, cluster.uplink.name) for name in names}


def metres(cluster: Cluster) -> npt.NDArray[np.float64] | None:
    """Metres from each node to each neighborhood switch, float64[nodes, switches]; None unless all are known."""
    where = places(cluster)
    rows: Sequence[list[float | None]] = [
        [_between(cluster.cabling, where, node, switch) for switch in cluster.switch_names]
        for node in cluster.node_names
    ]
    if any(value is None for row in rows for value in row):
        return None
    return np.array(rows, dtype=np.float64)


def _between(cabling: Cabling, where: Mapping[str, Place], one: str, other: str) -> float | None:
    return length(cabling, where[one], where[other]) if one in where and other in where else None
