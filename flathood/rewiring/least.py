# SPDX-License-Identifier: Apache-2.0
"""The least moves from one wiring to another, where any switch may take the part of any other that is wide enough.

What a wiring is good for does not depend on which switch plays which part, so the parts are given to the switches at
which most cables can stay: an assignment problem (see `scipy.optimize.linear_sum_assignment`). A move makes one new
cable at most and takes one old one away at most, so no rewiring takes fewer moves than the larger number of cables less
those that stay. Where as many cables come as go at each node, that many moves suffice and the assignment is the
optimum. Where nodes get or lose cables, which plugs can be turned into which counts too: an integer program has the
last word then.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.optimize import Bounds, LinearConstraint, linear_sum_assignment, milp
from scipy.sparse import coo_array

from flathood.cabling.moves import Cable, Move, least_moves
from flathood.cabling.picture import Nic
from flathood.cabling.ports import with_ports
from flathood.design.request import Design, design_of
from flathood.design.slots import slots_of
from flathood.errors import FlathoodError
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

_Parts = npt.NDArray[np.int64]

#: Seconds that the integer program may take; then its bound is told beside the best that is known.
PATIENCE = 20.0


@dataclass(frozen=True)
class Least:
    """A wiring as near to what is plugged as it can be.

    Attributes:
        wiring: the new wiring, with its switches renamed, and with what stays in its slot and port.
        parts: for each switch of the new wiring that plays another one's part, that one: name in the file → real name.
        moves: what people have to do, in an order in which each move finds a free port.
        bound: no choice of parts and slots takes fewer moves, by proof.

    """

    wiring: Wiring
    parts: dict[str, str]
    moves: tuple[Move, ...]
    bound: int

    @property
    def proved(self) -> bool:
        """Whether there are no fewer moves."""
        return self.bound >= len(self.moves)


def least(cluster: Cluster, old: Wiring, new: Wiring, *, exact: bool = False) -> Least:
    """The least moves from the old wiring to the new one.

    Args:
        cluster: what both are wirings of.
        old: what is plugged.
        new: what is wanted.
        exact: the switches and slots of the new wiring are to be as they are written.

    Raises:
        FlathoodError: no choice of parts keeps to the ports and to the cables of `design.keep`.

    """
    if exact:
        moves = moves_between(cluster, old, new)
        return Least(with_ports(cluster, old, new), {}, tuple(moves), len(moves))
    before, after = design_of(old, cluster), design_of(new, cluster)
    allowed = _allowed(cluster, after, new.left_out)
    parts, bound = _assigned(before, after, allowed)
    if distance(before, after[:, parts]) > bound:
        parts, proved = _programmed(before, after, allowed, parts)
        bound = max(bound, proved)
    names = cluster.switch_names
    wiring = nearest_slots(cluster, old, after[:, parts], new)
    renamed = {names[part]: names[real] for real, part in enumerate(parts.tolist()) if part != real}
    return Least(wiring, renamed, tuple(moves_between(cluster, old, wiring)), bound)


def nearest_slots(cluster: Cluster, old: Wiring, design: Design, like: Wiring) -> Wiring:
    """A design as a wiring in which what stays keeps its slot and its port; all but its cables is as in `like`.

    A cable that comes takes the slot of the one that it is made of, so that the moves are as few as `distance` says.
    """
    before = design_of(old, cluster)
    gone, come = before & ~design, design & ~before
    rows = slots_of(design, cluster, old)
    # Where not as many cables come as go, which are turned into each other depends on the other nodes.
    uneven = np.flatnonzero(gone.any(axis=1) & come.any(axis=1) & (gone.sum(axis=1) != come.sum(axis=1)))
    left, right = _matching(gone, come) if len(uneven) else (gone, come)
    for number in uneven.tolist():
        name, names = cluster.node_names[number], cluster.switch_names
        leaving = [old.nodes[name].index(names[switch]) for switch in np.flatnonzero(left[number])]
        first = [names[switch] for switch in np.flatnonzero(right[number])]
        rest = [names[switch] for switch in np.flatnonzero(come[number] & ~right[number])]
        stays = [switch if switch not in (*first, *rest) else None for switch in rows[name]]
        for slot, switch in zip(leaving, first, strict=True):
            stays[slot] = switch
        free = [slot for slot in range(len(stays)) if stays[slot] is None]
        # As above: an empty slot may be that of a dead NIC.
        free.sort(key=lambda slot: old.nodes[name][slot] is None)
        for slot, switch in zip(free, rest, strict=False):
            stays[slot] = switch
        rows[name] = tuple(stays)
    return with_ports(cluster, old, like.model_copy(update={"nodes": rows, "ports": {}}))


def moves_between(cluster: Cluster, old: Wiring, new: Wiring) -> list[Move]:
    """The least moves between two wirings whose slots are settled, in an order that finds free ports."""
    ports = {switch.name: switch.free for switch in cluster.switches}
    return least_moves(cables(old.nodes), cables(new.nodes), ports)


def cables(rows: Mapping[str, tuple[str | None, ...]]) -> Iterator[Cable]:
    """All cables of a wiring's rows."""
    for node, switches in rows.items():
        for slot, switch in enumerate(switches):
            if switch is not None:
                yield Nic(node, slot), switch


