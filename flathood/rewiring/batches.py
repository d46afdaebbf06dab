# SPDX-License-Identifier: Apache-2.0
"""The order of moves: batches that people make at one go, in which no pair of nodes is cut off.

Before a cable is moved, no path goes by it any more (`Wiring.idle`). A pair whose only common switch it served talks
through the uplink meanwhile. That cannot always be helped, but two things are: no batch takes away both of two switches
that a pair shares, where the moves could be made one after the other; and every node keeps a cable that carries
something, so that it stays within reach. Among what is left, the moves that part the fewest pairs come first: those
later profit from the new cables.

A node without a cable in any neighborhood, such as one that is new, is on the uplink switch by its fnn0, as spares
are, and is reached there. That plug is the first to be moved when the node comes, and the last when it goes.

Moves that wait for each other's ports, in a ring of full switches, are made in one batch: all their plugs are pulled,
then put in. Where a ring would take all of a node's cables, one of its plugs is pulled first and put in later.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from flathood.cabling.moves import Cable, Move, least_moves
from flathood.cabling.picture import Nic
from flathood.errors import FlathoodError
from flathood.rewiring.least import cables
from flathood.rewiring.people import places
from flathood.spec.known import several
from flathood.spec.model import Cluster

Rows = Mapping[str, tuple[str | None, ...]]

#: Cables that are moved at one go, unless told otherwise: what a person does in some minutes.
MOST = 16
#: Moves that are weighed against each other at a time.
_WEIGHED = 96


@dataclass(frozen=True)
class Batch:
    """Moves that are made at one go; ``apart``: pairs that talk through the uplink meanwhile and need not otherwise."""

    moves: tuple[Move, ...]
    apart: int

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes at which a cable is moved, each once."""
        return tuple(dict.fromkeys(nic.machine for nic in self.nics))

    @property
    def nics(self) -> tuple[Nic, ...]:
        """The NICs that lose or get a cable, each once."""
        ends = (cable[0] for move in self.moves for cable in (move.before, move.after) if cable)
        return tuple(dict.fromkeys(ends))

    def reverse(self) -> Batch:
        """The batch that takes all of its moves back."""
        moves = tuple(Move(move.after, move.before) for move in reversed(self.moves))
        return replace(self, moves=moves)

    def places(self) -> dict[Nic, str | None]:
        """Where the cable of each of its NICs is in the end; None: it has none then."""
        found: dict[Nic, str | None] = {move.before[0]: None for move in self.moves if move.before}
        return found | {move.after[0]: move.after[1] for move in self.moves if move.after}


def applied(rows: Rows, batch: Batch, uplink: str | None = None) -> dict[str, tuple[str | None, ...]]:
    """The rows of a wiring after a batch; those of NICs that go to the uplink switch stay."""
    changed = {node: list(row) for node, row in rows.items()}
    for nic, switch in batch.places().items():
        if switch is None or switch != uplink:
            changed[nic.machine][nic.slot] = switch
    return {node: tuple(row) for node, row in changed.items()}


def batches(
    cluster: Cluster, before: Rows, after: Rows, dead: Iterable[Nic] = (), most: int = MOST
) -> tuple[Batch, ...]:
    """The least moves from one cabling to another, in batches; ``dead``: NICs whose cables carry nothing anyway.

    ``most``: cables in one batch; a ring of moves that wait for each other may take more. Raises FlathoodError where a
    node comes or goes whose fnn0 is not to have a cable.
    """
    ports = {switch.name: switch.free for switch in cluster.switches}
    moves = [replace(move, first=False) for move in least_moves(cables(before), cables(after), ports)]
    bare = [node for node in before if any(before[node]) != any(after[node])]
    if lost := [node for node in bare if not (before[node][0] or after[node][0])]:
        text = f"fnn0 of {several(lost)} has no cable in the wiring, and a node comes from the uplink switch,"
        raise FlathoodError(f"{text} and goes there, by its fnn0")
    moves = list(_by_uplink(moves, set(bare), cluster.uplink.name))
    order = _Order(cluster, before, moves, frozenset(dead), {node for node in bare if not any(after[node])})
    found = []
    while order.left:
        found.append(order.next(most))
    return tuple(found)


