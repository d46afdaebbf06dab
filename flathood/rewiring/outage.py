# SPDX-License-Identifier: Apache-2.0
"""Going on without something that is dead, at once and without moving a cable: a switch, or a NIC with its cable.

Its cables become idle in wiring.yml (`Wiring.idle`): the pairs that they served take another switch that they share,
else the uplink. A node whose outside NIC is on a dead switch is out of the head's reach until its outside address has
moved to another NIC, which it has to be told: so it is reached over a node that shares a living switch with it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from flathood.cabling.picture import Nic
from flathood.errors import Conflict, FlathoodError
from flathood.inventory import WIRING, load
from flathood.plan.model import Plan
from flathood.rewiring.work import Work
from flathood.spec.known import nearest
from flathood.wiring.model import Idle, Wiring
from flathood.wiring.save import save_wiring
from flathood.writing import locked


@dataclass(frozen=True)
class Way:
    """How a node is reached while its outside NIC is dead: at ``address``, over the machine at ``over``."""

    node: str
    address: str
    over: str


def go_without(directory: Path, names: Sequence[str], back: bool = False, dry: bool = False) -> tuple[Nic, ...]:
    """Have wiring.yml say that these switches (``red``) and NICs (``k17:2``) are dead, or that they are back.

    The NICs that this concerns; none: it was so already. ``dry``: nothing is written. Raises FlathoodError for a name
    that there is none of and when a node would have nothing left, Conflict while a rewiring is under way.
    """
    path = directory / WIRING
    with locked(path):
        inventory = load(directory, need_macs=False)
        work = Work.of(directory, inventory.cluster)
        if work and not work.where.ended:
            raise Conflict(f"{path}: a rewiring is under way ({work.told()}): go on with it, or undo it, first", path)
        wiring = inventory.wiring
        meant = {nic for name in names for nic in _nics(wiring, inventory.cluster.switch_names, name)}
        idle = {Nic(one.node, one.slot): one for one in wiring.idle}
        meant -= {Nic(node, slot) for node, slot in wiring.coming}
        concerned = meant & idle.keys() if back else meant - idle.keys()
        for nic in concerned:
            if back:
                del idle[nic]
            else:
                idle[nic] = Idle(node=nic.machine, slot=nic.slot)
        changed = wiring.model_copy(update={"idle": tuple(idle[nic] for nic in sorted(idle))})
        _check(changed, {nic.machine for nic in concerned})
        if concerned and not dry:
            save_wiring(path, changed)
    return tuple(sorted(concerned))


def ways(plan: Plan) -> tuple[Way, ...]:
    """How the nodes are reached whose outside NIC would be one that is idle now; ``plan`` goes without it already."""
    found = []
    for number, node in enumerate(plan.names[: plan.node_count]):
        if not _moved(plan, number):
            continue
        for other in range(plan.node_count):
            shared = plan.shared(number, other)
            if other != number and shared and not _moved(plan, other):
                found.append(Way(node, str(plan.neighborhood_ip(number, shared[0])), str(plan.outside_ip(other))))
                break
        else:
            raise FlathoodError(
                f"{node}: its outside NIC is dead, and no node that the head reaches shares a switch with it"
            )
    return tuple(found)


def _moved(plan: Plan, number: int) -> bool:
    """Whether a node's outside address is on another NIC than it is while no cable is idle."""
    attach = plan.attach[number]
    return plan.outside_slot(number) != next(slot for slot in range(len(attach)) if attach[slot] >= 0)


def _nics(wiring: Wiring, switches: Sequence[str], name: str) -> list[Nic]:
    """The NICs with a cable in a switch, or the one NIC, that somebody means."""
    node, colon, slot = name.partition(":")
    if colon:
        row = wiring.nodes.get(node, ())
        if not slot.isdecimal() or int(slot) >= len(row) or row[int(slot)] is None:
            raise FlathoodError(f"{name!r} is no NIC with a cable: write NODE:SLOT, such as k17:2")
        return [Nic(node, int(slot))]
    if name not in switches:
        raise FlathoodError(f"there is no switch {name!r}{nearest(name, switches)}: there are {', '.join(switches)}")
    return [Nic(node, slot) for node, row in wiring.nodes.items() for slot, switch in enumerate(row) if switch == name]


def _check(wiring: Wiring, concerned: Collection[str]) -> None:
    idle = {(one.node, one.slot) for one in wiring.idle}
    lost = [
        node
        for node, row in wiring.nodes.items()
        if node in concerned and all(switch is None or (node, slot) in idle for slot, switch in enumerate(row))
    ]
    if lost:
        raise FlathoodError(f"{', '.join(lost)}: nothing that works would be left: replace the node, or repair first")
