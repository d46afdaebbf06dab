# SPDX-License-Identifier: Apache-2.0
"""The drop-ins of one machine: which NICs never ask, its permanent neighbor entries, its routes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.cabling import Cabling
from flathood.plan.proof.findings import Ledger
from flathood.plan.proof.syntax import Kind, Sections, dotted

Ints = npt.NDArray[np.int64]
_DROP_IN = re.compile(r"/etc/systemd/network/50-fnn(\d+)\.network\.d/(\w+)\.conf")


@dataclass(frozen=True, eq=False)
class DropIns:
    """What the drop-ins of a machine say.

    ``neighbors``: int64[3, entries]: slot, address, MAC. ``routes``: int64[4, routes]: network, length, slot, gateway.
    ``multipath``: int64[3, hops]: address, slot, gateway of each next hop of the routes that have several.
    ``groups``: slot, network, length and source of each multicast route. ``silent``: the slots with ARP off.
    """

    neighbors: Ints
    routes: Ints
    multipath: Ints
    groups: tuple[tuple[int, int, int, int], ...]
    silent: tuple[int, ...]


@lru_cache(maxsize=4096)
def drop_in(path: str) -> tuple[int, str] | None:
    """Slot and role of a drop-in by its path; None: the path is of no drop-in."""
    match = _DROP_IN.fullmatch(path)
    return (int(match[1]), match[2]) if match else None


def file_of(slot: int, role: str) -> str:
    """Path of a drop-in."""
    return f"/etc/systemd/network/50-fnn{slot}.network.d/{role}.conf"


def read_drop_ins(
    ledger: Ledger, cabling: Cabling, machine: int, files: Mapping[str, bytes], known: Sections
) -> DropIns:
    """Read all drop-ins of a machine; a section that cannot be understood is told of."""
    neighbors, routes = [np.zeros((3, 0), dtype=np.int64)], [np.zeros((4, 0), dtype=np.int64)]
    multipath = [np.zeros((3, 0), dtype=np.int64)]
    groups: list[tuple[int, int, int, int]] = []
    silent: list[int] = []
    for path, data in files.items():
        if (place := drop_in(path)) is None:
            continue
        slot = place[0]
        numbers, (kind, one, two, three) = known.read(data)
        mine = np.full(len(kind), slot, dtype=np.int64)
        neighbors.append(np.stack((mine, one, two))[:, kind == Kind.NEIGHBOR])
        routes.append(np.stack((one, two, mine, three))[:, kind == Kind.ROUTE])
        if len(several := np.flatnonzero(kind == Kind.MULTIPATH)):
            multipath.append(known.hops(np.stack((one, two, three))[:, several]))
        for row in np.flatnonzero(kind == Kind.GROUPS).tolist():
            groups.append((slot, int(one[row]), int(two[row]), int(three[row])))
        silent += [slot] * int(np.count_nonzero(kind == Kind.ARP_OFF))
        for row in np.flatnonzero(kind == Kind.UNKNOWN).tolist():
            text = " ".join(known.texts[numbers[row]].decode("utf-8", "replace").split())
            check = {"arp": "neighbors", "multicast": "multicast"}.get(place[1], "paths")
            ledger.fail(check, cabling.place(machine, slot, path), f"section `[{text}` means nothing here")
    return DropIns(np.hstack(neighbors), np.hstack(routes), np.hstack(multipath), tuple(groups), tuple(silent))


def check_arp(ledger: Ledger, cabling: Cabling, machine: int, drop_ins: DropIns) -> None:
    """Every NIC in use of a node or spare has ARP off; the head's has not, as it must answer machines that are new."""
    wanted = [] if machine == len(cabling.names) - 1 else cabling.used(machine)
    for slot in sorted({*wanted, *drop_ins.silent}):
        times = drop_ins.silent.count(slot)
        message = f"ARP=no is there {times} times; {'once' if slot in wanted else 'never'} is right"
        if times == 0:
            message = "ARP is left on: the node would ask everybody for an address it has no entry for"
        ledger.expect("arp", times == (slot in wanted), cabling.place(machine, slot, file_of(slot, "arp")), message)


def check_groups(ledger: Ledger, cabling: Cabling, machine: int, drop_ins: DropIns, outside: tuple[int, int]) -> None:
    """One route for all multicast groups, by the outside NIC; ``outside``: that NIC's slot and its outside address."""
    slot, source = outside
    wanted = () if machine == len(cabling.names) - 1 else ((slot, 224 << 24, 4, source),)
    shown = ", ".join(
        f"{dotted(net)}/{length} by fnn{nic} from {dotted(ip)}" for nic, net, length, ip in drop_ins.groups
    )
    message = f"multicast goes by {shown or 'no NIC'}; right is 224.0.0.0/4 by fnn{slot} from {dotted(source)}, once"
    place = cabling.place(machine, slot, file_of(slot, "multicast"))
    ledger.expect("multicast", drop_ins.groups == wanted, place, message)
