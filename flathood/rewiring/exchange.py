# SPDX-License-Identifier: Apache-2.0
"""A node's machine and a spare's change places: their entries in macs.yml, with a journal of all such exchanges.

Names, addresses and wiring.yml belong to the place that a machine has in the cluster, so they stay: who takes over k17
is k17 from then on, and what was k17 is the spare. Only the MACs change places, and exchanging them once more is the
way back. The journal (`replacements.jsonl` beside the three files) tells what is exchanged now, and from where an
exchange goes on that was broken off:

- ``begin``: node, spare, which way, their MACs and the text of macs.yml before, and the text after;
- ``end``: the cables are where they belong, and every machine that can be reached knows the new MACs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from flathood.errors import Conflict, FlathoodError
from flathood.inventory import CLUSTER, MACS, Inventory, load
from flathood.plan.addresses import host
from flathood.plan.model import Plan
from flathood.registry import Registry, macs_of
from flathood.registry.save import registry_text
from flathood.rewiring.lines import append, edited, lines
from flathood.rewiring.work import Work
from flathood.spec.known import nearest
from flathood.spec.model import Cluster
from flathood.writing import locked, save

FILE = "replacements.jsonl"
Macs = tuple[str | None, ...]


@dataclass(frozen=True)
class Exchange:
    """One exchange of a node with a spare.

    Attributes:
        node, spare: their names.
        back: whether it takes an earlier one back.
        macs: the MACs of the node and of the spare before it, in slot order.
        before, after: the text of macs.yml before and after.
        ended: whether it has come to its end.

    """

    node: str
    spare: str
    back: bool
    macs: tuple[Macs, Macs]
    before: str
    after: str
    ended: bool = False

    def told(self) -> str:
        """What it is, in words."""
        return f"{self.node} is put back, and {self.spare}" if self.back else f"{self.spare} takes {self.node}'s place"


@dataclass(frozen=True)
class Machine:
    """A machine that changes its place.

    Attributes:
        now, becomes: its name before and after.
        old, new: its outside address before and after.
        mac: the MAC of its first NIC, which has both.

    """

    now: str
    becomes: str
    old: str
    new: str
    mac: str


@dataclass(frozen=True)
class Replacing:
    """An exchange in a cluster's folder; ``begun``: it is in the journal."""

    inventory: Inventory
    exchange: Exchange
    begun: bool = False

    @property
    def living(self) -> Machine:
        """The machine that works: the spare, or on the way back the one that has the node's place."""
        return self._machine(taken_out=self.exchange.back)

    @property
    def other(self) -> Machine:
        """The one that is dead, or on the way back repaired."""
        return self._machine(taken_out=not self.exchange.back)

    def _machine(self, *, taken_out: bool) -> Machine:
        exchange, cluster = self.exchange, self.inventory.cluster
        names = (exchange.node, exchange.spare) if taken_out else (exchange.spare, exchange.node)
        old, new = (_outside(cluster, name) for name in names)
        return Machine(*names, old, new, exchange.macs[0 if taken_out else 1][0] or "")

    @property
    def exchanged(self) -> bool:
        """Whether macs.yml has the exchange already. Raises Conflict when it has something else of the two."""
        exchange, registry = self.exchange, self.inventory.registry
        shown = (macs_of(registry, exchange.node), macs_of(registry, exchange.spare))
        if shown not in (exchange.macs, exchange.macs[::-1]):
            path = self.inventory.directory / MACS
            raise Conflict(
                f"{path}: the NICs of {exchange.node} or {exchange.spare} were changed since {exchange.told()}: put "
                "the file back as it was, and run again",
                path,
            )
        return shown != exchange.macs

    def make(self) -> Replacing:
        """Write it into the journal, unless it is there, and have macs.yml say it."""
        directory, exchange = self.inventory.directory, self.exchange
        path = directory / MACS
        with locked(path):
            current = replace(self, inventory=load(directory, need_macs=True))
            exchanged = current.exchanged
            if not self.begun:
                names = {"node": exchange.node, "spare": exchange.spare, "back": exchange.back}
                texts = {"macs": exchange.macs, "before": exchange.before, "after": exchange.after}
                append(directory / FILE, {"event": "begin", **names, **texts})
            if not exchanged:
                same = path.read_text(encoding="utf-8") == exchange.before
                registry = _swapped(current.inventory.registry, exchange.node, exchange.spare)
                save(path, exchange.after if same else registry_text(path, registry))
        return replace(self, inventory=load(directory, need_macs=True), begun=True)

    def end(self) -> Replacing:
        """Note that it has come to its end."""
        path = self.inventory.directory / FILE
        with locked(path):
            append(path, {"event": "end"})
        return replace(self, exchange=replace(self.exchange, ended=True))


