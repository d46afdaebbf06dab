# SPDX-License-Identifier: Apache-2.0
"""What the compiler knows of a fabric.

A segment is a set of NICs that hear each other with no router between them: the ports of one switch in a flat
neighborhood network, the two ends of one cable in a ring. Each segment has a subnet; what joins its NICs is no
concern of the compiler.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt


class Fabric(Protocol):
    """The links of a cluster and the paths that a pair may use."""

    @property
    def segments(self) -> tuple[str, ...]:
        """Names of the segments, in number order."""

    @property
    def attach(self) -> npt.NDArray[np.int16]:
        """Segment of each NIC, shape (nodes, most slots); -1: the slot is not used, or there is none."""

    @property
    def usable(self) -> npt.NDArray[np.int16]:
        """As ``attach``, with -1 for each NIC whose cable carries nothing for now: paths go by the others."""

    def allowed(self, ends: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
        """By which segments each pair (``ends[k]``, ``others[k]``) may talk, shape (pairs, segments)."""
