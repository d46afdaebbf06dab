# SPDX-License-Identifier: Apache-2.0
"""Lists of work for people: by racks in the order in which they stand, and even for so many pairs of hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from flathood.cabling.moves import Move
from flathood.spec.model import Cluster
from flathood.spec.racks import standing


class Place(NamedTuple):
    """Where a machine stands among the others: the number and the name of its rack, and its own number."""

    rack: int
    name: str
    machine: int


def places(cluster: Cluster) -> dict[str, Place]:
    """Where nodes and spares stand: racks as `racks` in cluster.yml lists them, others as their machines come.

    A machine whose rack is not known is in a rack without a name, before all others.
    """
    rack = {stands.name: stands.rack for stands in standing(cluster)}
    names = dict.fromkeys(["", *(one.name for one in cluster.racks), *rack.values()])
    numbers = {name: number for number, name in enumerate(names)}
    machines = (*cluster.node_names, *cluster.spare_names)
    return {
        name: Place(numbers[rack.get(name, "")], rack.get(name, ""), number) for number, name in enumerate(machines)
    }


def shares(cluster: Cluster, moves: Sequence[Move], people: int) -> list[list[Move]]:
    """Moves in the order of the racks, dealt out to so many people at the most; each list is for one of them.

    Nobody goes to and fro: a list goes on in the rack in which the one before it ends. All plugs of a machine are in
    one list. A list takes as long as it has plugs and racks; of all such lists these have the least sum of squares, so
    nobody has much more to do than others.
    """
    where = places(cluster)
    found = sorted(moves, key=lambda move: (where[move.nic.machine], move.nic.slot))
    machines = [list(mine) for _, mine in groupby(found, key=lambda move: move.nic.machine)]
    if len(machines) < 2 or people < 2:
        return [found] if found else []
    bounds = _cuts([len(mine) for mine in machines], [where[mine[0].nic.machine].rack for mine in machines], people)
    return [[move for mine in machines[first:last] for move in mine] for first, last in pairwise(bounds)]


def sheet(cluster: Cluster, moves: Sequence[Move], people: int = 1) -> Iterator[str]:
    """The moves of a batch as lines: under each person, where there are several, and under each rack."""
    lists = shares(cluster, moves, people)
    where = places(cluster)
    for number, mine in enumerate(lists, 1):
        indent = "  "
        if people > 1:
            yield f"  Person {number}: {plugs(mine)}"
            indent += "  "
        for rack, here in groupby(mine, key=lambda move: where[move.nic.machine].name):
            if rack:
                yield f"{indent}Rack {rack}"
            yield from (f"{indent}{'  ' if rack else ''}{move.sentence()}" for move in here)
    if any(_waits(move, other) for move in moves for other in moves):
        other = "list, or of another person's" if len(lists) > 1 else "list"
        yield f"  A port that is still taken becomes free by another plug of this {other}: pull that one first."


def plugs(moves: Sequence[Move]) -> str:
    """How many there are, in words."""
    return f"{len(moves)} plug{'s' * (len(moves) != 1)}"


def _waits(move: Move, other: Move) -> bool:
    """Whether the other move may have to make room for this one: at its NIC, or at its switch."""
    if move is other or move.after is None or other.before is None:
        return False
    return move.after[0] == other.before[0] or move.after[1] == other.before[1]


def _cuts(counts: Sequence[int], racks: Sequence[int], people: int) -> list[int]:
    """Where to cut a row of machines into lists: 0, the first machine of each list but the first, and their number.

    Dynamic programming over the number of lists: the best with one list more ends with a list from k on, after the
    best for the first k machines.
    """
    count = len(counts)
    done = np.concatenate(([0], np.cumsum(counts)))
    change = np.concatenate(([0], np.cumsum(np.diff(racks) != 0)))
    first, last = np.triu_indices(count)
    squares: npt.NDArray[np.float64] = np.full((count + 1, count + 1), np.inf)
    squares[first, last + 1] = (done[last + 1] - done[first] + change[last] - change[first] + 1.0) ** 2
    best = [squares[0]]
    origin: list[npt.NDArray[np.intp]] = []
    for _ in range(1, min(people, count)):
        total = best[-1][:, None] + squares
        origin.append(total.argmin(axis=0))
        best.append(total.min(axis=0))
    lists = min(range(len(best)), key=lambda k: (best[k][count], k))
    bounds = [count]
    for step in reversed(origin[:lists]):
        bounds.append(int(step[bounds[-1]]))
    return [0, *reversed(bounds)]
