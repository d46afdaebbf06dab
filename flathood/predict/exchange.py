# SPDX-License-Identifier: Apache-2.0
"""Exchange as it is played: who waits for whom in a ring of ranks, again and again.

Each rank begins to send to its right and to its left, receives from its left, then from its right, and waits until its
own messages are gone. Of a message longer than the library's eager limit only the first part is sent at once. The rest
goes when the receive is posted at the other end (rendezvous), and that for the message from the right is posted only
when the one from the left is there: long messages go in two turns. The answer that has the sender go on comes by the
connection on which its receiver sends a message to the same rank, and waits behind that. A rank begins anew as soon as
it is done, whatever the others do.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from flathood.predict.fluid import Numbers, Order
from flathood.predict.links import Indices

#: Times in a row that are looked at: the first one has all ranks begin at once, the later ones do not.
ROUNDS = 2


class Played(NamedTuple):
    """Transfers between ranks, as arrays, and their order.

    ``ends``, ``others``: from whom to whom; ``sizes``: bytes, 0 where nothing is sent and only an event is meant.
    ``first``: the number of the first rank's end, which has no bytes; the other ranks' follow.
    """

    ends: Indices
    others: Indices
    sizes: Numbers
    order: Order
    first: int


def exchange(ranks: int, groups: int, size: float, eager: float, empty: Numbers) -> Played:
    """ROUNDS times Exchange in ``groups`` rings of ``ranks``, messages of ``size`` bytes.

    ``eager``: most bytes that are sent before they are received. ``empty``: float64[2, ranks * groups], seconds of an
    empty message from each rank to its right, and to its left.
    """
    count = ranks * groups
    me = np.arange(count)
    start = me - me % ranks
    right, left = start + (me + 1) % ranks, start + (me - 1) % ranks
    early = min(size, eager)
    late = size - early
    # Six kinds of transfers in each round, of each all ranks' together; after the last round once more the first kind.
    begin, early_right, early_left, late_right, late_left, received = (kind * count + me for kind in range(6))
    step = 6 * count
    pairs = [
        (early_right, begin),
        (early_left, begin),
        # The rest of a message needs its first part to have come, and somebody who receives it.
        (late_right, early_right),
        (late_right, begin[right]),
        (late_left, early_left),
        (late_left, received[left]),
        (received, late_right[left]),
        # Both messages are received, and what has to be waited for is sent.
        (step + begin, received),
        (step + begin, late_left[right]),
    ]
    if late:
        # Messages that are not gone, and answers that wait behind what goes the same way to the same rank.
        pairs += [(step + begin, late_right), (step + begin, late_left)]
        pairs += [(late_right, early_left[right]), (late_left, late_right[left])]
    rounds = step * np.arange(ROUNDS)[:, None]
    later, sooner = (np.concatenate([(rounds + pair[side]).ravel() for pair in pairs]) for side in (0, 1))
    nothing = np.zeros(count)
    sizes = [nothing, nothing + early, nothing + early, nothing + late, nothing + late, nothing]
    asked = (empty[1][right] + empty[0], empty[0][left] + empty[1]) if late else (nothing, nothing)
    delay = [nothing, *empty, *asked, nothing]
    return Played(
        ends=np.append(np.tile(np.concatenate([me] * 6), ROUNDS), me),
        others=np.append(np.tile(np.concatenate([me, right, left, right, left, me]), ROUNDS), me),
        sizes=np.append(np.tile(np.concatenate(sizes), ROUNDS), nothing),
        order=Order(later, sooner, np.append(np.tile(np.concatenate(delay), ROUNDS), nothing)),
        first=ROUNDS * step,
    )
