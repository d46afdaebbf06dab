# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ways to take instead of those that a dead NIC is on. Pure.

A way is dead when this node's NIC is, or the peer's at its other end. Of several hops those that live are kept. Where
none is left, the peer is reached on any other neighborhood that both are on, with a working NIC each; and where there
is none, through the uplink switch, by the MAC of one of the peer's NICs that the peer has told.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address

from .view import Hop, View
from .words import Word

#: A table of its own and the rule that has it asked first: what systemd-networkd set up stays as it is.
TABLE, PREFERENCE = 7706, 7706


@dataclass(frozen=True)
class Detours:
    """``routes``: hops for each address that is not reached as planned; ``neighbors``: MACs for those by the uplink."""

    routes: dict[IPv4Address, tuple[Hop, ...]]
    neighbors: dict[Hop, str]


def cut_off(view: View, dead: Collection[str], told: Mapping[int, Word]) -> set[int]:
    """The peers with which no working neighborhood is shared, though the plan has one."""
    near = {view.number(gateway) for hops in view.ways.values() for gateway, _ in hops}
    return near - {view.number(gateway) for gateway, _ in _links(view, dead, told)}


def detours(view: View, dead: Collection[str], told: Mapping[int, Word]) -> Detours:
    """The detours of a node whose NICs in ``dead`` do not work; ``told``: the words of peers, by their number."""
    living = _links(view, dead, told)
    instead: dict[int, list[Hop]] = {}
    for hop in living:
        instead.setdefault(view.number(hop[0]), []).append(hop)
    routes: dict[IPv4Address, tuple[Hop, ...]] = {}
    neighbors: dict[Hop, str] = {}
    for to, hops in view.ways.items():
        left = tuple(hop for hop in hops if hop in living)
        if left == hops:
            continue
        number = view.number(hops[0][0])
        if not left and number in instead:
            left = tuple(instead[number])
        elif not left:
            left, macs = _by_uplink(view, dead, told.get(number))
            neighbors |= macs
        if left:
            routes[to] = left
    return Detours(routes, neighbors)


def _links(view: View, dead: Collection[str], told: Mapping[int, Word]) -> dict[Hop, None]:
    """A peer's address on a neighborhood, and the NIC on it, where both ends work; in the order of the NICs."""
    down = {address for word in told.values() for address in word.down}
    return {
        (peer, device): None
        for device, nic in view.nics.items()
        if device not in dead
        for peer in nic.peers
        if peer not in down
    }


def _by_uplink(view: View, dead: Collection[str], word: Word | None) -> tuple[tuple[Hop, ...], dict[Hop, str]]:
    device = next((device for device in view.nics if device not in dead), None)
    if word is None or device is None or not word.up:
        return (), {}
    # Not on a neighborhood of this node whose own NIC is dead: the address would be on-link there.
    address, mac = min(word.up.items())
    hop = (address, device)
    return (hop,), {hop: mac}


def orders(old: Detours, new: Detours) -> list[str]:
    """Lines for `ip -batch` from one set of detours to the next; both are right in between, as routes are replaced."""
    lines = [f"neighbor replace {ip} lladdr {mac} dev {dev} nud permanent" for (ip, dev), mac in new.neighbors.items()]
    for to, hops in new.routes.items():
        words = " ".join(f"nexthop via {gateway} dev {device} onlink" for gateway, device in hops)
        lines.append(f"route replace {to}/32 table {TABLE} proto static {words}")
    lines += [f"route delete {to}/32 table {TABLE}" for to in old.routes.keys() - new.routes.keys()]
    lines += [f"neighbor delete {ip} dev {dev}" for ip, dev in old.neighbors.keys() - new.neighbors.keys()]
    if new.routes and not old.routes:
        lines.append(f"rule add preference {PREFERENCE} lookup {TABLE}")
    if old.routes and not new.routes:
        lines.insert(0, f"rule delete preference {PREFERENCE} lookup {TABLE}")
    return lines