def distance(before: Design, after: Design) -> int:
    """The least moves between two designs, bool[nodes, switches], whose slots are free.

    Every cable that goes or comes takes a move, but one that goes and one that comes take one together where they have
    the node or the switch in common: their number less the largest matching.
    """
    gone, come = before & ~after, after & ~before
    return int(gone.sum()) + int(come.sum()) - _matched(gone, come)


def _matched(gone: Design, come: Design) -> int:
    """The largest matching of cables that go with cables that come at the same node or the same switch."""
    by_node = int(np.minimum(gone.sum(axis=1), come.sum(axis=1)).sum())
    if by_node == min(gone.sum(), come.sum()):
        return by_node
    return int(_flow(gone, come).flow_value)


def _matching(gone: Design, come: Design) -> tuple[Design, Design]:
    """Which cables that go, and which that come, are matched at their node in a largest matching."""
    flow = _flow(gone, come).flow.tocsr()
    left, right = np.argwhere(gone), np.argwhere(come)
    hubs = 1 + len(left)
    first = hubs + sum(gone.shape)
    going, coming = np.zeros_like(gone), np.zeros_like(come)
    for k, (node, switch) in enumerate(left.tolist()):
        going[node, switch] = flow[1 + k, hubs + node] > 0
    for k, (node, switch) in enumerate(right.tolist()):
        coming[node, switch] = flow[hubs + node, first + k] > 0
    return going, coming


def _flow(gone: Design, come: Design) -> Any:  # noqa: ANN401 - scipy gives its result's class no name
    """The largest flow from cables that go, by way of their nodes and switches, to cables that come."""
    from scipy.sparse import csr_array  # noqa: PLC0415 - needed only where nodes get or lose cables
    from scipy.sparse.csgraph import maximum_flow  # noqa: PLC0415 - as above

    nodes, switches = gone.shape
    left, right = np.argwhere(gone).tolist(), np.argwhere(come).tolist()
    hubs = 1 + len(left)
    first = hubs + nodes + switches
    sink = first + len(right)
    ends = [(0, 1 + k) for k in range(len(left))]
    ends += [(1 + k, hubs + node) for k, (node, _) in enumerate(left)]
    ends += [(1 + k, hubs + nodes + switch) for k, (_, switch) in enumerate(left)]
    ends += [(hubs + node, first + k) for k, (node, _) in enumerate(right)]
    ends += [(hubs + nodes + switch, first + k) for k, (_, switch) in enumerate(right)]
    ends += [(first + k, sink) for k in range(len(right))]
    rows, columns = np.array(ends, dtype=np.int32).T
    capacities = np.ones(len(ends), dtype=np.int32)
    return maximum_flow(csr_array((capacities, (rows, columns)), shape=(sink + 1, sink + 1)), 0, sink)


