# SPDX-License-Identifier: Apache-2.0
"""Holding a wiring against its cluster: every node and cable is possible, and every pair shares a switch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flathood.document import KeyPath
from flathood.spec.known import Known, nearest, several
from flathood.structure import Fitted
from flathood.wiring.model import Wiring
from flathood.wiring.pairs import apart


def check_wiring(fitted: Fitted[Wiring], known: Known) -> None:
    """Note every problem of a wiring; what cluster.yml leaves open is not checked."""
    wiring = fitted.model
    if fitted.whole("cluster") and known.cluster not in (None, wiring.cluster):
        message = f"this is the wiring of {wiring.cluster!r}, cluster.yml describes {known.cluster!r}: wrong file?"
        fitted.say(("cluster",), message)
    if not fitted.has("nodes"):
        return
    faults = _Faults()
    nodes = {node: switches for node, switches in wiring.nodes.items() if _is_node(faults, known, node)}
    sound = {node: switches for node, switches in nodes.items() if _slots(faults, known, node, switches)}
    for place, message in faults.told():
        fitted.say(place, message)
    if known.switches is not None:
        _full(fitted, known, nodes)
    if known.nodes is not None and fitted.whole("nodes"):
        _missing(fitted, known.nodes)
    if fitted.whole("nodes", "ports"):
        _ports(fitted, known)
    if fitted.has("idle"):
        _idle(fitted, known)
    if wiring.universal and fitted.whole("nodes", "design"):
        _pairs(fitted, sound)


class _Faults:
    """Faults by kind: a wiring that is older than its cluster.yml has one in every line, and a few show what is up."""

    _TOLD = 4

    def __init__(self) -> None:
        self._kinds: dict[str, list[tuple[KeyPath, str]]] = {}
        self.count = 0

    def add(self, kind: str, place: KeyPath, message: str) -> None:
        self._kinds.setdefault(kind, []).append((place, message))
        self.count += 1

    def told(self) -> Iterator[tuple[KeyPath, str]]:
        for faults in self._kinds.values():
            yield from faults[: self._TOLD]
            more = len(faults) - self._TOLD
            if more > 0:
                message = f"and {more} more like the ones above: if cluster.yml was changed, design the wiring anew"
                yield faults[self._TOLD][0], message


def _is_node(faults: _Faults, known: Known, node: str) -> bool:
    """Note a name that is no node's; whether it may be one."""
    kind = known.machine(node)
    if kind in ("spare", "head"):
        message = f"{node!r} is {'a spare' if kind == 'spare' else 'the head'}: its cable goes to the uplink switch, "
        faults.add("no node", ("nodes", node), message + "which is not part of the wiring: remove this line")
        return False
    if kind is None and None not in (known.nodes, known.spares, known.head):
        hint = nearest(node, known.nodes or ())
        faults.add("unknown node", ("nodes", node), f"cluster.yml has no node {node!r}{hint}: correct or remove it")
        return False
    return True


def _slots(faults: _Faults, known: Known, node: str, switches: Sequence[str | None]) -> bool:
    """Note what is wrong with the slots of one node; whether all is right."""
    before = faults.count
    first: dict[str, int] = {}
    for slot, switch in enumerate(switches):
        place: KeyPath = ("nodes", node, slot)
        if switch is None:
            continue
        if switch == known.uplink:
            message = f"{switch!r} is the uplink switch, nodes have no cable to it: choose a neighborhood, or null"
            faults.add("uplink", place, message)
        elif known.switches is not None and switch not in known.switches:
            hint = nearest(switch, known.switches)
            faults.add("switch", place, f"cluster.yml has no switch {switch!r}{hint}: correct it")
        elif switch in first:
            message = f"node {node!r} is on switch {switch!r} by slot {first[switch]} already: choose another switch"
            faults.add("twice", place, message)
        first.setdefault(switch, slot)
    nics = (known.nodes or {}).get(node)
    if nics is not None and len(switches) != nics:
        do = "remove what is too much" if len(switches) > nics else "write null for a slot that is not used"
        listed = f"{len(switches)} slot{'s are' if len(switches) != 1 else ' is'} listed"
        message = f"{listed}, node {node!r} has {nics} NIC{'s' * (nics != 1)}: {do}"
        faults.add("slots", ("nodes", node), message)
    return faults.count == before


