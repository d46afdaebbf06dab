# SPDX-License-Identifier: Apache-2.0
"""What the kernel of a machine makes of its routes and neighbor entries, for many destinations at once.

The longest prefix wins; the subnets of a NIC's own addresses are routes, too; a packet that says nothing of its source
gets the NIC's address in the subnet of the next hop.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.findings import Ledger
from flathood.plan.proof.machine import DropIns, file_of
from flathood.plan.proof.syntax import colons, dotted
from flathood.plan.proof.world import World

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Hops:
    """For each destination, -1 where there is none: the slot it leaves by, the next hop, the row of the source."""

    slot: Ints
    hop: Ints
    source: Ints


def look_up(world: World, machine: int, drop_ins: DropIns, ips: Ints) -> Hops:
    """The slot, next hop and source of packets to each address."""
    table, own = _table(world, machine, drop_ins)
    slot, hop = np.full(len(ips), -1, dtype=np.int64), np.full(len(ips), -1, dtype=np.int64)
    for length in np.unique(table[1])[::-1].tolist():
        part = table[:, table[1] == length]
        part = part[:, np.argsort(part[0], kind="stable")]
        network = ips & (-1 << (32 - length))
        place = np.searchsorted(part[0], network).clip(max=part.shape[1] - 1)
        hit = (part[0][place] == network) & (slot < 0)
        slot = np.where(hit, part[2][place], slot)
        hop = np.where(hit, np.where(part[3][place] >= 0, part[3][place], ips), hop)
    return Hops(slot, hop, _sources(world, own, slot, hop))


def spread(world: World, machine: int, drop_ins: DropIns) -> tuple[Ints, Hops]:
    """Each next hop of the routes that have several: the destination's row in the world (-1: none), and the hop."""
    ip, slot, hop = drop_ins.multipath
    own = np.flatnonzero((world.machine == machine) & (world.slot >= 0))
    return world.find(ip), Hops(slot, hop, _sources(world, own, slot, hop))


def _sources(world: World, own: Ints, slot: Ints, hop: Ints) -> Ints:
    """Row of the address, of the machine's ``own``, that packets to each next hop by each slot come from; -1: none."""
    source = np.full(len(hop), -1, dtype=np.int64)
    for row in own.tolist():
        mask = -1 << int(32 - world.length[row])
        source[(slot == world.slot[row]) & ((hop & mask) == (world.ip[row] & mask))] = row
    return source


def mac_of(drop_ins: DropIns, hops: Hops) -> Ints:
    """The MAC address in the permanent neighbor entry of each next hop, -1 where there is none."""
    slot, ip, mac = drop_ins.neighbors
    if not len(ip):
        return np.full(len(hops.hop), -1, dtype=np.int64)
    keys = slot << 32 | ip
    order = np.argsort(keys, kind="stable")
    keys, mac = keys[order], mac[order]
    wanted = hops.slot << 32 | hops.hop
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where((keys[place] == wanted) & (hops.slot >= 0), mac[place], -1)


def check_single(ledger: Ledger, world: World, machine: int, drop_ins: DropIns) -> None:
    """A prefix has one route; with two, the kernel would take either, or refuse the second."""
    table, _ = _table(world, machine, drop_ins)
    ips, first = np.unique(drop_ins.multipath[0], return_index=True)
    several = np.stack((ips, np.full(len(ips), 32), drop_ins.multipath[1][first], np.full(len(ips), -1)))
    table = np.hstack((table, several))
    _, first, counts = np.unique(table[0] << 6 | table[1], return_index=True, return_counts=True)
    for column in first[counts > 1].tolist():
        network, length, slot = (int(value) for value in table[:3, column])
        place = world.cabling.place(machine, slot, file_of(slot, "routes"))
        ledger.fail("paths", place, f"there are two routes to {dotted(network)}/{length}", "keep one")
    _, length, slot, _ = drop_ins.routes
    lost = (length == 32) & (world.find(drop_ins.routes[0]) < 0) & ~np.isin(drop_ins.routes[0], world.cabling.coming)
    for column in np.flatnonzero(lost | (length < 32)).tolist():
        place = world.cabling.place(machine, int(slot[column]), file_of(int(slot[column]), "routes"))
        message = f"there is a route to {dotted(int(drop_ins.routes[0, column]))}/{length[column]}, which nobody has"
        ledger.fail("paths", place, message)


def check_neighbors(ledger: Ledger, world: World, machine: int, drop_ins: DropIns) -> None:
    """Each entry is the only one of its address, and has the MAC address of the NIC that has this address."""
    slot, ip, mac = drop_ins.neighbors
    to, to_slot = world.cabling.owner(mac)
    row = world.find(ip)
    fits = (to >= 0) & (row >= 0) & (to == world.machine[row]) & (to_slot == world.slot[row])
    _, inverse, counts = np.unique(slot << 32 | ip, return_inverse=True, return_counts=True)
    single = counts[inverse] == 1
    ledger.proved("neighbors", int(np.count_nonzero(fits & single)))
    for bad in np.flatnonzero(~(fits & single)).tolist():
        whose = world.cabling.names[world.machine[row[bad]]] if row[bad] >= 0 else "nobody"
        has = f"{world.cabling.names[to[bad]]}'s fnn{to_slot[bad]}" if to[bad] >= 0 else "no NIC"
        message = f"the entry of {dotted(int(ip[bad]))} ({whose}) has {colons(int(mac[bad]))}, the MAC address of {has}"
        if not single[bad]:
            message = f"there are {counts[inverse[bad]]} entries of {dotted(int(ip[bad]))}"
        elif row[bad] >= 0 and world.slot[row[bad]] >= 0:
            right = int(world.cabling.mac[world.machine[row[bad]], world.slot[row[bad]]])
            message += f" (should be {colons(right)})"
        ledger.fail("neighbors", world.cabling.place(machine, int(slot[bad]), file_of(int(slot[bad]), "arp")), message)


def _table(world: World, machine: int, drop_ins: DropIns) -> tuple[Ints, Ints]:
    """All routes of a machine, those to its own subnets last, int64[4, routes]: network, length, slot, gateway or -1.

    The second array is the rows of its NICs' addresses in the world.
    """
    own = np.flatnonzero((world.machine == machine) & (world.slot >= 0))
    networks = world.ip[own] & (-1 << (32 - world.length[own]))
    subnets = np.stack((networks, world.length[own], world.slot[own], np.full(len(own), -1)))
    return np.hstack((drop_ins.routes, subnets)), own
