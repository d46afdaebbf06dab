# SPDX-License-Identifier: Apache-2.0
"""How far one machine is on its way from nothing known to every NIC verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

from flathood.registry.model import Nic, State


class Progress(StrEnum):
    """How much is known of one machine, taken together."""

    UNKNOWN = "unknown"  # of no slot that is needed
    EXPECTED = "expected"  # from lists only
    SEEN = "seen"  # some slots, not all
    COMPLETE = "complete"  # every slot, but not the place of each
    VERIFIED = "verified"  # every slot and its place
    CONFLICTING = "conflicting"  # of some slot two sources disagree


def progress_of(nics: Sequence[Nic | None], slots: Iterable[int]) -> Progress:
    """The progress of a machine with these NICs, of whose slots those in ``slots`` are needed.

    >>> progress_of((Nic(mac="02:00:5e:10:00:01", state=State.SEEN), None), (0, 1))
    <Progress.SEEN: 'seen'>
    """
    if any(nic.state is State.CONFLICTING for nic in nics if nic is not None):
        return Progress.CONFLICTING
    needed = [nics[slot] if slot < len(nics) else None for slot in slots]
    states = {nic.state if nic is not None else None for nic in needed}
    if not states or states == {State.VERIFIED}:
        return Progress.VERIFIED
    if states <= {State.SEEN, State.VERIFIED}:
        return Progress.COMPLETE
    if states & {State.SEEN, State.VERIFIED}:
        return Progress.SEEN
    return Progress.EXPECTED if State.EXPECTED in states else Progress.UNKNOWN
