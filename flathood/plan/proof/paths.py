# SPDX-License-Identifier: Apache-2.0
"""From one machine to every address of every other: route, NIC, neighbor's MAC, cable, segment, the peer's NIC.

The reply goes to the source address that the kernel takes; it is one of this machine's, and the paths to all of those
are proved from the peer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.findings import Ledger
from flathood.plan.proof.lookup import Hops, check_neighbors, check_single, look_up, mac_of, spread
from flathood.plan.proof.machine import DropIns, file_of
from flathood.plan.proof.syntax import colons, dotted
from flathood.plan.proof.world import Role, World

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def check_paths(ledger: Ledger, world: World, machine: int, drop_ins: DropIns, plain: Ints) -> Ints:
    """Check all paths from one machine; the segment that each other machine's plain name goes by, -1: none.

    ``plain`` is the row in the world that each machine's plain name leads to, -1 where it leads nowhere.
    """
    check_single(ledger, world, machine, drop_ins)
    check_neighbors(ledger, world, machine, drop_ins)
    paths = _trace(world, machine, drop_ins)
    at = np.full(len(world.ip) + 1, -1, dtype=np.int64)
    at[paths.rows] = np.where(paths.direct, paths.ours, -1)
    # In advanced mode plain names go by all shared segments; what goes by the chosen one is the rest.
    asked = _outside_rows(world) if world.cabling.cluster.routing == "advanced" else plain
    chosen = at[asked]  # the last place answers for -1
    _judge(ledger, paths, _faults(paths, chosen))
    return chosen


@dataclass(frozen=True, eq=False)
class _Paths:
    """The ways from one machine to the addresses in ``rows`` of the world, in columns; -1: unknown.

    ``mac``: in the neighbor entry of the next hop. ``to``, ``to_slot``: whose it is. ``ours``: the segment that the
    frame leaves on. ``direct``: the NIC it is for is on that segment. ``shared``: the address is on a segment that
    the machine is on. ``uplink``: one end is on the uplink switch. ``apart``: both are nodes, and share no segment.
    ``several``: one of several next hops; such a destination has a column for each.
    """

    world: World
    machine: int
    rows: Ints
    hops: Hops
    mac: Ints
    to: Ints
    to_slot: Ints
    ours: Ints
    direct: Bools
    shared: Bools
    uplink: Bools
    apart: Bools
    several: Bools

    @cached_property
    def ways(self) -> Ints:
        """By how many segments each destination is reached, of the routes that reach the right machine."""
        good = self.direct & (self.to == self.world.machine[self.rows])
        pairs = np.unique(self.rows[good] * (len(self.world.cabling.segments) + 1) + self.ours[good])
        count = np.bincount(pairs // (len(self.world.cabling.segments) + 1), minlength=len(self.world.ip))
        return count[self.rows]


def _trace(world: World, machine: int, drop_ins: DropIns) -> _Paths:
    """Where frames to all addresses of the others arrive; of a machine on the uplink switch, to their outside ones."""
    cabling = world.cabling
    fabric = (machine < cabling.nodes) & (world.machine < cabling.nodes)
    rows = np.flatnonzero((world.machine != machine) & (fabric | (world.role == Role.OUTSIDE)))
    many, ways = spread(world, machine, drop_ins)
    known = np.isin(many, rows)
    rows = np.setdiff1d(rows, many[known])
    one = look_up(world, machine, drop_ins, world.ip[rows])
    several = np.arange(len(rows) + np.count_nonzero(known)) >= len(rows)
    rows = np.concatenate((rows, many[known]))
    hops = Hops(*(np.concatenate((a, b[known])) for a, b in zip(vars(one).values(), vars(ways).values(), strict=True)))
    mac = mac_of(drop_ins, hops)
    to, to_slot = cabling.owner(mac)
    ours = np.where(hops.slot >= 0, cabling.segment[machine, hops.slot], -1)
    theirs = np.where(to >= 0, cabling.segment[to, to_slot], -1)
    idle = (hops.slot >= 0) & cabling.idle[machine, hops.slot] | (to >= 0) & cabling.idle[to, to_slot]
    direct = (ours >= 0) & (ours == theirs) & ~idle
    on = np.append(cabling.shares(machine), False)  # the last place answers for -1, no neighborhood address
    lively = (world.slot[rows] >= 0) & ~cabling.idle[world.machine[rows], world.slot[rows]]
    segment = np.where((world.role[rows] == Role.NEIGHBORHOOD) & lively, world.segment[rows], -1)
    apart = cabling.apart(machine)[world.machine[rows]] & fabric[rows]
    return _Paths(
        world, machine, rows, hops, mac, to, to_slot, ours, direct, on[segment], ~fabric[rows], apart, several
    )


def _faults(paths: _Paths, chosen: Ints) -> dict[str, Bools]:
    """Which destinations have which fault; ``chosen`` is the segment by which each machine's plain name goes."""
    world, hops, to = paths.world, paths.hops, paths.to
    tree, advanced = (world.cabling.cluster.routing == mode for mode in ("tree", "advanced"))
    rows = _outside_rows(world)
    outside = np.where(rows >= 0, world.slot[rows], -1)
    by_uplink = (hops.slot == outside[paths.machine]) & (paths.to_slot == outside[to])
    by_uplink &= paths.uplink | paths.apart | tree
    peers = world.machine[paths.rows]
    spread_out = (world.role[paths.rows] == Role.NODE) & ~paths.apart & ~paths.uplink & advanced
    shared = np.count_nonzero(world.cabling.on & world.cabling.on[paths.machine], axis=1)
    # A peer's own addresses on neighborhoods, and how many of them go by the segment that this one goes by.
    own = (world.role[paths.rows] == Role.NEIGHBORHOOD) & ~paths.uplink
    dealt_out = own & ~paths.shared & ~paths.apart & advanced
    ours = np.maximum(paths.ours, -1)  # the last column answers for -1
    counts = np.zeros((len(world.cabling.names), len(world.cabling.segments) + 1), dtype=np.int64)
    np.add.at(counts, (peers[own], ours[own]), 1)
    load = counts[peers, ours]
    addresses = np.bincount(peers[own], minlength=len(world.cabling.names))
    return {
        "no route": hops.slot < 0,
        "next hop": (hops.slot >= 0) & (hops.source < 0),
        "no entry": (hops.slot >= 0) & (paths.mac < 0),
        "nobody": (paths.mac >= 0) & (to < 0),
        "other machine": (to >= 0) & (to != peers),
        "other segment": (to >= 0) & ~paths.direct & ~by_uplink,
        "not direct": paths.shared & (paths.ours != world.segment[paths.rows]) & (not tree),
        "not chosen": ~paths.shared
        & ~paths.uplink
        & ~paths.apart
        & ~spread_out
        & ~dealt_out
        & (paths.ours != chosen[peers])
        & (not tree),
        "uneven": dealt_out & (load > -(-addresses[peers] // np.maximum(shared[peers], 1))),
        "several": paths.several & ~spread_out,
        "not all": spread_out & (paths.ways < shared[peers]),
    }


def _judge(ledger: Ledger, paths: _Paths, faults: dict[str, Bools]) -> None:
    """Count what holds; tell each fault of a next hop once, however many addresses it leads to."""
    world, cabling = paths.world, paths.world.cabling
    kinds = {
        "uplink": paths.uplink,
        "neighborhoods": paths.shared & ~paths.uplink,
        "paths": ~paths.shared & ~paths.uplink,
    }
    bad = np.zeros(len(paths.rows), dtype=np.bool_)
    for fault, mask in faults.items():
        groups: dict[tuple[str, int, int, int], list[int]] = {}
        for check, kind in kinds.items():
            for k in np.flatnonzero(mask & ~bad & kind).tolist():
                key = (check, int(world.machine[paths.rows[k]]), int(paths.hops.slot[k]), int(paths.hops.hop[k]))
                groups.setdefault(key, []).append(k)
        for (check, peer, slot, _), members in groups.items():
            ips = ", ".join(dotted(int(world.ip[paths.rows[k]])) for k in members)
            message = f"{cabling.names[peer]} ({ips}): {_sentence(fault, paths, members[0])}"
            role = "arp" if fault in ("no entry", "nobody", "other machine", "other segment") else "routes"
            told = slot if slot >= 0 else cabling.used(paths.machine)[0]
            ledger.fail(check, cabling.place(paths.machine, told, file_of(told, role)), message, count=len(members))
        bad |= mask
    for check, kind in kinds.items():
        ledger.proved(check, int(np.count_nonzero(kind & ~bad)))
    ledger.proved("replies", int(np.count_nonzero(~bad)))


def _outside_rows(world: World) -> Ints:
    """The row of each machine's outside address, -1 where it has none."""
    rows = np.full(len(world.cabling.names), -1, dtype=np.int64)
    known = np.flatnonzero(world.role == Role.OUTSIDE)
    rows[world.machine[known]] = known
    return rows


def _sentence(fault: str, paths: _Paths, k: int) -> str:
    """What is wrong with the path to one destination."""
    cabling = paths.world.cabling
    slot, hop = int(paths.hops.slot[k]), dotted(int(paths.hops.hop[k]))
    mac, to, to_slot = int(paths.mac[k]), int(paths.to[k]), int(paths.to_slot[k])
    here = cabling.alias(paths.machine, slot)
    return {
        "no route": "there is no route",
        "next hop": f"the next hop {hop} is in no subnet of fnn{slot}, so the kernel refuses the route",
        "no entry": f"there is no permanent neighbor entry for {hop} on fnn{slot}",
        "nobody": f"the neighbor entry of {hop} has {colons(mac)}, which is no NIC's",
        "other machine": f"frames for {hop} go to {cabling.names[to]}'s fnn{to_slot}",
        "other segment": (
            f"fnn{slot} is on {here}, the MAC address that it has for {hop} is on {cabling.alias(to, to_slot)}: "
            "frames would cross the uplink"
            if paths.ours[k] != cabling.segment[to, to_slot]
            else f"fnn{slot} or the NIC at the other end carries nothing for now"
        ),
        "not direct": f"goes by fnn{slot} ({here}), though the address is on another neighborhood that both are on",
        "not chosen": f"goes by fnn{slot} ({here}), its plain name by another neighborhood",
        "uneven": f"goes by fnn{slot} ({here}), as do too many of its addresses: they are to be dealt out evenly",
        "several": "has several next hops: only node addresses have, and only in advanced mode",
        "not all": f"goes by {paths.ways[k]} of the neighborhoods that both are on, not by all",
    }[fault]
