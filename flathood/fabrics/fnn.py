# SPDX-License-Identifier: Apache-2.0
"""The flat neighborhood network: a segment is a switch, and a pair talks by any switch that both are on."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring


class FlatNeighborhoods:
    """H. G. Dietz and T. I. Mattox, "KLAT2's Flat Neighborhood Network" (2000): one switch between any two nodes."""

    def __init__(self, cluster: Cluster, wiring: Wiring) -> None:
        self.segments = cluster.switch_names
        self.attach: npt.NDArray[np.int16] = wiring.matrix(cluster)
        self.usable: npt.NDArray[np.int16] = wiring.usable(cluster) if wiring.idle else self.attach
        self._member = np.zeros((len(self.attach), len(self.segments)), dtype=np.bool_)
        nodes, slots = np.nonzero(self.usable >= 0)
        self._member[nodes, self.usable[nodes, slots]] = True

    def allowed(self, ends: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """The switches that both ends of each pair are on, shape (pairs, switches)."""
        both: npt.NDArray[np.bool_] = self._member[ends] & self._member[others]
        return both
