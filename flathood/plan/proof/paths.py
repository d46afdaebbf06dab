# SPDX-License-Identifier: Apache-2.0
"""From one machine to every address of every other: route, NIC, neighbor's MAC, cable, segment, the peer's NIC.

A route is looked up as the kernel does (longest prefix; the subnets of a NIC's own addresses are routes, too), for all
destinations at once. The reply goes to the source address that the kernel takes, the NIC's address in the next hop's
subnet; it is one of this machine's, and the paths to all of those are proved from the peer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.cabling import UPLINK
from flathood.plan.proof.findings import Ledger
from flathood.plan.proof.machine import DropIns, file_of
from flathood.plan.proof.syntax import colons, dotted
from flathood.plan.proof.world import Role, World

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
_AGAIN = "compile and install it again"


@dataclass(frozen=True, eq=False)
class Hops:
    """For each destination: the slot it leaves by and the next hop's address, -1 where there is no route."""

    slot: Ints
    hop: Ints


def check_paths(ledger: Ledger, world: World, machine: int, drop_ins: DropIns, plain: Ints) -> Ints:
    """Check all paths from one machine; the segment that each other machine's plain name goes by, -1: none.

    ``plain`` is the row in the world that each machine's plain name leads to, -1 where it leads nowhere.
    """
    cabling = world.cabling
    on_fabric = machine < cabling.nodes
    peer = world.machine < cabling.nodes
    wanted = (world.machine != machine) & ((on_fabric & peer) | (world.role == Role.OUTSIDE))
    rows = np.flatnonzero(wanted)
    own = np.flatnonzero((world.machine == machine) & (world.slot >= 0))
    hops = _look_up(ledger, world, own, drop_ins, world.ip[rows])
    source = _source(world, own, hops)
    mac = _entries(ledger, world, machine, drop_ins, hops)
    to, to_slot = cabling.owner(mac)
    ours = np.where(hops.slot >= 0, cabling.segment[machine, hops.slot], -1)
    theirs = np.where(to >= 0, cabling.segment[to, to_slot], -1)
    outside = world.row(machine, Role.OUTSIDE)
    outside_slots = np.full(len(cabling.names), -1)
    there = np.flatnonzero(world.role == Role.OUTSIDE)
    outside_slots[world.machine[there]] = world.slot[there]
    by_uplink = (hops.slot == (world.slot[outside] if outside >= 0 else -1)) & (to_slot == outside_slots[to])
    far = ~(on_fabric & peer[rows]) | (world.options.routing == "tree")
    direct = (ours >= 0) & (ours == theirs)
    segments = np.where(direct, ours, -1)
    shared = _shared(world, machine, rows)
    at = np.full(len(world.ip) + 1, -1, dtype=np.int64)
    at[rows] = segments
    chosen = np.where(plain >= 0, at[plain], -1)
    basic = world.options.routing == "basic"
    faults = {
        "no route": hops.slot < 0,
        "next hop": (hops.slot >= 0) & (source < 0),
        "no entry": (hops.slot >= 0) & (mac < 0),
        "nobody": (mac >= 0) & (to < 0),
        "other machine": (to >= 0) & (to != world.machine[rows]),
        "other segment": (to >= 0) & ~direct & ~(far & by_uplink),
        "not direct": shared & basic & (ours != world.segment[rows]),
        "not chosen": ~shared & ~far & (segments != chosen[world.machine[rows]]),
    }
    _judge(ledger, world, machine, rows, hops, mac, shared, far, faults)
    return chosen


def _shared(world: World, machine: int, rows: Ints) -> Bools:
    """Which destinations are neighborhood addresses on a segment that this machine is on."""
    on = np.append(world.cabling.shares(machine), False)
    mine: Bools = (world.role[rows] == Role.NEIGHBORHOOD) & on[world.segment[rows].clip(-1)]
    return mine


def _look_up(ledger: Ledger, world: World, own: Ints, drop_ins: DropIns, ips: Ints) -> Hops:
    """The longest prefix that each address is in."""
    network, length, slot, gateway = drop_ins.routes
    mask = -1 << (32 - world.length[own])
    table = np.hstack(
        (
            np.stack((network, length, slot, gateway)),
            np.stack((world.ip[own] & mask, world.length[own], world.slot[own], np.full(len(own), -1))),
        )
    )
    _twice(ledger, world, table)
    found, hop = np.full(len(ips), -1, dtype=np.int64), np.full(len(ips), -1, dtype=np.int64)
    for size in np.unique(table[1])[::-1].tolist():
        part = table[:, table[1] == size]
        part = part[:, np.argsort(part[0], kind="stable")]
        network = ips & (-1 << (32 - size))
        place = np.searchsorted(part[0], network).clip(max=part.shape[1] - 1)
        hit = (part[0][place] == network) & (found < 0)
        found = np.where(hit, part[2][place], found)
        hop = np.where(hit, np.where(part[3][place] >= 0, part[3][place], ips), hop)
    return Hops(found, hop)


def _twice(ledger: Ledger, world: World, table: Ints) -> None:
    """A prefix has one route; with two, the kernel would take either."""
    keys = table[0] << 6 | table[1]
    _, first, counts = np.unique(keys, return_index=True, return_counts=True)
    for column in first[counts > 1].tolist():
        network, length, slot = (int(value) for value in table[:3, column])
        machine = world.cabling.numbers[ledger.machine]
        nic, cable = f"fnn{slot}", world.cabling.cable(machine, slot)
        message = f"there are two routes to {dotted(network)}/{length}"
        ledger.fail("paths", file_of(slot, "routes"), message, "keep one", nic, cable)