def exchanges(directory: Path) -> tuple[Exchange, ...]:
    """All exchanges of a cluster's folder, the first one first. Raises InvalidInput."""
    path, found = Path(directory) / FILE, list[Exchange]()
    for number, said in lines(path):
        try:
            if said["event"] == "begin":
                macs = (tuple(said["macs"][0]), tuple(said["macs"][1]))
                texts = (str(said["before"]), str(said["after"]))
                found.append(Exchange(str(said["node"]), str(said["spare"]), bool(said["back"]), macs, *texts))
            elif said["event"] == "end" and found:
                found[-1] = replace(found[-1], ended=True)
            else:
                raise ValueError(f"{said['event']!r} is not to be expected here")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise edited(path, number, error) from error
    return tuple(found)


def under_way(inventory: Inventory) -> Replacing | None:
    """The exchange that is begun and has not come to its end; None: there is none."""
    found = exchanges(inventory.directory)
    return Replacing(inventory, found[-1], begun=True) if found and not found[-1].ended else None


def replacing(directory: Path, node: str, spare: str | None, back: bool = False) -> Replacing | None:
    """The exchange that somebody wants, or the same one to go on with; None: it is made, and nothing is left to do.

    ``spare``: on the way back it need not be named. Raises FlathoodError with all that speaks against it, Conflict
    while a rewiring or another exchange is under way.
    """
    inventory = load(directory, need_macs=True)
    _check_rewiring(inventory)
    made, current = exchanges(directory), under_way(inventory)
    if current:
        same = current.exchange.node == node and spare in (None, current.exchange.spare)
        if not same:
            raise Conflict(
                f"{directory / FILE}: {current.exchange.told()}, and this has not come to its end: go on with it, "
                "or take it back, first"
            )
        if current.exchange.back == back:
            return current
        turned = current.exchange
        way = replace(turned, back=back, macs=turned.macs[::-1], before=turned.after, after=turned.before)
        return Replacing(inventory, way)
    if back:
        earlier = _to_take_back(made, node, spare)
        if earlier is None:
            return None
        spare = earlier.spare
    elif spare is None:
        raise FlathoodError(f"{node} is to be replaced, but with what? Name a spare: -e with=NAME")
    elif any((one.node, one.spare) == (node, spare) for one in _in_force(made)):
        return None
    text = (directory / MACS).read_text(encoding="utf-8")
    if problems := _against(inventory, node, spare):
        raise FlathoodError("; ".join(problems))
    registry = inventory.registry
    after = registry_text(directory / MACS, _swapped(registry, node, spare))
    if back and earlier and text == earlier.after:
        after = earlier.before  # to the byte, whatever form it had
    macs = (macs_of(registry, node), macs_of(registry, spare))
    return Replacing(inventory, Exchange(node, spare, back, macs, text, after))


