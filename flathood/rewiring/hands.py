# SPDX-License-Identifier: Apache-2.0
"""Who moves the plugs: people, who are told what to do and say when it is done, or the embedded lab."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from flathood.cabling.moves import Move
from flathood.cabling.picture import Nic
from flathood.checks.evidence import IN_LAB
from flathood.errors import FlathoodError
from flathood.inventory import Inventory, load
from flathood.lab import Lab
from flathood.lab.hardware import nic as nic_name
from flathood.registry import macs_of
from flathood.rewiring.exchange import Replacing
from flathood.rewiring.journal import AFTER
from flathood.rewiring.least import cables
from flathood.rewiring.people import plugs, sheet
from flathood.rewiring.work import Work
from flathood.spec.model import Cluster
from flathood.spec.racks import standing

PEOPLE, LAB, AUTO = "people", "lab", "auto"
_DONE = "Press Enter when done"


class Hands(NamedTuple):
    """Who moves plugs.

    Attributes:
        who: `PEOPLE`, `LAB`, or `AUTO`: the lab where this runs at the head of the cluster's lab.
        mistakes: how many plugs the lab puts into a wrong switch at the first attempt.
        people: how many share the work.

    """

    who: str = AUTO
    mistakes: int = 0
    people: int = 1

    def of_lab(self, cluster: Cluster) -> bool:
        """Whether the lab is to do it."""
        return self.who == LAB or (self.who == AUTO and os.environ.get(IN_LAB) == cluster.cluster)


def plug(work: Work, hands: Hands, attempt: int, problems: Sequence[str]) -> str:
    """Have the plugs of the open batch moved; the text that asks people to, empty where the lab has done it.

    ``attempt``: how often it was tried. ``problems``: what was wrong after the last time.
    """
    batch = work.where.batch
    if batch is None:
        raise FlathoodError("no batch is under way")
    if hands.of_lab(work.cluster):
        _by_lab(load(work.directory, need_macs=True), batch.places(), 0 if attempt else hands.mistakes)
        return ""
    number = work.where.number + 1
    title = f"Batch {number} of {len(work.where.batches)}: {plugs(batch.moves)}"
    return _asked([title, *sheet(work.cluster, batch.moves, hands.people)], problems)


def exchange(replacing: Replacing, hands: Hands, attempt: int, problems: Sequence[str]) -> str:
    """Have the cables of a node and a spare changed over (see `plug`); the lab switches on what is off."""
    inventory, made = replacing.inventory, replacing.exchange
    if hands.of_lab(inventory.cluster):
        _by_lab(inventory, places(replacing), 0 if attempt else hands.mistakes)
        if made.back:
            lab = Lab.open(inventory.cluster.cluster)
            machine, _ = _lab_nics(lab)[replacing.other.mac]
            lab.power_on(machine)
        return ""
    return _asked(changeover(replacing), problems)


def places(replacing: Replacing) -> dict[Nic, str | None]:
    """Where the cables of both machines are to be, by the names that the two have afterwards; None: there is none."""
    inventory, made = replacing.inventory, replacing.exchange
    row = inventory.wiring.nodes[made.node]
    found: dict[Nic, str | None] = {Nic(made.node, slot): switch for slot, switch in enumerate(row) if switch}
    known = {slot for slot, mac in enumerate(macs_of(inventory.registry, made.spare)) if mac}
    found |= {Nic(made.spare, slot): None for slot in range(1, len(row)) if slot in known}
    return found | {Nic(made.spare, 0): inventory.cluster.uplink.name}


def judged(replacing: Replacing) -> dict[Nic, str | None]:
    """Those of these places that evidence can be had of: not of what is dead."""
    inventory, made = replacing.inventory, replacing.exchange
    idle = {Nic(one.node, one.slot) for one in inventory.wiring.idle}
    there = {made.node, made.spare} if made.back else {made.node}
    return {nic: to for nic, to in places(replacing).items() if nic.machine in there and nic not in idle}


def changeover(replacing: Replacing) -> list[str]:
    """What people are to do, by the names that are on the labels before it: each line a plug or a step."""
    inventory, made = replacing.inventory, replacing.exchange
    cluster = inventory.cluster
    row = cables({made.node: inventory.wiring.nodes[made.node]})
    # Cables, not ports: each stays in its switch, and only the ends at the two machines change over.
    moves = [Move((nic, to), (Nic(made.spare, nic.slot), to)) for nic, to in row]
    moves.append(Move((Nic(made.spare, 0), cluster.uplink.name), (Nic(made.node, 0), cluster.uplink.name)))
    where = {stands.name: f" (rack {stands.rack}, unit {stands.unit})" for stands in standing(cluster)}
    node, spare = (f"{name}{where.get(name, '')}" for name in (made.node, made.spare))
    first = (
        f"Put the repaired machine, {spare}, back into the place of {node}:"
        if made.back
        else f"Put the spare {spare} into the place of {node}, which is dead:"
    )
    lines = [first, *(f"  {move.sentence()}" for move in moves)]
    lines.append("  A NIC that still has a plug becomes free by another line of this list: pull that one first.")
    lines.append(f"  Exchange the labels of the two: {made.spare} is {made.node} now, {made.node} is {made.spare}.")
    if made.back:
        lines.append(f"  Switch the repaired machine on, {made.node} from now on.")
    return lines


def _asked(lines: Sequence[str], problems: Sequence[str]) -> str:
    """The text that asks people to do this, or to mend what was wrong."""
    if problems:
        lines = ["Not yet as it should be:", *(f"  {problem}" for problem in problems)]
    return "\n".join([*lines, _DONE])


def worklist(work: Work, people: int = 1) -> list[str]:
    """What is left to be moved, batch by batch, person by person and rack by rack, in plain words."""
    where = work.where
    back = [batch.reverse() for batch in reversed(where.batches[: where.at])]
    todo = where.batches[where.at :] if where.toward == AFTER else back
    lines = [f"{work.told()}; {plugs([move for batch in todo for move in batch.moves])} to be moved"]
    for number, batch in enumerate(todo, where.number + 1):
        pairs = f"{batch.apart} pair{'s' * (batch.apart != 1)}"
        aside = f", {pairs} through the uplink meanwhile" if batch.apart > 0 else ""
        lines += [f"Batch {number}: {plugs(batch.moves)}{aside}", *sheet(work.cluster, batch.moves, people)]
    return lines


def _by_lab(inventory: Inventory, wanted: Mapping[Nic, str | None], mistakes: int) -> None:
    """Move the cables in the lab; those that are in place already stay, as hands leave them.

    The lab's machines keep the names that are on their cases: a NIC is known by its MAC.
    """
    lab = Lab.open(inventory.cluster.cluster)
    cases, plugged = _lab_nics(lab), lab.state.cables
    found = {
        cases.get(macs_of(inventory.registry, nic.machine)[nic.slot] or "", (nic.machine, nic.slot)): to
        for nic, to in wanted.items()
    }
    wrong = {case: to for case, to in found.items() if plugged.get(nic_name(*case)) != to}
    for case in wrong:
        if nic_name(*case) in plugged:
            lab.unplug(*case)
    names = inventory.cluster.switch_names
    for case, to in wrong.items():
        slip = mistakes > 0 and to in names
        if to is not None:
            lab.recable(*case, names[(names.index(to) + 1) % len(names)] if slip else to)
        mistakes -= slip


def _lab_nics(lab: Lab) -> dict[str, tuple[str, int]]:
    """The lab's machine and slot of each MAC."""
    return {mac: (machine, slot) for machine, slot, mac in lab.macs()}
