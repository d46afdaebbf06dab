# SPDX-License-Identifier: Apache-2.0
"""Chains of moves that relieve the most loaded NICs where no single move can.

To move a pair from one segment to another loads a NIC at each end of it; where the far one then has too much, a pair of
its own moves on, and so forth: Kempe's chains, by which the edges of a graph are coloured (V. G. Vizing, 1964), with
weights and with a list of colours for each edge. A chain counts only if every NIC that it touches ends below the top.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from flathood.fabrics.base import Fabric
from flathood.plan.balance import Matrix, nic_bound, nic_loads

#: Above this many nodes a NIC has so many pairs that one too many is nothing.
MOST = 128
#: Tried moves of one chain; a chain that is found is much shorter.
_TRIES = 4000
_EPS = 1e-9


def relieve(fabric: Fabric, chosen: npt.NDArray[np.int16], weights: Matrix) -> None:
    """Change ``chosen`` (int16[n, n], symmetric) in place until its most loaded NIC is at the bound or no chain helps.

    Each chain leaves fewer NICs at the top, so it comes to an end. Deterministic.
    """
    if len(chosen) > MOST:
        return
    bound = nic_bound(fabric, weights)
    state = _State(fabric, chosen, weights)
    while state.load.max(initial=0) > bound + _EPS and state.improve():
        pass


@dataclass
class _State:
    """The choice as it stands, the load of each NIC, float64[nodes, segments], and what one attempt has tried."""

    fabric: Fabric
    chosen: npt.NDArray[np.int16]
    weights: Matrix
    load: Matrix = field(init=False)
    top: float = field(init=False, default=0.0)
    _tried: set[tuple[int, int, int]] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        n = len(self.chosen)
        self.load = nic_loads(self.fabric, self.chosen, self.weights)
        ends, others = (place.reshape(-1) for place in np.indices((n, n)))
        self._allowed = self.fabric.allowed(ends, others).reshape(n, n, -1)

    def improve(self) -> bool:
        """Bring one of the most loaded NICs below the top; False: no chain does."""
        self.top = float(self.load.max()) - _EPS
        for node, segment in np.argwhere(self.load >= self.top).tolist():
            self._tried = set()
            if self._chain(node, segment):
                return True
        return False

    def _chain(self, node: int, segment: int) -> bool:
        """Take pairs off a NIC that has too much until it has not; all is as before where that cannot be done."""
        path: list[tuple[int, int, int, int]] = []
        ways: list[Iterator[tuple[int, int]]] = [self._ways(node, segment)]
        place = [(node, segment)]
        while ways and len(self._tried) < _TRIES:
            step = next(ways[-1], None)
            here, old = place[-1]
            if step is None:
                ways.pop()
                place.pop()
                if path:
                    self._move(*self._back(path.pop()))
                continue
            peer, new = step
            self._tried.add((min(here, peer), max(here, peer), new))
            self._move(here, peer, old, new)
            path.append((here, peer, old, new))
            if self.load[peer, new] < self.top:
                return True
            place.append((peer, new))
            ways.append(self._ways(peer, new))
        for done in reversed(path):
            self._move(*self._back(done))
        return False

    def _ways(self, node: int, segment: int) -> Iterator[tuple[int, int]]:
        """Peer and new segment of each pair that may leave a NIC so that both NICs of the node are below the top."""
        peers = np.flatnonzero(self.chosen[node] == segment)
        for peer in peers[np.argsort(-self.weights[node, peers], kind="stable")].tolist():
            weight = self.weights[node, peer]
            if weight <= 0 or self.load[node, segment] - weight >= self.top:
                continue
            segments = np.flatnonzero(self._allowed[node, peer])
            for new in segments[np.argsort(self.load[peer, segments], kind="stable")].tolist():
                pair = (min(node, peer), max(node, peer), new)
                if new != segment and self.load[node, new] + weight < self.top and pair not in self._tried:
                    yield peer, new

    def _move(self, node: int, peer: int, old: int, new: int) -> None:
        weight = self.weights[node, peer]
        for end in (node, peer):
            self.load[end, old] -= weight
            self.load[end, new] += weight
        self.chosen[node, peer] = self.chosen[peer, node] = new

    @staticmethod
    def _back(move: tuple[int, int, int, int]) -> tuple[int, int, int, int]:
        node, peer, old, new = move
        return node, peer, new, old
