# SPDX-License-Identifier: Apache-2.0
"""Holding a wiring against its cluster: every node and cable is possible, and every pair shares a switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from flathood.document import KeyPath
from flathood.spec.known import Known, nearest, several
from flathood.structure import Fitted
from flathood.wiring.model import Wiring

_ROWS = 1024  # of the shared-switch table at a time: 8,192 nodes then need 32 MiB, not 256


def check_wiring(fitted: Fitted[Wiring], known: Known) -> None:
    """Note every problem of a wiring; what cluster.yml leaves open is not checked."""
    wiring = fitted.model
    if fitted.whole("cluster") and known.cluster not in (None, wiring.cluster):
        message = f"this is the wiring of {wiring.cluster!r}, cluster.yml describes {known.cluster!r}: wrong file?"
        fitted.say(("cluster",), message)
    if not fitted.has("nodes"):
        return
    sound = {
        node: switches
        for node, switches in wiring.nodes.items()
        if _who(fitted, known, node) & _slots(fitted, known, node, switches)
    }
    if known.switches is not None:
        _full(fitted, known.switches)
    if known.nodes is not None and fitted.whole("nodes"):
        _missing(fitted, known.nodes)
    if wiring.universal and fitted.whole("nodes", "design"):
        _pairs(fitted, sound)


def _who(fitted: Fitted[Wiring], known: Known, node: str) -> bool:
    """Note a name that is no node's; whether it may be one."""
    kind = known.machine(node)
    if kind in ("spare", "head"):
        message = f"{node!r} is {'a spare' if kind == 'spare' else 'the head'}: its cable goes to the uplink switch, "
        fitted.say(("nodes", node), message + "which is not part of the wiring: remove this line")
    elif kind is None and None not in (known.nodes, known.spares, known.head):
        fitted.say(("nodes", node), f"cluster.yml has no node {node!r}{nearest(node, known.nodes or ())}")
    else:
        return True
    return False


def _slots(fitted: Fitted[Wiring], known: Known, node: str, switches: Sequence[str | None]) -> bool:
    """Note what is wrong with the slots of one node; whether all is right."""
    before = len(fitted.problems)
    first: dict[str, int] = {}
    for slot, switch in enumerate(switches):
        place: KeyPath = ("nodes", node, slot)
        if switch is None:
            continue
        if switch == known.uplink:
            fitted.say(place, f"{switch!r} is the uplink switch, no neighborhood: nodes have no cable to it")
        elif known.switches is not None and switch not in known.switches:
            fitted.say(place, f"cluster.yml has no switch {switch!r}{nearest(switch, known.switches)}")
        elif switch in first:
            message = f"node {node!r} is on switch {switch!r} already by slot {first[switch]}: one cable to a switch"
            fitted.say(place, message)
        first.setdefault(switch, slot)
    nics = (known.nodes or {}).get(node)
    if nics is not None and len(switches) != nics:
        do = "remove what is too much" if len(switches) > nics else "write null for a slot that is not used"
        fitted.say(("nodes", node), f"{len(switches)} slots are listed, node {node!r} has {nics} NICs: {do}")
    return len(fitted.problems) == before


def _full(fitted: Fitted[Wiring], ports: Mapping[str, int]) -> None:
    """Note each switch with more cables than ports, at the first cable that has no port."""
    cables: dict[str, list[KeyPath]] = {switch: [] for switch in ports}
    for node, switches in fitted.model.nodes.items():
        for slot, switch in enumerate(switches):
            if switch in cables:
                cables[switch].append(("nodes", node, slot))
    for switch, places in cables.items():
        extra = places[ports[switch] :]
        if extra:
            nodes = several(dict.fromkeys(str(place[1]) for place in extra))
            message = (
                f"switch {switch!r} has {ports[switch]} ports for nodes and {len(places)} cables: no port for {nodes}"
            )
            fitted.say(extra[0], message)


def _missing(fitted: Fitted[Wiring], nodes: Mapping[str, int]) -> None:
    missing = [node for node in nodes if node not in fitted.model.nodes]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        fitted.say(
            ("nodes",), f"no line for node{plural} {several(missing)}: each node needs the switches of its slots"
        )


def _pairs(fitted: Fitted[Wiring], sound: Mapping[str, Sequence[str | None]]) -> None:
    """Note the pairs of nodes that share no switch, among nodes that have no other fault."""
    count, first = 0, list[str]()
    nodes = list(sound)
    for row, other in _apart(list(sound.values())):
        count += other.size
        first += [f"{nodes[row]}-{nodes[column]}" for column in other[: max(0, 6 - len(first))]]
    if count:
        names = several(first, count)
        what = f"{count:,} pairs of nodes share" if count > 1 else "1 pair of nodes shares"
        message = f"{what} no switch: {names}; every pair must (or say so in `design`: mode fractional or sparse)"
        fitted.say(("nodes",), message)


def _apart(nodes: Sequence[Sequence[str | None]]) -> Iterator[tuple[int, npt.NDArray[np.intp]]]:
    """Each node that has partners after it with no common switch, with the numbers of those."""
    number: dict[str, int] = {}
    for switches in nodes:
        for switch in switches:
            if switch is not None:
                number.setdefault(switch, len(number))
    on = np.zeros((len(nodes), max(1, len(number))), dtype=np.float32)
    for row, switches in enumerate(nodes):
        on[row, [number[switch] for switch in switches if switch is not None]] = 1
    for start in range(0, len(nodes), _ROWS):
        shared = on[start : start + _ROWS] @ on.T
        for row in map(int, np.flatnonzero((shared == 0).any(axis=1))):
            after = np.flatnonzero(shared[row, start + row + 1 :] == 0) + start + row + 1
            if after.size:
                yield start + row, after
