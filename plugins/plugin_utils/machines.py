# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's machines as plain data for the inventory: groups, and for each host its groups and variables."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flathood.registry import Registry
    from flathood.spec import Cluster
    from flathood.wiring import Wiring

_FILES = ("wiring.yml", "macs.yml")
#: Before the state of what is known of a machine's NICs, for the group of the machines in that state.
_STATE = "macs_"
_BUILT_IN = frozenset({"all", "ungrouped", "nodes", "spares", "head"})


def digest(path: Path) -> str:
    """SHA-256 over the bytes of the three files."""
    total = hashlib.sha256()
    for file in (path, *(path.with_name(name) for name in _FILES)):
        data = file.read_bytes() if file.is_file() else b""
        total.update(f"{file.name} {len(data)}\n".encode() + data)
    return total.hexdigest()


def read(path: Path) -> dict[str, Any]:
    """Read the machines of a cluster.yml, with the neighborhoods of its wiring.yml where that is there.

    Raises InvalidInput with the problems of all the files that are there.
    """
    from flathood.inventory import load  # noqa: PLC0415 - the library is found only when the plugin runs
    from flathood.registry import load_registry  # noqa: PLC0415 - as above
    from flathood.spec import load_cluster  # noqa: PLC0415 - as above

    if path.with_name("wiring.yml").exists():
        loaded = load(path.parent, need_macs=False)
        return describe(loaded.cluster, loaded.wiring, loaded.registry)
    cluster = load_cluster(path)
    return describe(cluster, None, load_registry(path.with_name("macs.yml"), cluster))


def compile_plan(directory: Path) -> None:
    """Compile the plan now, so that every worker forked from this process inherits it.

    A cluster whose MAC addresses are not known yet has no plan; the role that needs it says so.
    """
    from flathood.errors import InvalidInput  # noqa: PLC0415 - as above
    from flathood.plan import load_plan  # noqa: PLC0415 - as above

    with suppress(InvalidInput):
        load_plan(directory)


def describe(cluster: Cluster, wiring: Wiring | None, registry: Registry) -> dict[str, Any]:
    """`cluster`, `head`: their names; `routing`; `groups`: all group names; `hosts`: name → `groups` and `vars`."""
    head = cluster.head.name
    neighborhoods = group_names(cluster.switch_names, taken={*cluster.node_names, *cluster.spare_names, head})
    hosts = {head: _machine(cluster, head, None, [] if head == "head" else ["head"])}
    for number, name in enumerate(cluster.node_names + cluster.spare_names):
        is_node = number < len(cluster.node_names)
        machine = _machine(cluster, name, number, ["nodes" if is_node else "spares"])
        if is_node and wiring is not None:
            slots = wiring.nodes[name]
            machine["groups"] += [neighborhoods[switch] for switch in slots if switch is not None]
            machine["vars"]["neighborhoods"] = [switch or "" for switch in slots]
        hosts[name] = machine
    states = _states(cluster, wiring, registry)
    for name, state in states.items():
        hosts[name]["groups"].append(_STATE + state)
        hosts[name]["vars"]["macs_state"] = state
    found = sorted({_STATE + state for state in states.values()})
    groups = ["nodes", "spares", *neighborhoods.values(), *([] if head == "head" else ["head"]), *found]
    names = {"cluster": cluster.cluster, "head": head, "routing": cluster.routing}
    return {**names, "groups": groups, "hosts": hosts}


def group_names(switches: tuple[str, ...], taken: set[str]) -> dict[str, str]:
    """Group name of each neighborhood: its own name, unless a group may not have it or something else does.

    >>> group_names(("red", "nodes", "sea-green", "a"), {"a", "b"})
    {'red': 'red', 'nodes': 'neighborhood_nodes', 'sea-green': 'sea_green', 'a': 'neighborhood_a'}
    """
    names: dict[str, str] = {}
    for switch in switches:
        name = switch.replace("-", "_")
        while name in _BUILT_IN or name.startswith(_STATE) or name in taken | {*names.values()} or name[0].isdigit():
            name = f"neighborhood_{name}"
        names[switch] = name
    return names


def _states(cluster: Cluster, wiring: Wiring | None, registry: Registry) -> dict[str, str]:
    """How much is known of the NICs of each machine, of the slots that have a cable."""
    from flathood.discovery.work import Work  # noqa: PLC0415 - as above
    from flathood.registry.progress import progress_of  # noqa: PLC0415 - as above

    cabled = {**Work.of(cluster, wiring, registry).cabled, cluster.head.name: (0,)}
    return {name: progress_of(registry.nodes.get(name, ()), slots).value for name, slots in cabled.items()}


def _machine(cluster: Cluster, name: str, number: int | None, groups: list[str]) -> dict[str, Any]:
    variables: dict[str, Any] = {"ansible_host": _way_in(cluster, name, number)}
    if number is not None:
        variables["node_number"] = number
    return {"groups": groups, "vars": variables}


def _way_in(cluster: Cluster, name: str, number: int | None) -> str:
    """Where Ansible reaches a machine; ``number`` None is the head, which has no name on a management network."""
    from flathood.plan import addresses  # noqa: PLC0415 - as above

    if number is None:
        return str(addresses.head(cluster))
    if cluster.management is not None:
        return cluster.management.host.replace("{}", name)
    return str(addresses.host(cluster.addresses.outside, number))
