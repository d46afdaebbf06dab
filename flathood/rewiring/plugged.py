# SPDX-License-Identifier: Apache-2.0
"""A wiring of a cluster that has changed since: the cables that are still there, in rows for the nodes of today."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from flathood.cabling.picture import Nic
from flathood.document import read
from flathood.spec.model import Cluster
from flathood.structure import fit
from flathood.wiring.model import Wiring


def load_old(path: Path) -> Wiring:
    """A wiring.yml that need not fit the cluster.yml of today; raises InvalidInput where it is no wiring at all."""
    return fit(Wiring, read(Path(path))).finish()


def plugged(
    cluster: Cluster, old: Wiring, without: Collection[str] = (), broken: Collection[Nic] = frozenset()
) -> Wiring:
    """What of an old wiring is still of use: a row for each node of the cluster, None where no cable is left.

    Cables of nodes, slots and switches that are gone, or are not to be used, are left out; so are those of broken NICs.
    """
    known = set(cluster.switch_names) - set(without)
    rows: dict[str, tuple[str | None, ...]] = {}
    for node in cluster.node_names:
        slots = () if node in without else old.nodes.get(node, ())
        row = [
            switch if switch in known and Nic(node, slot) not in broken else None for slot, switch in enumerate(slots)
        ]
        count = cluster.nic_counts[node]
        rows[node] = tuple((row + [None] * count)[:count])
    ports = {
        node: tuple(port if switch else None for port, switch in zip(old.ports[node], row, strict=False))
        for node, row in rows.items()
        if node in old.ports
    }
    return old.model_copy(update={"nodes": rows, "ports": {n: p for n, p in ports.items() if len(p) == len(rows[n])}})