def witnesses(plan: Plan, node: str) -> dict[str, list[str]]:
    """Nodes that would hear a node if it lived, one on each of its switches; each with its addresses there."""
    number = plan.numbers[node]
    found: dict[str, list[str]] = {}
    for switch in plan.shared(number, number):
        others = [peer for peer in np.flatnonzero(plan.slot_on[:, switch] >= 0).tolist() if peer != number]
        for peer in others[:1]:
            found.setdefault(plan.names[peer], []).append(str(plan.neighborhood_ip(number, switch)))
    return found


def _in_force(made: Sequence[Exchange]) -> list[Exchange]:
    """The exchanges that are not taken back, the first one first."""
    found: list[Exchange] = []
    for one in made:
        if one.back:
            last = max(k for k, other in enumerate(found) if (other.node, other.spare) == (one.node, one.spare))
            del found[last]
        else:
            found.append(one)
    return found


def _to_take_back(made: Sequence[Exchange], node: str, spare: str | None) -> Exchange | None:
    """The last exchange of a node that is in force; None: it was taken back. Raises FlathoodError."""
    force = _in_force(made)
    mine = [k for k, one in enumerate(force) if one.node == node and spare in (None, one.spare)]
    if not mine:
        if any(one.node == node and one.back for one in made):
            return None
        raise FlathoodError(f"{node} has not been replaced{f' by {spare}' if spare else ''}: nothing is to be put back")
    earlier, later = force[mine[-1]], force[mine[-1] + 1 :]
    names = {earlier.node, earlier.spare}
    if since := [one for one in later if names & {one.node, one.spare}]:
        raise FlathoodError(f"{since[-1].told()} since: take that back first (-e node={since[-1].node} -e back=true)")
    return earlier


def _check_rewiring(inventory: Inventory) -> None:
    work = Work.of(inventory.directory, inventory.cluster)
    if work and not work.where.ended:
        raise Conflict(
            f"{inventory.directory}: a rewiring is under way ({work.told()}): go on with it, or undo it, first"
        )


def _against(inventory: Inventory, node: str, spare: str) -> list[str]:
    """All that speaks against this exchange, as far as the files tell."""
    cluster, wiring = inventory.cluster, inventory.wiring
    said: list[str] = []
    for name, names, kind in ((node, cluster.node_names, "node"), (spare, cluster.spare_names, "spare")):
        if name not in names:
            there = f"there are {', '.join(names)}" if names else f"{CLUSTER} has none"
            said.append(
                f"there is no {kind} {name!r}{nearest(name, names) or (': ' + there if len(names) < 9 else '')}"
            )
    if cluster.management is not None:
        said.append(
            "machines are reached by a management network, whose names go with the machines: have its names "
            f"exchanged there, and exchange {node} and {spare} in {MACS}"
        )
    if said:
        return said
    counts = cluster.nic_counts
    if counts[node] != counts[spare]:
        said.append(f"{node} has {counts[node]} NICs, {spare} has {counts[spare]}: take a spare of as many")
    row = wiring.nodes[node]
    needed = {0, *(slot for slot, switch in enumerate(row) if switch is not None)}
    for name in (node, spare):
        macs = macs_of(inventory.registry, name)
        if unknown := sorted(slot for slot in needed if slot >= len(macs) or macs[slot] is None):
            slots = ", ".join(f"fnn{slot}" for slot in unknown)
            said.append(f"the MACs of {slots} of {name} are not known: discover them, or `flathood macs import FILE`")
    idle = {one.slot for one in wiring.idle if one.node == node}
    if row[0] is None or 0 in idle:
        said.append(
            f"fnn0 of {node} has no cable that works, and a spare is reached by its fnn0 only: give {node} one first "
            "(playbooks/rewire.yml)"
        )
    return said


def _swapped(registry: Registry, node: str, spare: str) -> Registry:
    nodes = dict(registry.nodes)
    nodes[node], nodes[spare] = nodes[spare], nodes[node]
    return registry.model_copy(update={"nodes": nodes})


def _outside(cluster: Cluster, name: str) -> str:
    return str(host(cluster.addresses.outside, (*cluster.node_names, *cluster.spare_names).index(name)))
