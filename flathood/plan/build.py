# SPDX-License-Identifier: Apache-2.0
"""Making the plan from the three files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from flathood import inventory
from flathood.design.profiles import traffic
from flathood.errors import InvalidInput, Problem
from flathood.fabrics import fabric_of
from flathood.fabrics.base import Fabric
from flathood.plan.addresses import neighborhood_subnets
from flathood.plan.balance import Balance, balance
from flathood.plan.chains import relieve
from flathood.plan.model import Plan
from flathood.plan.paths import choose, weigh
from flathood.registry.model import Registry
from flathood.spec.model import Cluster, Routing
from flathood.wiring.model import Wiring

_PLANS: dict[tuple[Path, str], dict[Routing, Plan]] = {}


def make_plan(cluster: Cluster, wiring: Wiring, registry: Registry, base_dir: Path | None = None) -> Plan:
    """The plan of a cluster.

    ``base_dir`` is the folder that a profile's matrix file is relative to. Raises InvalidInput, with every problem,
    when a node has no cable at all, or a MAC address that is needed is not known.
    """
    fabric = fabric_of(cluster, wiring)
    attach = fabric.attach
    nodes = len(attach)
    slot_on = np.full((nodes, len(fabric.segments)), -1, dtype=np.int8)
    usable = fabric.usable
    rows, slots = np.nonzero(usable >= 0)
    slot_on[rows, usable[rows, slots]] = slots
    if problems := [*_bare(cluster, attach >= 0), *_missing_macs(cluster, attach >= 0, registry)]:
        raise InvalidInput(problems)
    weights = weigh(traffic(cluster.profile, nodes, base_dir))
    chosen = _spread(fabric, weights)
    return Plan(cluster, wiring, registry, attach, usable, slot_on, chosen, weights, neighborhood_subnets(cluster))


def balance_of(loaded: inventory.Inventory, profile: object) -> Balance:
    """How evenly basic routing spreads a profile's traffic over a cluster; no MAC address has to be known."""
    fabric = fabric_of(loaded.cluster, loaded.wiring)
    weights = weigh(traffic(profile, len(fabric.attach), loaded.directory))
    return balance(fabric, _spread(fabric, weights), weights)


def _spread(fabric: Fabric, weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int16]:
    """The segment of each pair, so that the weights load NICs and segments evenly."""
    chosen = choose(fabric, weights)
    relieve(fabric, chosen, weights)
    return chosen


def load_plan(directory: Path, routing: Routing | None = None) -> Plan:
    """The plan of a cluster's folder; made once in a process for the same bytes. Raises InvalidInput.

    ``routing``: in place of what cluster.yml says.
    """
    loaded = inventory.load(directory, need_macs=True)
    key = (loaded.directory.resolve(), loaded.digest)
    if key not in _PLANS:
        _PLANS.clear()  # one is what a run works with; a large one is some hundred MB
        plan = make_plan(loaded.cluster, loaded.wiring, loaded.registry, loaded.directory)
        _PLANS[key] = {plan.routing: plan}
    modes = _PLANS[key]
    wanted = routing or loaded.cluster.routing
    if wanted not in modes:
        modes[wanted] = routed(modes[loaded.cluster.routing], wanted)
    return modes[wanted]


def routed(plan: Plan, routing: Routing) -> Plan:
    """The same plan in another mode of routing; the choice for each pair stays."""
    return replace(plan, cluster=plan.cluster.model_copy(update={"routing": routing}))


def _bare(cluster: Cluster, used: npt.NDArray[np.bool_]) -> Iterator[Problem]:
    """Nodes that a wiring leaves without a cable: nothing reaches them, so there is nothing to compile for them."""
    for row in np.flatnonzero(~used.any(axis=1)).tolist():
        message = "has no cable: give it one, or leave the node out of cluster.yml"
        yield Problem("wiring.yml", 0, f"nodes.{cluster.node_names[row]}", message)


def _missing_macs(cluster: Cluster, used: npt.NDArray[np.bool_], registry: Registry) -> list[Problem]:
    needed = [(name, int(slot)) for row, name in enumerate(cluster.node_names) for slot in np.flatnonzero(used[row])]
    needed += [(name, 0) for name in (*cluster.spare_names, cluster.head.name)]
    problems = []
    for name, slot in needed:
        nics = registry.nodes.get(name, ())
        if slot >= len(nics) or nics[slot] is None:
            message = f"the MAC address of slot {slot} is not known: discover it, or run `flathood macs import FILE`"
            problems.append(Problem("macs.yml", 0, f"nodes.{name}.{slot}", message))
    return problems
