# SPDX-License-Identifier: Apache-2.0
"""One machine's view of the network as plain data, for `flathood show`."""

from __future__ import annotations

from typing import Any

import numpy as np

from flathood.fabrics import fabric_of
from flathood.plan.balance import balance, nic_loads
from flathood.plan.model import NODE_DEVICE, Plan
from flathood.plan.views import kind_of
from flathood.plan.views.base import nic
from flathood.plan.views.links import UNUSED


def machine_view(plan: Plan, host: str) -> dict[str, Any]:
    """What a machine is plugged into, what its addresses are, and how it reaches the others; KeyError: no such one.

    Loads are in the demand of an average node: with four NICs in even use, each has 0.25.
    """
    kind = kind_of(plan, host)
    if kind == "head":
        return {
            "name": host,
            "kind": kind,
            "cluster": plan.cluster.cluster,
            "nics": [_uplink_nic(plan, host, str(plan.head_ip))],
        }
    number = plan.numbers[host]
    view = {"name": host, "kind": kind, "number": number, "cluster": plan.cluster.cluster}
    if kind == "spare":
        return {**view, "nics": [_uplink_nic(plan, host, str(plan.outside_ip(number)))]}
    loads = nic_loads(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)[number]
    return {
        **view,
        "node_address": f"{plan.node_ip(number)}/32",
        "node_device": NODE_DEVICE,
        "nics": [_nic(plan, number, slot, loads) for slot in range(len(plan.wiring.nodes[host]))],
        "neighborhoods": [_neighborhood(plan, number, switch) for switch in plan.shared(number, number)],
        "through_the_uplink": [plan.names[peer] for peer in plan.by_uplink(number)],
        "peers": [_peer(plan, number, peer) for peer in range(plan.node_count) if peer != number],
    }


def cluster_balance(plan: Plan) -> dict[str, float | bool]:
    """How evenly basic routing spreads the cluster's traffic (`flathood.plan.balance.Balance`), rounded."""
    found = balance(fabric_of(plan.cluster, plan.wiring), plan.chosen, plan.weights)
    return {key: value if isinstance(value, bool) else round(value, 4) for key, value in vars(found).items()}


def _uplink_nic(plan: Plan, host: str, address: str) -> dict[str, Any]:
    uplink, length = plan.cluster.uplink, plan.cluster.addresses.outside.prefixlen
    addresses = [f"{address}/{length}"]
    return {"nic": nic(0), "mac": plan.mac(host, 0), "switch": uplink.name, "colour": uplink.colour} | {
        "addresses": addresses,
        "outside": True,
    }


def _nic(plan: Plan, number: int, slot: int, loads: np.ndarray[Any, np.dtype[np.float64]]) -> dict[str, Any]:
    switch = int(plan.attach[number, slot])
    macs = plan.macs(plan.names[number])
    found: dict[str, Any] = {"nic": nic(slot), "mac": macs[slot] if slot < len(macs) else None}
    if switch < 0:
        return {**found, "switch": None, "colour": None, "addresses": [], "outside": False, "state": UNUSED}
    outside = slot == plan.outside_slot(number)
    addresses = [f"{plan.neighborhood_ip(number, switch)}/{plan.subnets[switch].prefixlen}"]
    if outside:
        addresses.append(f"{plan.outside_ip(number)}/{plan.cluster.addresses.outside.prefixlen}")
    neighborhood = plan.cluster.switches[switch]
    return {
        **found,
        "switch": neighborhood.name,
        "colour": neighborhood.colour,
        "addresses": addresses,
        "outside": outside,
        "load": round(float(loads[switch]), 4),
        **({} if plan.usable[number, slot] >= 0 else {"state": "idle"}),
    }


def _neighborhood(plan: Plan, number: int, switch: int) -> dict[str, Any]:
    members = np.flatnonzero(plan.slot_on[:, switch] >= 0)
    chosen = plan.chosen[number, members] == switch
    others = ~chosen & (members != number)
    return {
        "switch": plan.switches[switch],
        "colour": plan.cluster.switches[switch].colour,
        "chosen": [plan.names[peer] for peer in members[chosen].tolist()],
        "also": [plan.names[peer] for peer in members[others].tolist()],
    }


def _peer(plan: Plan, number: int, peer: int) -> dict[str, Any]:
    chosen = int(plan.chosen[number, peer])
    if chosen < 0:
        slot, theirs = plan.outside_slot(number), plan.outside_slot(peer)
        switch, address = plan.cluster.uplink.name, plan.outside_ip(peer)
    else:
        slot, theirs = int(plan.slot_on[number, chosen]), int(plan.slot_on[peer, chosen])
        switch, address = plan.switches[chosen], plan.neighborhood_ip(peer, chosen)
    return {
        "name": plan.names[peer],
        "chosen": switch,
        "by": nic(slot),
        "address": str(address),
        "mac": plan.mac(plan.names[peer], theirs),
        "shared": [plan.switches[switch] for switch in plan.shared(number, peer)],
        "node_address": str(plan.node_ip(peer)),
        "outside_address": str(plan.outside_ip(peer)),
    }