def _source(world: World, own: Ints, hops: Hops) -> Ints:
    """The row of the address that each packet comes from: on the NIC, in the next hop's subnet; -1: none is."""
    source = np.full(len(hops.hop), -1, dtype=np.int64)
    for row in own.tolist():
        mask = -1 << int(32 - world.length[row])
        match = (hops.slot == world.slot[row]) & ((hops.hop & mask) == (world.ip[row] & mask))
        source = np.where(match, row, source)
    return source


def _entries(ledger: Ledger, world: World, machine: int, drop_ins: DropIns, hops: Hops) -> Ints:
    """The MAC address in the neighbor entry of each next hop, -1 where there is none; and each entry is right."""
    slot, ip, mac = drop_ins.neighbors
    keys = slot << 32 | ip
    order = np.argsort(keys, kind="stable")
    keys, mac, slot, ip = keys[order], mac[order], slot[order], ip[order]
    to, to_slot = world.cabling.owner(mac)
    row = world.find(ip)
    fits = (to >= 0) & (row >= 0) & (to == world.machine[row]) & (to_slot == world.slot[row])
    single = np.append(keys[1:] != keys[:-1], True) & np.append(True, keys[1:] != keys[:-1])
    ledger.proved("neighbors", int(np.count_nonzero(fits & single)))
    for bad in np.flatnonzero(~(fits & single)).tolist():
        whose = world.cabling.names[world.machine[row[bad]]] if row[bad] >= 0 else "nobody"
        has = f"{world.cabling.names[to[bad]]}'s fnn{to_slot[bad]}" if to[bad] >= 0 else "no NIC"
        message = f"the entry of {dotted(int(ip[bad]))} ({whose}) has {colons(int(mac[bad]))}, the MAC address of {has}"
        if not single[bad]:
            message = f"there are two entries of {dotted(int(ip[bad]))}"
        elif row[bad] >= 0 and world.slot[row[bad]] >= 0:
            right = int(world.cabling.mac[world.machine[row[bad]], world.slot[row[bad]]])
            message += f" (should be {colons(right)})"
        nic, cable = f"fnn{slot[bad]}", world.cabling.cable(machine, int(slot[bad]))
        ledger.fail("neighbors", file_of(int(slot[bad]), "arp"), message, _AGAIN, nic, cable)
    if not len(keys):
        return np.full(len(hops.hop), -1, dtype=np.int64)
    wanted = hops.slot << 32 | hops.hop
    place = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
    return np.where((keys[place] == wanted) & (hops.slot >= 0), mac[place], -1)


def _judge(
    ledger: Ledger,
    world: World,
    machine: int,
    rows: Ints,
    hops: Hops,
    mac: Ints,
    shared: Bools,
    far: Bools,
    faults: dict[str, Bools],
) -> None:
    """Count what holds; tell each fault of a next hop once, however many addresses it leads to."""
    cabling = world.cabling
    uplink = (world.machine[rows] >= cabling.nodes) | (machine >= cabling.nodes)
    kinds = {"uplink": uplink, "neighborhoods": shared & ~uplink, "paths": ~shared & ~uplink}
    bad = np.zeros(len(rows), dtype=np.bool_)
    for fault, mask in faults.items():
        for check, kind in kinds.items():
            group: dict[tuple[int, int, int], list[int]] = {}
            for k in np.flatnonzero(mask & ~bad & kind).tolist():
                group.setdefault((int(world.machine[rows[k]]), int(hops.slot[k]), int(hops.hop[k])), []).append(k)
            for (peer, slot, _), members in group.items():
                ips = ", ".join(dotted(int(world.ip[rows[k]])) for k in members)
                text = _sentence(fault, world, machine, rows, hops, mac, members[0])
                role = "arp" if fault in ("no entry", "nobody", "other machine", "other segment") else "routes"
                told = slot if slot >= 0 else cabling.used(machine)[0]
                nic, cable = (f"fnn{slot}", cabling.cable(machine, slot)) if slot >= 0 else ("", "")
                message = f"{cabling.names[peer]} ({ips}): {text}"
                ledger.fail(check, file_of(told, role), message, _AGAIN, nic, cable, count=len(members))
        bad |= mask
    for check, kind in kinds.items():
        ledger.proved(check, int(np.count_nonzero(kind & ~bad)))
    ledger.proved("replies", int(np.count_nonzero(~bad)))


def _sentence(fault: str, world: World, machine: int, rows: Ints, hops: Hops, mac: Ints, k: int) -> str:
    """What is wrong with the path to one destination."""
    cabling = world.cabling
    slot, hop = int(hops.slot[k]), dotted(int(hops.hop[k]))
    if fault == "no route":
        return "there is no route"
    if fault == "next hop":
        return f"the next hop {hop} is in no subnet of fnn{slot}, so the kernel refuses the route"
    if fault == "no entry":
        return f"there is no permanent neighbor entry for {hop} on fnn{slot}"
    if fault == "nobody":
        return f"the neighbor entry of {hop} has {colons(int(mac[k]))}, which is no NIC's"
    if fault == "not direct":
        there = cabling.segments[world.segment[rows[k]]]
        return f"goes by fnn{slot} ({cabling.alias(machine, slot)}) though both are on {there}"
    if fault == "not chosen":
        return f"goes by {cabling.alias(machine, slot)}, its plain name by another neighborhood"
    to, to_slot = (int(value[0]) for value in cabling.owner(mac[k : k + 1]))
    if fault == "other machine":
        return f"frames for {hop} go to {cabling.names[to]}'s fnn{to_slot}"
    where = "the uplink" if cabling.segment[to, to_slot] == UPLINK else cabling.alias(to, to_slot)
    return f"fnn{slot} is on {cabling.alias(machine, slot)}, the MAC address of {hop} on {where}: it would cross the uplink"