def _allowed(cluster: Cluster, after: Design, left_out: frozenset[str]) -> Design:
    """Which real switch may play which part, bool[real, part]: wide enough, not left out, with the cables that stay."""
    free = np.array([switch.free * (switch.name not in left_out) for switch in cluster.switches])
    allowed: Design = free[:, None] >= after.sum(axis=0)[None, :]
    for node, kept in cluster.design.keep.items():
        row = after[cluster.node_names.index(node)]
        for switch in kept:
            allowed[cluster.switch_names.index(switch)] &= row
    return allowed


def _assigned(before: Design, after: Design, allowed: Design) -> tuple[_Parts, int]:
    """The part of each real switch with which most cables stay (its own where it is as good), and the bound."""
    stay = before.T.astype(np.int64) @ after.astype(np.int64)
    # A part that may not be played costs more than all cables and all ties together.
    ties = len(stay) + 1
    worth = np.where(allowed, stay * ties + np.eye(len(stay), dtype=np.int64), -ties * (int(before.sum()) + 2))
    real, parts = linear_sum_assignment(worth, maximize=True)
    if not allowed[real, parts].all():
        raise FlathoodError("no switches are wide enough for the new wiring beside the cables that must stay")
    return parts, max(int(before.sum()), int(after.sum())) - int(stay[real, parts].sum())


def _programmed(before: Design, after: Design, allowed: Design, parts: _Parts) -> tuple[_Parts, int]:
    """The optimum over all parts, where cables come and go at different nodes; else the best known, and a bound.

    Variables: part[real, part] in {0, 1}, and for each cell (node, real switch) how much of its cable is matched at its
    node and at its switch. With the parts given, the rest is a network flow, whose optimum is a whole number.
    """
    nodes, switches = before.shape
    cells, square = before.size, switches * switches
    rows: list[tuple[int, int, float]] = []
    lower: list[float] = []
    upper: list[float] = []

    def constrain(terms: list[tuple[int, float]], low: float, high: float) -> None:
        rows.extend((len(lower), column, value) for column, value in terms)
        lower.append(low)
        upper.append(high)

    for k in range(switches):
        constrain([(k * switches + part, 1.0) for part in range(switches)], 1, 1)
        constrain([(real * switches + k, 1.0) for real in range(switches)], 1, 1)
    by_node, by_switch = square, square + cells
    for i in range(nodes):
        for s in range(switches):
            cell, there = i * switches + s, bool(before[i, s])
            new = [(s * switches + int(part), 1.0 if there else -1.0) for part in np.flatnonzero(after[i])]
            # A cable that goes: matched at most 1 - new; one that comes: at most new.
            constrain([(by_node + cell, 1.0), (by_switch + cell, 1.0), *new], -math.inf, float(there))
    sign = np.where(before, 1.0, -1.0)
    for i in range(nodes):
        constrain([(by_node + i * switches + s, sign[i, s]) for s in range(switches)], 0, 0)
    for s in range(switches):
        constrain([(by_switch + i * switches + s, sign[i, s]) for i in range(nodes)], 0, 0)
    stay = before.T.astype(np.int64) @ after.astype(np.int64)
    # Each matched pair is counted at both of its cells.
    cost = np.concatenate([-2.0 * stay.ravel(), np.full(2 * cells, -0.5)])
    place, column, value = zip(*rows, strict=True)
    matrix = coo_array((value, (place, column)), shape=(len(lower), len(cost))).tocsc()
    answer = milp(
        cost,
        constraints=LinearConstraint(matrix, lower, upper),
        bounds=Bounds(0, np.concatenate([allowed.ravel().astype(float), np.ones(2 * cells)])),
        integrality=np.concatenate([np.ones(square), np.zeros(2 * cells)]),
        options={"time_limit": PATIENCE},
    )
    total = int(before.sum()) + int(after.sum())
    bound = 0 if answer.mip_dual_bound is None else math.ceil(total + answer.mip_dual_bound - 1e-6)
    if answer.x is not None:
        found = answer.x[:square].reshape(switches, switches).argmax(axis=1)
        if distance(before, after[:, found]) <= distance(before, after[:, parts]):
            return found, bound
    return parts, bound
