# SPDX-License-Identifier: Apache-2.0
"""Holding a registry against its cluster: every NIC is in a machine that exists, and no MAC is in two places."""

from __future__ import annotations

from flathood.document import KeyPath
from flathood.registry.model import Registry
from flathood.spec.known import Known, nearest
from flathood.structure import Fitted


def check_registry(fitted: Fitted[Registry], known: Known) -> None:
    """Note every problem of a registry; what cluster.yml leaves open is not checked."""
    registry = fitted.model
    if fitted.whole("cluster") and known.cluster not in (None, registry.cluster):
        message = f"these are the NICs of {registry.cluster!r}, cluster.yml describes {known.cluster!r}: wrong file?"
        fitted.say(("cluster",), message)
    if not fitted.has("nodes"):
        return
    first: dict[str, KeyPath] = {}
    for node, nics in registry.nodes.items():
        unknown = unknown_machine(known, node)
        if unknown:
            fitted.say(("nodes", node), unknown)
        most = slots_of(known, node)
        if most is not None and len(nics) > most:
            message = f"{len(nics)} NICs are listed, {node!r} has {most}: remove what is too much"
            fitted.say(("nodes", node), message)
        for slot, nic in enumerate(nics):
            if nic is None:
                continue
            place: KeyPath = ("nodes", node, slot)
            if nic.mac not in first:
                first[nic.mac] = place
                continue
            _, other, at = first[nic.mac]
            line = fitted.document.line(first[nic.mac])
            message = f"{nic.mac} is slot {at} of {other!r} too (line {line}): a NIC is in one place, correct one"
            fitted.say(place, message)


def unknown_machine(known: Known, name: str) -> str:
    """What is wrong with a name that is no node, spare or head; nothing when it is one, or when that is not certain."""
    if known.machine(name) is not None or known.nodes is None or known.spares is None or known.head is None:
        return ""
    hint = nearest(name, (*known.nodes, *known.spares, known.head))
    return f"cluster.yml has no node, spare or head {name!r}{hint}"


def slots_of(known: Known, name: str) -> int | None:
    """How many slots a machine has on the fabric; None when that is not certain. The head has one, on the uplink."""
    kind = known.machine(name)
    if kind == "head":
        return 1
    return ((known.nodes if kind == "node" else known.spares) or {}).get(name)
