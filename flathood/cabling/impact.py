# SPDX-License-Identifier: Apache-2.0
"""What a cabling is worth: pairs of nodes that share no switch, and how much of the planned bandwidth there is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.cabling.moves import Cable, Move
from flathood.spec import Cluster
from flathood.wiring.model import Wiring


@dataclass(frozen=True)
class Impact:
    """Of one cabling: how many pairs that should share a switch do not, the first of them, and the bandwidth.

    ``bandwidth``: the mean number of switches that a pair shares, as a part of what the plan gives.
    """

    uncovered: int
    examples: tuple[tuple[str, str], ...]
    bandwidth: float

    def data(self) -> dict[str, object]:
        """The figures, ready for JSON."""
        return {"uncovered": self.uncovered, "examples": [list(pair) for pair in self.examples]} | {
            "bandwidth": round(self.bandwidth, 4)
        }


class Coverage:
    """Which pairs share how many switches, kept up to date while cables move."""

    def __init__(self, cluster: Cluster, wiring: Wiring) -> None:
        self.nodes = [name for name in cluster.node_names if name not in wiring.left_out]
        self._row = {name: number for number, name in enumerate(self.nodes)}
        self._column = {name: number for number, name in enumerate(cluster.switch_names)}
        planned = self.on({name: wiring.nodes[name] for name in self.nodes})
        shared = planned @ planned.T
        #: Pairs that must share a switch, bool[n, n]: all of them, or those that a wiring without that promise covers.
        self.required = np.triu(np.ones(shared.shape, dtype=np.bool_) if wiring.universal else shared > 0, 1)
        self._planned_sum = float(np.triu(shared, 1).sum())

    def on(self, rows: Mapping[str, Sequence[str | None]]) -> npt.NDArray[np.float32]:
        """How many cables each node has in each switch, float32[nodes, switches], 0 or 1."""
        table = np.zeros((len(self.nodes), len(self._column)), dtype=np.float32)
        for name in self.nodes:
            for switch in rows.get(name, ()):
                if switch in self._column:
                    table[self._row[name], self._column[switch]] = 1
        return table

    def of(self, rows: Mapping[str, Sequence[str | None]]) -> Impact:
        """What a cabling is worth; `rows` are the switches of each node."""
        table = self.on(rows)
        shared = table @ table.T
        bad = self.required & (shared < 0.5)
        examples = tuple((self.nodes[a], self.nodes[b]) for a, b in np.argwhere(bad)[:4])
        total = float(np.triu(shared, 1).sum())
        return Impact(int(bad.sum()), examples, total / self._planned_sum if self._planned_sum else 1.0)

    def meanwhile(self, cables: Sequence[Cable], moves: Sequence[Move]) -> tuple[int, float]:
        """The most uncovered pairs, and the least bandwidth, at any time while the moves are made one after another."""
        count = np.zeros((len(self.nodes), len(self._column)), dtype=np.float32)
        for nic, switch in cables:
            self._add(count, (nic, switch), 1)
        table = (count > 0).astype(np.float32)
        shared = table @ table.T
        both = self.required | self.required.T
        bad = int((self.required & (shared < 0.5)).sum())
        total = float(np.triu(shared, 1).sum())
        worst, least = bad, total
        for move in moves:
            for cable, step in ((move.before, -1), (move.after, 1)):
                row = self._add(count, cable, step) if cable else None
                if row is None:
                    continue
                fresh = (count > 0).astype(np.float32)[row]
                after = table @ fresh
                after[row] = fresh.sum()
                bad += int((both[row] & (after < 0.5)).sum()) - int((both[row] & (shared[row] < 0.5)).sum())
                total += float(after.sum() - after[row] - shared[row].sum() + shared[row, row])
                table[row], shared[row], shared[:, row] = fresh, after, after
                worst, least = max(worst, bad), min(least, total)
        return worst, least / self._planned_sum if self._planned_sum else 1.0

    def _add(self, count: npt.NDArray[np.float32], cable: Cable, step: int) -> int | None:
        row, column = self._row.get(cable[0].machine), self._column.get(cable[1])
        if row is None or column is None:
            return None
        count[row, column] += step
        return row
