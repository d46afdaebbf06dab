# SPDX-License-Identifier: Apache-2.0
"""The least moves from the cables as they are to the cables as they should be: an assignment problem.

A cable joins a NIC and a switch. Moving one of its plugs changes one of the two, so turning the cable (NIC i, switch s)
into (j, t) takes one move where i = j or s = t, else two; a cable too many is pulled out and one too few plugged in,
one move each. These distances obey the triangle inequality, so a cable that is as planned stays in some least set of
moves, and the others are matched at the least total (Jonker and Volgenant, Computing 38, 1987, as in SciPy): no plan of
single moves is shorter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment

from flathood.cabling.picture import Nic

Cable = tuple[Nic, str]

#: Moves weigh this much, the preferences among equally many moves 1 or 2.
_MOVE = 1_000_000


@dataclass(frozen=True)
class Move:
    """One plug to be moved by a person; `before` is empty where a cable is missing, `after` where one is too much."""

    before: Cable | None
    after: Cable | None
    first: bool = False

    @property
    def nic(self) -> Nic:
        """The NIC whose cable it is in the end, or was."""
        return (self.after or self.before or (Nic("", 0), ""))[0]

    def sentence(self) -> str:
        """What to do, in plain words; the name of a switch is the colour of its cables."""
        if self.before is None or self.after is None:
            nic, switch = self.after or self.before or (self.nic, "")
            if self.before is None:
                return f"{nic.machine}: plug a cable from {nic.device} into {switch}"
            return f"{nic.machine}: pull the cable of {nic.device} out of {switch}"
        (old, source), (new, target) = self.before, self.after
        if old == new:
            text = f"{old.machine}: the cable in {old.device} goes from {source} to {target}"
        elif old.machine == new.machine:
            text = f"{old.machine}: the {source} cable goes from {old.device} to {new.device}"
        else:
            text = f"the {source} cable goes from {old.machine} {old.device} to {new.machine} {new.device}"
        return f"{text} (pull it first: {target} is full)" if self.first else text

    def data(self) -> dict[str, object]:
        """The move, ready for JSON."""
        ends = {
            key: None if cable is None else {"machine": cable[0].machine, "slot": cable[0].slot, "switch": cable[1]}
            for key, cable in (("before", self.before), ("after", self.after))
        }
        return {**ends, "text": self.sentence()}


def least_moves(found: Iterable[Cable], wanted: Iterable[Cable], ports: Mapping[str, int]) -> list[Move]:
    """The fewest moves from the cables that are found to those that are wanted, in an order that finds free ports.

    `ports`: how many node ports each switch has. Among equally few moves, those at one machine's back are preferred to
    those at a switch, and these to a cable that goes to another machine.
    """
    there, here = set(found), set(wanted)
    surplus, missing = sorted(there - here), sorted(here - there)
    moves = [Move(before, after) for before, after in _matched(surplus, missing)]
    return _ordered(moves, Counter(switch for _, switch in there), ports)


def _matched(surplus: list[Cable], missing: list[Cable]) -> list[tuple[Cable | None, Cable | None]]:
    """Pairs of cables to be turned into each other, at the least total; two-move pairs are split into two moves."""
    many, few = len(surplus), len(missing)
    if not many + few:
        return []
    # A square problem: each surplus cable may also go to nobody, each missing one come from nowhere.
    cost = np.full((many + few, few + many), _MOVE, dtype=np.int64)
    cost[many:, few:] = 0
    if many and few:
        numbers = {name: number for number, name in enumerate({nic.machine for nic, _ in (*surplus, *missing)})}
        codes = {switch: number for number, switch in enumerate({switch for _, switch in (*surplus, *missing)})}
        left, right = (
            np.array([[numbers[nic.machine], nic.slot, codes[switch]] for nic, switch in cables], dtype=np.int64)
            for cables in (surplus, missing)
        )
        machine = left[:, None, 0] == right[None, :, 0]
        nic = machine & (left[:, None, 1] == right[None, :, 1])
        switch = left[:, None, 2] == right[None, :, 2]
        ends = 2 - nic.astype(np.int64) - switch
        cost[:many, :few] = ends * _MOVE + np.where(switch & machine, 0, np.where(nic, 1, 2))
    rows, columns = linear_sum_assignment(cost)
    pairs: list[tuple[Cable | None, Cable | None]] = []
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        before = surplus[row] if row < many else None
        after = missing[column] if column < few else None
        if before and after and before[0] != after[0] and before[1] != after[1]:
            pairs += [(before, None), (None, after)]
        elif before or after:
            pairs.append((before, after))
    return sorted(pairs, key=lambda pair: (pair[1] or pair[0], pair[0] is None))


def _ordered(moves: list[Move], used: Counter[str], ports: Mapping[str, int]) -> list[Move]:
    """Moves in an order in which each finds a free port; where all wait for each other, a cable is pulled first."""
    ordered: list[Move] = []
    waiting = list(moves)
    used = Counter(used)
    while waiting:
        ready = [move for move in waiting if _free(move, used, ports)]
        if not ready:
            stuck = waiting[0]
            ready = [Move(stuck.before, stuck.after, first=True)]
            waiting[0] = ready[0]
        for move in ready:
            if move.first or _free(move, used, ports):
                waiting.remove(move)
                ordered.append(move)
                if move.before:
                    used[move.before[1]] -= 1
                if move.after:
                    used[move.after[1]] += 1
    return ordered


def _free(move: Move, used: Counter[str], ports: Mapping[str, int]) -> bool:
    if move.after is None or (move.before and move.before[1] == move.after[1]):
        return True
    switch = move.after[1]
    return used[switch] < ports.get(switch, used[switch] + 1)
