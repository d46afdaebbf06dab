# SPDX-License-Identifier: Apache-2.0
"""A node's machine and a spare's change places: their entries in macs.yml, with a journal of all such exchanges.

Names, addresses and wiring.yml belong to the place that a machine has in the cluster, so they stay: who takes over k17
is k17 from then on, and what was k17 is the spare. Only the MACs change places, and exchanging them once more is the
way back. The journal (`replacements.jsonl` beside the three files) tells what is exchanged now, and from where an
exchange goes on that was broken off:

- ``begin``: node, spare, which way, their MACs and the text of macs.yml before, and the text after;
- ``end``: the cables are where they belong, and every machine that can be reached knows the new MACs; with the host
  keys that were known by the names of the two until then, which change places in known_hosts after this line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from flathood.errors import Conflict, FlathoodError
from flathood.inventory import MACS, Inventory, load
from flathood.plan.addresses import host
from flathood.registry import Registry, macs_of
from flathood.registry.save import registry_text
from flathood.rewiring.host_keys import Pair, change_over, known
from flathood.rewiring.lines import append, edited, lines
from flathood.rewiring.spare import against
from flathood.rewiring.work import Work
from flathood.spec.model import Cluster
from flathood.writing import locked, save

FILE = "replacements.jsonl"
Macs = tuple[str | None, ...]
#: No host keys to be exchanged.
NO_KEYS: Pair = (frozenset(), frozenset())


@dataclass(frozen=True)
class Exchange:
    """One exchange of a node with a spare.

    Attributes:
        node, spare: their names.
        back: whether it takes an earlier one back.
        macs: the MACs of the node and of the spare before it, in slot order.
        before, after: the text of macs.yml before and after.
        ended: whether it has come to its end.
        turned: it takes one back that had not come to its end: host keys are known by the names that are right in the
            end already.
        keys: the host keys that change places at its end; none where there is nothing to exchange.

    """

    node: str
    spare: str
    back: bool
    macs: tuple[Macs, Macs]
    before: str
    after: str
    ended: bool = False
    turned: bool = False
    keys: Pair = NO_KEYS

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
        alias: the one of them by which ssh knows its host key while cables are moved.

    """

    now: str
    becomes: str
    old: str
    new: str
    mac: str
    alias: str


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
        alias = new if exchange.turned else old
        return Machine(*names, old, new, exchange.macs[0 if taken_out else 1][0] or "", alias)

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

    def end(self, known_hosts: Sequence[Path] = ()) -> Replacing:
        """Note that it has come to its end; ``known_hosts``: the files that `exchange_keys` is to change then."""
        inventory, exchange = self.inventory, self.exchange
        path = inventory.directory / FILE
        keys = NO_KEYS
        if not exchange.turned:
            node, spare = (known(known_hosts, names) for names in _names(inventory.cluster, exchange))
            keys = (node, spare) if node and spare and not node & spare else NO_KEYS
        with locked(path):
            append(path, {"event": "end", **({"keys": [sorted(one) for one in keys]} if all(keys) else {})})
        return replace(self, exchange=replace(exchange, ended=True, keys=keys))


def exchanges(directory: Path) -> tuple[Exchange, ...]:
    """All exchanges of a cluster's folder, the first one first. Raises InvalidInput."""
    path, found = Path(directory) / FILE, list[Exchange]()
    for number, said in lines(path):
        try:
            if said["event"] == "begin":
                macs = (tuple(said["macs"][0]), tuple(said["macs"][1]))
                texts = (str(said["before"]), str(said["after"]))
                turned = bool(found) and not found[-1].ended and not found[-1].turned
                names = (str(said["node"]), str(said["spare"]), bool(said["back"]))
                found.append(Exchange(*names, macs, *texts, turned=turned))
            elif said["event"] == "end" and found:
                node, spare = (
                    frozenset((str(one), str(key)) for one, key in pair) for pair in said.get("keys", NO_KEYS)
                )
                found[-1] = replace(found[-1], ended=True, keys=(node, spare))
            else:
                raise ValueError(f"{said['event']!r} is not to be expected here")
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise edited(path, number, error) from error
    return tuple(found)


def under_way(inventory: Inventory) -> Replacing | None:
    """The exchange that is begun and has not come to its end; None: there is none."""
    found = exchanges(inventory.directory)
    return Replacing(inventory, found[-1], begun=True) if found and not found[-1].ended else None


def exchange_keys(inventory: Inventory, known_hosts: Sequence[Path]) -> tuple[Path, ...]:
    """Have files say whose host key is whose since the last exchange; those that had to be changed."""
    made = exchanges(inventory.directory)
    if not made or not made[-1].ended:
        return ()
    return change_over(known_hosts, _names(inventory.cluster, made[-1]), made[-1].keys)


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
        way = replace(way, turned=not turned.turned)
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
    if problems := against(inventory, node, spare):
        raise FlathoodError("; ".join(problems))
    registry = inventory.registry
    after = registry_text(directory / MACS, _swapped(registry, node, spare))
    if back and earlier and text == earlier.after:
        after = earlier.before  # to the byte, whatever form it had
    macs = (macs_of(registry, node), macs_of(registry, spare))
    return Replacing(inventory, Exchange(node, spare, back, macs, text, after))


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


def _swapped(registry: Registry, node: str, spare: str) -> Registry:
    nodes = dict(registry.nodes)
    nodes[node], nodes[spare] = nodes[spare], nodes[node]
    return registry.model_copy(update={"nodes": nodes})


def _outside(cluster: Cluster, name: str) -> str:
    return str(host(cluster.addresses.outside, (*cluster.node_names, *cluster.spare_names).index(name)))


def _names(cluster: Cluster, exchange: Exchange) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """By which names the head knows the place of the node, and that of the spare: they are what ssh is told."""
    node, spare = ((_outside(cluster, name), name, f"{name}-out") for name in (exchange.node, exchange.spare))
    return node, spare
