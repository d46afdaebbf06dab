# SPDX-License-Identifier: Apache-2.0
"""A wiring of a cluster that has changed since: the cables that are still there, in rows for the nodes of today."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pydantic import JsonValue

from flathood.cabling.picture import Nic
from flathood.document import read
from flathood.errors import FlathoodError
from flathood.spec.known import nearest
from flathood.spec.model import Cluster
from flathood.structure import fit
from flathood.wiring.model import Idle, Wiring
from flathood.wiring.pairs import apart


def load_old(path: Path) -> Wiring:
    """A wiring.yml that need not fit the cluster.yml of today; raises InvalidInput where it is no wiring at all."""
    return fit(Wiring, read(Path(path))).finish()


def plugged(
    cluster: Cluster, old: Wiring, without: Collection[str] = (), broken: Collection[Nic] = frozenset()
) -> Wiring:
    """What of an old wiring is still of use: a row for each node of the cluster, None where no cable is left.

    Cables of nodes, slots and switches that are gone, or are not to be used, are left out; so are those of broken NICs,
    and those that are still to be plugged.
    """
    known, coming = set(cluster.switch_names) - set(without), old.coming
    rows: dict[str, tuple[str | None, ...]] = {}
    for node in cluster.node_names:
        slots = () if node in without else old.nodes.get(node, ())
        row = [
            switch if switch in known and Nic(node, slot) not in broken and (node, slot) not in coming else None
            for slot, switch in enumerate(slots)
        ]
        count = cluster.nic_counts[node]
        rows[node] = tuple((row + [None] * count)[:count])
    ports = {
        node: tuple(port if switch else None for port, switch in zip(old.ports[node], row, strict=False))
        for node, row in rows.items()
        if node in old.ports
    }
    ports = {node: row for node, row in ports.items() if len(row) == len(rows[node])}
    idle = tuple(
        one
        for one in old.idle
        if (one.node, one.slot) not in coming and one.node in rows and one.slot < len(rows[one.node])
    )
    return old.model_copy(update={"nodes": rows, "ports": ports, "idle": idle})


def taken_in(cluster: Cluster, old: Wiring, target: Wiring) -> Wiring:
    """The first step from a wiring to another one that has nodes more: their cables are still to be plugged.

    No other cable is touched. The new nodes are where they were as spares, and talk through the uplink, until the
    rewiring to the target plugs their cables. Raises FlathoodError where no node is new, or one has no cable at fnn0.
    """
    there = plugged(cluster, old)
    fresh = [node for node, row in there.nodes.items() if not any(row)]
    if not fresh:
        raise FlathoodError("no node is new: rewire to the new wiring at once (playbooks/rewire.yml)")
    rows = there.nodes | {node: target.nodes[node] for node in fresh}
    design: dict[str, JsonValue] = {"engine": "rewiring"}
    if apart(rows):
        design["mode"] = "fractional"
    return _to_come(there.model_copy(update={"nodes": rows, "design": design}), fresh)


def taken_out(wiring: Wiring, nodes: Sequence[str]) -> Wiring:
    """The wiring that a rewiring has to lead to before nodes can be spares, or go: none of their cables is plugged.

    Raises FlathoodError for a name that is no node's, and for a node whose fnn0 has no cable that works.
    """
    known = [name for name in wiring.nodes if name not in nodes]
    if unknown := [name for name in nodes if name not in wiring.nodes]:
        raise FlathoodError(f"there is no node {unknown[0]!r}{nearest(unknown[0], known)}")
    return _to_come(wiring, nodes)


def _to_come(wiring: Wiring, nodes: Collection[str]) -> Wiring:
    """A wiring with the cables of these nodes still to be plugged. A node is reached by its fnn0 before and after."""
    dead = {(one.node, one.slot) for one in wiring.idle} - wiring.coming
    if bare := [node for node in nodes if wiring.nodes[node][0] is None or (node, 0) in dead]:
        raise FlathoodError(
            f"{', '.join(bare)}: fnn0 has no cable in this wiring that works, and a node comes from the uplink switch, "
            "and goes there, by its fnn0: choose another wiring"
        )
    idle = {(one.node, one.slot): one for one in wiring.idle}
    for node in nodes:
        for slot, switch in enumerate(wiring.nodes[node]):
            if switch is not None:
                idle[node, slot] = Idle(node=node, slot=slot, to=switch)
    return wiring.model_copy(update={"idle": tuple(idle[key] for key in sorted(idle))})