def _full(fitted: Fitted[Wiring], known: Known, nodes: Mapping[str, Sequence[str | None]]) -> None:
    """Note each switch with more cables than ports, at the first cable that has no port.

    A cable that has a fault of its own (a second one to the same switch, a slot that is not there) is not counted, nor
    one that is still to be plugged.
    """
    ports = known.switches or {}
    coming = fitted.model.coming if fitted.has("idle") else frozenset()
    cables: dict[str, list[KeyPath]] = {switch: [] for switch in ports}
    for node, switches in nodes.items():
        real = switches[: (known.nodes or {}).get(node, len(switches))]
        for slot, switch in enumerate(real):
            if switch in cables and switch not in real[:slot] and (node, slot) not in coming:
                cables[switch].append(("nodes", node, slot))
    for switch, places in cables.items():
        extra = places[ports[switch] :]
        if extra:
            left = several(str(place[1]) for place in extra)
            taken = " left" if switch in known.taken else ""
            has = f"{ports[switch]} port{'s' * (ports[switch] != 1)}{taken} for nodes"
            message = f"switch {switch!r} has {has} and {len(places)} cables: no port is left for {left}"
            fitted.say(extra[0], message)


def _ports(fitted: Fitted[Wiring], known: Known) -> None:
    """Note each recorded port that no cable can be in, and each with two cables."""
    faults = _Faults()
    taken: dict[tuple[str, int], str] = {}
    for node, ports in fitted.model.ports.items():
        switches = fitted.model.nodes.get(node)
        if switches is None or len(switches) != len(ports):
            has = "no line under `nodes`" if switches is None else f"{len(switches)} slots under `nodes`"
            listed = f"{len(ports)} port{'s are' if len(ports) != 1 else ' is'} listed"
            message = f"{listed}, node {node!r} has {has}: write a port, or null, for each slot"
            faults.add("port row", ("ports", node), message)
            continue
        for slot, (switch, port) in enumerate(zip(switches, ports, strict=True)):
            if port is None:
                continue
            place: KeyPath = ("ports", node, slot)
            most = (known.ports or {}).get(switch or "", port)
            holder = taken.setdefault((switch or "", port), f"node {node!r}, slot {slot}")
            if switch is None:
                faults.add("port of none", place, f"slot {slot} of node {node!r} has no cable: write null")
            elif port > most:
                message = f"switch {switch!r} has {most} ports for nodes, and no port {port}: correct it"
                faults.add("port", place, message)
            elif holder != f"node {node!r}, slot {slot}":
                message = f"port {port} of switch {switch!r} has the cable of {holder} already: correct one of the two"
                faults.add("port twice", place, message)
    for place, message in faults.told():
        fitted.say(place, message)


def _idle(fitted: Fitted[Wiring], known: Known) -> None:
    """Note each idle cable that is none: of no node, in a slot without a cable, told twice, or from no switch."""
    told: set[tuple[str, int]] = set()
    for place, cable in fitted.items("idle"):
        row = fitted.model.nodes.get(cable.node) if fitted.has("nodes") else None
        if row is None and fitted.whole("nodes"):
            hint = nearest(cable.node, fitted.model.nodes)
            fitted.say((*place, "node"), f"there is no node {cable.node!r} under `nodes`{hint}: correct or remove it")
        elif row is not None and (cable.slot >= len(row) or (row[cable.slot] is None and cable.to is None)):
            fitted.say((*place, "slot"), f"slot {cable.slot} of node {cable.node!r} has no cable: correct or remove it")
        elif (cable.node, cable.slot) in told:
            fitted.say(place, f"slot {cable.slot} of node {cable.node!r} is listed already: remove one of the two")
        if cable.to is not None and known.switches is not None and cable.to not in known.switches:
            hint = nearest(cable.to, known.switches)
            fitted.say((*place, "to"), f"cluster.yml has no switch {cable.to!r}{hint}: correct it")
        told.add((cable.node, cable.slot))


def _missing(fitted: Fitted[Wiring], nodes: Mapping[str, int]) -> None:
    missing = [node for node in nodes if node not in fitted.model.nodes]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        fitted.say(
            ("nodes",), f"no line for node{plural} {several(missing)}: each node needs the switches of its slots"
        )


def _pairs(fitted: Fitted[Wiring], sound: Mapping[str, Sequence[str | None]]) -> None:
    """Note the pairs of nodes that share no switch, among nodes that have no other fault and are to be used."""
    left_out = fitted.model.left_out
    pairs = apart({node: switches for node, switches in sound.items() if node not in left_out})
    if pairs:
        do = "give each a common one (or set `design: {mode: fractional}` where that is meant)"
        fitted.say(("nodes",), f"{pairs}; {do}")
