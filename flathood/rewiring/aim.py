# SPDX-License-Identifier: Apache-2.0
"""What an operator wants of a rewiring: another profile, a wiring that is there, the way back, or just to go on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flathood.cabling.evidence import wiring_digest
from flathood.cabling.picture import Nic
from flathood.design.engine import Budget
from flathood.design.folder import rules_with
from flathood.errors import Conflict, FlathoodError
from flathood.inventory import CLUSTER, Inventory, load
from flathood.rewiring.batches import MOST
from flathood.rewiring.exchange import under_way
from flathood.rewiring.front import Wish, front
from flathood.rewiring.journal import AFTER, BEFORE
from flathood.rewiring.work import Work
from flathood.spec.known import several
from flathood.wiring.load import load_wiring
from flathood.wiring.model import Wiring


@dataclass(frozen=True)
class Aim:
    """What is wanted.

    Attributes:
        profile: the traffic to rewire for.
        moves: the most moves that it may take; None: as many as the gain is worth.
        gain: the part of all that can be gained which is enough, 0 … 1.
        without: switches not to be used, such as one that is dead; their cables go where they help.
        wiring: a wiring.yml to rewire to, in place of a profile.
        undo: back to what was before.
        most: cables that are moved at one go.
        seconds: how long the search may take.

    """

    profile: str | None = None
    moves: int | None = None
    gain: float = 1.0
    without: tuple[str, ...] = ()
    wiring: Path | None = None
    undo: bool = False
    most: int = MOST
    seconds: float = 20.0

    def work(self, directory: Path, dry: bool = False) -> Work | None:
        """The rewiring to go on with, or a new one; None: all is as wanted already.

        ``dry``: nothing is written. Raises Conflict when another rewiring is under way, FlathoodError when there is
        nothing to undo or to go on with.
        """
        inventory = load(directory, need_macs=True)
        there = Work.of(directory, inventory.cluster)
        if (replacing := under_way(inventory)) is not None:
            told = replacing.exchange.told()
            raise Conflict(f"{directory}: {told}, which has not come to its end: go on with it, or take it back, first")
        if self.undo:
            if there is None:
                raise FlathoodError(f"{directory}: there is no rewiring to undo")
            if there.where.ended and there.where.toward == BEFORE:
                return None
            return there.turn(BEFORE, dry)
        wish = self._wish(inventory)
        if there and not there.where.ended:
            if wish and wish != there.where.wish:
                raise Conflict(
                    f"{directory}: another rewiring is under way ({there.told()}): go on with it, or undo it first"
                )
            return there.turn(AFTER, dry) if wish else there
        if not wish:
            raise FlathoodError("no rewiring is under way: say what for, by a profile or a wiring")
        if there and there.where.toward == AFTER and wish == there.where.wish and there.settled:
            return None
        target = self._target(inventory)
        if target.plugged == inventory.wiring.plugged:
            return None
        found = Work.to(directory, inventory.cluster, target, self.most, wish)
        _check_macs(inventory, found)
        return found if dry else found.begun()

    def _wish(self, inventory: Inventory) -> dict[str, Any]:
        """What tells this aim from another one, ready for JSON; nothing when it only says to go on."""
        if self.wiring is not None:
            return {"wiring": wiring_digest(load_wiring(self.wiring, inventory.cluster))}
        if not (self.profile or self.without):
            return {}
        wish: dict[str, Any] = {"profile": self.profile, "moves": self.moves, "gain": self.gain}
        return wish | ({"without": list(self.without)} if self.without else {})

    def _target(self, inventory: Inventory) -> Wiring:
        if self.wiring is not None:
            return load_wiring(self.wiring, inventory.cluster)
        cluster, rows = inventory.cluster, inventory.wiring.nodes
        if nodes := [name for name in self.without if name in cluster.node_names]:
            raise FlathoodError(f"{several(nodes)}: a node cannot be left without a cable while it is in {CLUSTER}")
        rules = rules_with(cluster, {"without": (*cluster.design.without, *self.without)})
        # Of a switch that is left out, the cables are idle and their NICs are not dead; nor are those still to come.
        idle = {Nic(one.node, one.slot) for one in inventory.wiring.idle}
        idle -= {Nic(node, slot) for node, slot in inventory.wiring.coming}
        broken = frozenset(nic for nic in idle if rows[nic.machine][nic.slot] not in rules.without)
        wish = Wish(self.profile, inventory.directory, rules, broken, budget=Budget(seconds=self.seconds))
        found = front(inventory.cluster, inventory.wiring, wish)
        enough = found.reaching(self.gain)
        return (found.within(self.moves) if self.moves is not None and self.moves < enough.moves else enough).wiring


def _check_macs(inventory: Inventory, work: Work) -> None:
    """Raise FlathoodError when a cable is to be put into a NIC whose MAC is not known."""
    macs = {
        Nic(name, slot)
        for name, nics in inventory.registry.nodes.items()
        for slot, nic in enumerate(nics)
        if nic is not None
    }
    unknown = sorted({nic for batch in work.where.batches for nic in batch.nics} - macs)
    if unknown:
        raise FlathoodError(f"the MACs of {several(map(str, unknown))} are not known, and their cables are to be moved")