def _by_uplink(moves: Iterable[Move], bare: Collection[str], uplink: str) -> Iterator[Move]:
    """The moves, with fnn0 of nodes that come from the uplink switch, and of nodes that go there; ``bare``: of both."""
    for move in moves:
        before, after = (
            cable if cable and (cable[0].slot or cable[0].machine not in bare) else None
            for cable in (move.before, move.after)
        )
        if move.after and not after:
            yield Move((move.after[0], uplink), move.after)
        if move.before and not before:
            yield Move(move.before, (move.before[0], uplink))
        if before or after:
            yield Move(before, after)


class _Order:
    """What is plugged, what is still to be moved, and how many working switches each pair shares."""

    def __init__(
        self, cluster: Cluster, before: Rows, moves: list[Move], dead: frozenset[Nic], going: Collection[str]
    ) -> None:
        self.left = moves
        self._places, self._dead = places(cluster), set(dead)
        self._slots = cluster.nic_counts
        self._row = {name: row for row, name in enumerate(cluster.node_names)}
        self._column = {name: column for column, name in enumerate(cluster.switch_names)}
        self._ports = {switch.name: switch.free for switch in cluster.switches}
        self._plugged = dict(cables(before))
        # A cable to the uplink switch serves no neighborhood, like one that is dead.
        self._uplink = cluster.uplink.name
        self._plugged |= {Nic(node, 0): self._uplink for node, row in before.items() if not any(row)}
        self._dead |= {nic for nic, switch in self._plugged.items() if switch == self._uplink}
        self._ports[self._uplink] = len(self._row)
        self._used = Counter(self._plugged.values())
        self._on = np.zeros((len(self._row), len(self._column)), dtype=np.int16)
        # The pairs that are not to be parted; those of a node that goes are in the end, so they are at once.
        lasts = np.array([node not in going for node in self._row])
        self._pairs: npt.NDArray[np.bool_] = np.triu(np.outer(lasts, lasts), k=1)
        for nic, switch in self._plugged.items():
            if nic not in self._dead:
                self._on[self._row[nic.machine], self._column[switch]] = 1

    def next(self, most: int) -> Batch:
        """Take the next batch off what is left, and make it."""
        shared = self._on @ self._on.T
        weighed = [(self._cost(group, shared), group) for group in self._groups()]
        if not weighed:
            pulled = self._pull(shared)
            return self._make([pulled], self._cost([pulled], shared))
        price, batch = min(weighed, key=lambda pair: (pair[0], len(pair[1])))
        rack = self._rack(batch)
        # What fits beside it: first of the same rack, then what parts the fewest pairs.
        for _, group in sorted(weighed, key=lambda pair: (self._rack(pair[1]) != rack, pair[0])):
            more = [move for move in group if move not in batch]
            both = [*batch, *more]
            if not more or len(both) > most:
                continue
            together = self._cost(both, shared)
            # A pair that is parted by the two together only would have kept a switch, had they been made in turn.
            if together <= price + self._cost(more, shared) and self._lack(both) is None and self._stay(both):
                batch, price = both, together
        return self._make(batch, price)

    def _groups(self) -> list[list[Move]]:
        """For each of the next moves, the smallest set found of moves that can be made with it right now."""
        return [group for move in self.left[:_WEIGHED] if (group := self._grown(move))]

    def _grown(self, seed: Move) -> list[Move] | None:
        """A move with those that make room for it; None where one of them must wait for other reasons."""
        group = [seed]
        while (lack := self._lack(group)) is not None:
            nic, switch = lack
            others = [
                move
                for move in self.left
                if move.before
                and move not in group
                and (move.before[0] == nic or (nic is None and move.before[1] == switch and _leaves(move)))
            ]
            ready = [move for move in others if self._stay([*group, move])]
            if not ready:
                return None
            # One that finds a free port ends the search; else one at a node that is not concerned yet.
            busy = {cable[0].machine for move in group for cable in (move.before, move.after) if cable}
            group.append(min(ready, key=lambda move: (self._lack([*group, move]) is not None, _node(move) in busy)))
        return group if self._stay(group) else None

    def _lack(self, group: Sequence[Move]) -> tuple[Nic | None, str] | None:
        """What a group lacks to be made: a NIC whose cable has to go, or a port of a switch; None: nothing."""
        gone = {move.before[0] for move in group if move.before}
        for move in group:
            if move.after and move.after[0] in self._plugged and move.after[0] not in gone:
                return move.after[0], ""
            if move.after and (other := self._twin(move.after)) and other not in gone:
                return other, ""
            if move.after and (other := self._waited(move.after, gone)):
                return other, ""
        used = Counter(self._used)
        for move in group:
            if move.before:
                used[move.before[1]] -= 1
            if move.after:
                used[move.after[1]] += 1
        for switch in (move.after[1] for move in group if move.after):
            if used[switch] > self._ports[switch]:
                return None, switch
        return None

    def _twin(self, cable: Cable) -> Nic | None:
        """Another NIC of the same node that is in the same switch: no node is in a switch twice."""
        nic, switch = cable
        slots = (Nic(nic.machine, slot) for slot in range(self._slots[nic.machine]))
        return next((one for one in slots if one != nic and self._plugged.get(one) == switch), None)

    def _waited(self, cable: Cable, gone: Collection[Nic]) -> Nic | None:
        """A NIC of the same node that is to be moved before: fnn0 out of the uplink switch, or all others before it."""
        nic, switch = cable
        first = Nic(nic.machine, 0)
        if switch != self._uplink:
            return first if self._plugged.get(first) == self._uplink and first not in gone else None
        slots = (Nic(nic.machine, slot) for slot in range(1, self._slots[nic.machine]))
        return next((one for one in slots if one in self._plugged and one not in gone), None)

    def _stay(self, group: Sequence[Move]) -> bool:
        """Whether each node keeps a cable that carries something; one that has a single cable cannot."""
        gone = Counter(
            nic.machine for nic in {move.before[0] for move in group if move.before} if nic not in self._dead
        )
        return all((has := int(self._on[self._row[node]].sum())) > number or has == 1 for node, number in gone.items())

    def _without(self, group: Sequence[Move], shared: npt.NDArray[np.int16]) -> npt.NDArray[np.int16]:
        """How many working switches each pair shares while the group's cables are idle."""
        left, on = shared.copy(), self._on.copy()
        for move in group:
            if move.before and move.before[0] not in self._dead:
                row, column = self._row[move.before[0].machine], self._column[move.before[1]]
                left[row] -= on[:, column]
                left[:, row] -= on[:, column]
                on[row, column] = 0
        return left

    def _cost(self, group: Sequence[Move], shared: npt.NDArray[np.int16]) -> int:
        return self._apart(self._without(group, shared)) - self._apart(shared)

    def _apart(self, shared: npt.NDArray[np.int16]) -> int:
        """How many pairs share no working switch."""
        return int(np.count_nonzero((shared <= 0) & self._pairs))

    def _pull(self, shared: npt.NDArray[np.int16]) -> Move:
        """A plug to be pulled before its time, where no move can be made whole: it is put in once there is a port."""
        # A node that is out of the uplink switch, and in no other yet, would be out of reach.
        ready = [
            move
            for move in self.left
            if move.before and move.after and self._uplink not in (move.before[1], move.after[1]) and self._stay([move])
        ]
        if not ready:
            raise FlathoodError("no order of these moves keeps every node within reach: move fewer cables at a time")
        chosen = min(ready, key=lambda move: self._cost([move], shared))
        self.left[self.left.index(chosen)] = Move(None, chosen.after)
        return Move(chosen.before, None)

    def _rack(self, group: Sequence[Move]) -> int:
        return self._places[_node(group[0])].rack

    def _make(self, moves: list[Move], apart: int) -> Batch:
        """Make a batch, as far as this order is concerned; its moves stand in the order of the racks."""
        moves.sort(key=lambda move: (self._places[_node(move)], move.nic.slot))
        for move in moves:
            if move in self.left:
                self.left.remove(move)
            if move.before:
                nic, switch = move.before
                del self._plugged[nic]
                self._used[switch] -= 1
                if nic in self._dead:
                    self._dead.discard(nic)
                else:
                    self._on[self._row[nic.machine], self._column[switch]] = 0
        for move in moves:
            if move.after:
                nic, switch = move.after
                self._plugged[nic] = switch
                self._used[switch] += 1
                if switch == self._uplink:
                    self._dead.add(nic)
                else:
                    self._on[self._row[nic.machine], self._column[switch]] = 1
        return Batch(tuple(moves), apart)


def _leaves(move: Move) -> bool:
    """Whether a move frees a port of the switch that it comes from."""
    return move.before is not None and (move.after is None or move.after[1] != move.before[1])


def _node(move: Move) -> str:
    return move.nic.machine
