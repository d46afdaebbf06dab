# SPDX-License-Identifier: Apache-2.0
"""Whole switches that stand in each other's place: found by an assignment of labels to the cables that are seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.optimize import linear_sum_assignment

from flathood.cabling.picture import Nic, Picture

#: Cables that a new label must explain beyond the switch's own: one slip explains two cables, so two labels that are
#: exchanged have to explain more than two to be the simpler story.
_BONUS = 1.01


def relabelling(switches: Sequence[str], planned: Mapping[Nic, str], picture: Picture) -> dict[str, str]:
    """For each switch whose cables are seen in another one, that other: planned → seen; empty when all are in place.

    The names that fit most cables, found as an assignment problem; a switch keeps its name unless another fits better.
    """
    column = {switch: number for number, switch in enumerate(switches)}
    fits = np.eye(len(switches)) * _BONUS
    for nic, switch in planned.items():
        seen = picture.one(nic)
        if switch in column and seen in column:
            fits[column[switch], column[seen]] += 1
    rows, columns = linear_sum_assignment(fits, maximize=True)
    return {
        switches[row]: switches[seen] for row, seen in zip(rows.tolist(), columns.tolist(), strict=True) if row != seen
    }
