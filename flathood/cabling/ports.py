# SPDX-License-Identifier: Apache-2.0
"""Which port of its switch each cable is in: any will do, so they are given to make bundles neat.

The cables of one rack are one bundle, in the order of that rack from the bottom to the top. Bundles lie in the tray as
nested arcs do: those from the left come in on the left with the nearest rack outermost, those from the right on the
right, so that no cable crosses another one of its switch.

A cable that stays keeps its port whatever becomes of the others: when wiring.yml changes, the ports that are not those
of this rule are kept in it under `ports`.
"""

from __future__ import annotations

from collections.abc import Mapping

from flathood.cabling.lengths import Place, places
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

#: Node and slot.
Slot = tuple[str, int]
_Key = tuple[float, ...]


def ports(cluster: Cluster, wiring: Wiring) -> dict[Slot, int]:
    """The port, from 1, of the cable in each slot of each node: the recorded one, else the neat one.

    A cable without a record in a wiring that has records takes the free port next to its neat one.
    """
    neat = neat_ports(cluster, wiring)
    if not wiring.ports:
        return neat
    recorded = {
        (node, slot): port
        for node, row in wiring.ports.items()
        for slot, port in enumerate(row)
        if port is not None and (node, slot) in neat
    }
    return _filled(cluster, wiring, neat, recorded)


def neat_ports(cluster: Cluster, wiring: Wiring) -> dict[Slot, int]:
    """The ports that the rule above gives, from 1 upwards on each switch without a gap."""
    where = places(cluster)
    number = {name: index for index, name in enumerate(cluster.node_names)}
    found: dict[Slot, int] = {}
    for switch, cables in _by_switch(cluster, wiring).items():
        cables.sort(key=lambda cable: (*_order(where.get(cable[0]), where.get(switch)), number[cable[0]], cable[1]))
        found |= {cable: port for port, cable in enumerate(cables, start=1)}
    return {cable: found[cable] for cable in sorted(found, key=lambda cable: (number[cable[0]], cable[1]))}


def with_ports(cluster: Cluster, old: Wiring, new: Wiring) -> Wiring:
    """The new wiring with ports under which each cable that stays in its NIC and switch keeps the one it is in."""
    before = ports(cluster, old)
    kept = {
        (node, slot): before[node, slot]
        for node, row in new.nodes.items()
        for slot, switch in enumerate(row)
        if switch is not None and (node, slot) in before and old.nodes[node][slot] == switch
    }
    neat = neat_ports(cluster, new)
    given = _filled(cluster, new, neat, kept)
    if given == neat:
        return new.model_copy(update={"ports": {}})
    rows = {node: tuple(given.get((node, slot)) for slot in range(len(row))) for node, row in new.nodes.items()}
    return new.model_copy(update={"ports": rows})


def _by_switch(cluster: Cluster, wiring: Wiring) -> dict[str, list[Slot]]:
    cables: dict[str, list[Slot]] = {switch: [] for switch in cluster.switch_names}
    for node in cluster.node_names:
        for slot, switch in enumerate(wiring.nodes.get(node, ())):
            if switch is not None:
                cables[switch].append((node, slot))
    return cables


def _filled(cluster: Cluster, wiring: Wiring, neat: Mapping[Slot, int], kept: Mapping[Slot, int]) -> dict[Slot, int]:
    """Ports for all cables: those that are kept, and for each other the free one nearest to its neat one."""
    most = {switch.name: switch.ports for switch in cluster.switches}
    given = dict(kept)
    for switch, cables in _by_switch(cluster, wiring).items():
        taken = {kept[cable] for cable in cables if cable in kept}
        free = [port for port in range(1, most[switch] + 1) if port not in taken]
        for cable in sorted((cable for cable in cables if cable not in kept), key=lambda cable: neat[cable]):
            port = min(free, key=lambda port: (abs(port - neat[cable]), port))
            free.remove(port)
            given[cable] = port
    return {cable: given[cable] for cable in neat}


def _order(node: Place | None, switch: Place | None) -> _Key:
    """Where a node's cable comes in at a switch: a key to sort by, from the first port to the last.

    The switch's own rack first, as its cables come from below and not by the tray; nodes of unknown place last.
    """
    if node is None or switch is None:
        return (2.0,)
    if node.rack == switch.rack:
        return (0.0, node.z, node.x)
    across, along = node.y - switch.y, node.x - switch.x
    # By way of the tray: from the left nearest first, from the right nearest last; other rows are further away.
    far = abs(across) + abs(along)
    return (1.0, 0.0, far, across, node.z, node.x) if along < 0 else (1.0, 1.0, -far, across, node.z, node.x)
