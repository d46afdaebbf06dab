# SPDX-License-Identifier: Apache-2.0
"""Role arp: permanent neighbor entries for every node of each neighborhood, and ARP off, so that nobody ever asks.

A node reaches other nodes by its neighborhoods, and the head, the spares and nodes that it shares no neighborhood with
by its outside NIC; there is an entry for each of these. In tree mode its outside NIC has entries for the outside
addresses of all nodes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flathood.plan.model import Plan
from flathood.plan.views.base import (
    File,
    Live,
    Options,
    View,
    drop_in,
    header,
    lines,
    neighbor,
    nic,
    sysctl_file,
    sysctl_live,
)

_OWNS = ("/etc/systemd/network/50-fnn*.network.d/arp.conf", "/etc/sysctl.d/60-fnn-arp.conf")
_APPLY = ("networkd", "sysctl")
#: For a host with several NICs in one broadcast domain (Linux: networking/ip-sysctl): answer for an address only on
#: the NIC that has it, and ask with the address of the NIC that asks.
SETTINGS = {
    f"net.ipv4.conf.{scope}.{key}": value
    for scope in ("all", "default")
    for key, value in (("arp_ignore", 1), ("arp_announce", 2))
}
#: The kernel starts to collect entries from gc_thresh1 (128) and refuses new ones at gc_thresh3 (1024); permanent ones
#: count on some kernels.
_ENOUGH = 512
_HEADER = header("arp")
_OFF = f"{_HEADER}[Link]\nARP=no\n"


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """A drop-in for each NIC in use, and the sysctls."""
    number = plan.numbers[host]
    made, count = [], 0
    for slot in plan.used_slots(number):
        entries = _texts(plan, number, slot)
        count += len(entries)
        made.append(File(drop_in(slot, "arp"), _OFF + "".join(entries)))
    made.append(sysctl_file("arp", SETTINGS, thresholds(count)))
    return tuple(made)


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facets `neighbors`, `arp` and `sysctl`."""
    number = plan.numbers[host]
    slots = plan.used_slots(number)
    entries = [(slot, entry) for slot in slots for entry in _entries(plan, number, slot)]
    return {
        "neighbors": lines(f"{nic(slot)} {address} {mac}" for slot, (address, mac) in entries),
        "arp": lines(f"{nic(slot)} off" for slot in slots),
        "sysctl": sysctl_live(SETTINGS),
    }


def thresholds(entries: int) -> dict[str, int]:
    """The sizes of the neighbor table, where the kernel's own would be close.

    They exist in the first network namespace only, so a machine that is a container must be allowed not to set them.
    """
    if entries <= _ENOUGH:
        return {}
    return {f"net.ipv4.neigh.default.gc_thresh{level}": entries << level for level in (1, 2, 3)}


@lru_cache(maxsize=4)
def outside(plan: Plan) -> dict[str, tuple[str, str]]:
    """Outside address and MAC address of every machine: nodes and spares in number order, then the head."""
    table = {
        name: (str(plan.outside_ip(number)), plan.mac(name, plan.outside_slot(number)))
        for number, name in enumerate(plan.names)
    }
    return table | {plan.head: (str(plan.head_ip), plan.mac(plan.head, 0))}


@lru_cache(maxsize=4)
def _neighborhoods(plan: Plan) -> list[dict[int, tuple[str, str]]]:
    """For each neighborhood: address and MAC address of each node on it, by its number."""
    return [
        {
            node: (str(plan.neighborhood_ip(node, switch)), plan.mac(plan.names[node], int(plan.slot_on[node, switch])))
            for node in np.flatnonzero(plan.slot_on[:, switch] >= 0).tolist()
        }
        for switch in range(len(plan.subnets))
    ]


@lru_cache(maxsize=4)
def _neighborhood_texts(plan: Plan) -> list[dict[int, str]]:
    return [{node: neighbor(*entry) for node, entry in table.items()} for table in _neighborhoods(plan)]


def _by_uplink(plan: Plan, number: int, slot: int) -> list[tuple[str, str]]:
    """Entries for the machines that a NIC reaches through the uplink."""
    if slot != plan.outside_slot(number):
        return []
    entries = list(outside(plan).items())
    everyone = number >= plan.node_count or plan.routing == "tree"
    near = [] if everyone else [entries[peer] for peer in plan.by_uplink(number)]
    first = 0 if everyone else plan.node_count
    return [entry for name, entry in (*near, *entries[first:]) if name != plan.names[number]]


def _texts(plan: Plan, number: int, slot: int) -> list[str]:
    texts = []
    if number < plan.node_count and plan.usable[number, slot] >= 0:
        table = _neighborhood_texts(plan)[plan.usable[number, slot]]
        texts = [text for node, text in table.items() if node != number]
    return texts + [neighbor(*entry) for entry in _by_uplink(plan, number, slot)]


def _entries(plan: Plan, number: int, slot: int) -> list[tuple[str, str]]:
    entries = []
    if number < plan.node_count and plan.usable[number, slot] >= 0:
        table = _neighborhoods(plan)[plan.usable[number, slot]]
        entries = [entry for node, entry in table.items() if node != number]
    return entries + _by_uplink(plan, number, slot)


VIEW = View(_OWNS, _APPLY, files, live)
