# SPDX-License-Identifier: Apache-2.0
"""What can be wrong in the rules of a design, whether they stand in cluster.yml or on the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flathood.document import KeyPath
from flathood.spec.known import nearest
from flathood.spec.rules import DesignRules

_Fault = tuple[KeyPath, str]


def faults(rules: DesignRules, nodes: Mapping[str, int], ports: Mapping[str, int]) -> Iterator[_Fault]:
    """Every problem of rules that are right by themselves, with its place in them.

    ``nodes`` has the NICs of each node, ``ports`` the free ports of each switch.
    """
    yield from _without(rules.without, nodes, ports)
    cables: dict[str, list[_Fault]] = {}
    for node, switches in rules.keep.items():
        yield from _node(node, set(switches), nodes, rules.without)
        for index, switch in enumerate(switches):
            place = ("keep", node, index)
            if switch not in ports:
                yield place, f"there is no switch {switch!r}{nearest(switch, ports)}: correct it"
            elif switch in rules.without:
                yield place, f"switch {switch!r} is not to be used (design.without), so no cable to it can stay"
            elif switch in switches[:index]:
                yield place, f"node {node!r} keeps its cable to {switch!r} already: a node is on a switch once"
            else:
                cables.setdefault(switch, []).append((place, node))
    for switch, kept in cables.items():
        if len(kept) > ports[switch]:
            free = f"{ports[switch]} free port{'s' * (ports[switch] != 1)}"
            yield kept[ports[switch]][0], f"switch {switch!r} has {free} and {len(kept)} cables that are to stay"


def _without(names: Sequence[str], nodes: Mapping[str, int], ports: Mapping[str, int]) -> Iterator[_Fault]:
    for index, name in enumerate(names):
        if name not in nodes and name not in ports:
            yield (
                ("without", index),
                f"no node or switch is called {name!r}{nearest(name, (*nodes, *ports))}: correct it",
            )
        elif name in names[:index]:
            yield ("without", index), f"{name!r} is listed already: remove one of the two"
    for every, kind in ((nodes, "node"), (ports, "switch")):
        if every and set(every) <= set(names):
            yield ("without",), f"no {kind} is left to make a wiring of: take one off the list"


def _node(node: str, kept: set[str], nodes: Mapping[str, int], without: Sequence[str]) -> Iterator[_Fault]:
    if node not in nodes:
        yield ("keep", node), f"there is no node {node!r}{nearest(node, nodes)}: correct it"
    elif node in without:
        yield ("keep", node), f"node {node!r} is not to be used (design.without), so no cable of it can stay"
    elif len(kept) > nodes[node]:
        nics = f"{nodes[node]} NIC{'s' * (nodes[node] != 1)}"
        yield ("keep", node), f"{len(kept)} cables are to stay and node {node!r} has {nics}: remove some"
