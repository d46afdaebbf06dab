# SPDX-License-Identifier: Apache-2.0
"""A wiring of a cluster that has changed since: the cables that are still there, in rows for the nodes of today."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path

from pydantic import JsonValue

from flathood.cabling.picture import Nic
from flathood.document import read
from flathood.errors import FlathoodError
from flathood.spec.model import Cluster
from flathood.structure import fit
from flathood.wiring.model import Wiring
from flathood.wiring.pairs import apart


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


def taken_in(cluster: Cluster, old: Wiring, target: Wiring) -> Wiring:
    """The first step from a wiring to another one that has nodes more: their cables, and no other is touched.

    Only those into ports that are free; the others follow when cables are moved. The new nodes run meanwhile, and talk
    through the uplink with those they share no switch with yet. Raises FlathoodError where one would have no cable.
    """
    rows = dict(plugged(cluster, old).nodes)
    free = Counter({switch.name: switch.free for switch in cluster.switches})
    free.subtract(switch for row in rows.values() for switch in row if switch)
    fresh = [node for node in cluster.node_names if node not in old.nodes]
    for node in fresh:
        row: list[str | None] = []
        for switch in target.nodes[node]:
            there = switch is not None and free[switch] > 0
            free[switch or ""] -= there
            row.append(switch if there else None)
        rows[node] = tuple(row)
    if not fresh:
        raise FlathoodError("no node is new: rewire to the new wiring at once (playbooks/rewire.yml)")
    if bare := [node for node in fresh if not any(rows[node])]:
        raise FlathoodError(f"{', '.join(bare)}: no port is free where a cable is to go: add a switch, or choose again")
    design: dict[str, JsonValue] = {"engine": "rewiring"}
    if apart(rows):
        design["mode"] = "fractional"
    idle = tuple(one for one in old.idle if one.node in rows and one.slot < len(rows[one.node]))
    return plugged(cluster, old).model_copy(update={"nodes": rows, "design": design, "idle": idle})
