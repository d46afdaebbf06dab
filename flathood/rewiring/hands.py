# SPDX-License-Identifier: Apache-2.0
"""Who moves the plugs: people, who are told what to do and say when it is done, or the embedded lab."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import groupby

from flathood.cabling.moves import Move
from flathood.cabling.picture import Nic
from flathood.checks.evidence import IN_LAB
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.lab.hardware import nic as nic_name
from flathood.rewiring.batches import Batch
from flathood.rewiring.journal import AFTER
from flathood.rewiring.work import Work
from flathood.spec.model import Cluster
from flathood.spec.racks import standing

PEOPLE, LAB, AUTO = "people", "lab", "auto"


def plug(work: Work, hands: str, attempt: int, mistakes: int, problems: Sequence[str]) -> str:
    """Have the plugs of the open batch moved; the text that asks people to, empty where the lab has done it.

    ``hands``: `PEOPLE`, `LAB`, or `AUTO`: the lab where this runs at the head of the cluster's lab. ``mistakes``: how
    many plugs the lab puts into a wrong switch at the first attempt. ``problems``: what was wrong after the last one.
    """
    batch = work.where.batch
    if batch is None:
        raise FlathoodError("no batch is under way")
    if hands == LAB or (hands == AUTO and os.environ.get(IN_LAB) == work.cluster.cluster):
        _by_lab(work.cluster, batch, 0 if attempt else mistakes)
        return ""
    if problems:
        return "\n".join(
            ["Not yet as it should be:", *(f"  {problem}" for problem in problems), "Press Enter when done"]
        )
    number = work.where.number + 1
    title = f"Batch {number} of {len(work.where.batches)}: {len(batch.moves)} plugs"
    return "\n".join([title, *_lines(work.cluster, batch), "Press Enter when done"])


def worklist(work: Work) -> list[str]:
    """What is left to be moved, batch by batch and rack by rack, in plain words."""
    where = work.where
    back = [batch.reverse() for batch in reversed(where.batches[: where.at])]
    todo = where.batches[where.at :] if where.toward == AFTER else back
    lines = [f"{work.told()}; {sum(len(batch.moves) for batch in todo)} plugs to be moved"]
    for number, batch in enumerate(todo, where.number + 1):
        aside = f", {batch.apart} pairs through the uplink meanwhile" if batch.apart > 0 else ""
        lines += [f"Batch {number}: {len(batch.moves)} plugs{aside}", *_lines(work.cluster, batch)]
    return lines


def _lines(cluster: Cluster, batch: Batch) -> Iterator[str]:
    """The moves of a batch under their racks; where they wait for each other's ports, all plugs are pulled first."""
    racks = {stands.name: stands.rack for stands in standing(cluster)}

    def rack(move: Move) -> str:
        return racks.get(move.nic.machine, "")

    for name, moves in groupby(batch.moves, key=rack):
        if name:
            yield f"  Rack {name}"
        yield from (f"  {'  ' if name else ''}{move.sentence()}" for move in moves)
    if len(batch.moves) > 1:
        yield "  A port that is still taken becomes free by another plug of this list: pull that one first."


def _by_lab(cluster: Cluster, batch: Batch, mistakes: int) -> None:
    """Move the cables in the lab; those that are in place already stay, as hands leave them."""
    lab = Lab.open(cluster.cluster)
    plugged = lab.state.cables
    wrong = {nic: switch for nic, switch in batch.places().items() if plugged.get(_name(nic)) != switch}
    for nic in wrong:
        if _name(nic) in plugged:
            lab.unplug(nic.machine, nic.slot)
    names = cluster.switch_names
    for nic, switch in wrong.items():
        if switch is None:
            continue
        slip = mistakes > 0
        mistakes -= slip
        lab.recable(nic.machine, nic.slot, names[(names.index(switch) + slip) % len(names)])


def _name(nic: Nic) -> str:
    return nic_name(nic.machine, nic.slot)
