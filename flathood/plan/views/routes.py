# SPDX-License-Identifier: Apache-2.0
"""Role routes: any address of any peer is one switch away.

A peer's addresses on shared neighborhoods are on-link. Its other neighborhood addresses, its node address and its
outside address get a host route each, by its address on the neighborhood that is chosen for the pair. In tree mode, and
for a peer that no neighborhood is shared with, all of them but the outside address, which is on-link, go by the outside
address through the uplink.

No route names a source: a connection then comes from the address of the NIC that it leaves by, on the neighborhood that
it goes over, which the peer has on-link: the way back is one switch too, with nothing to lose a route over when
`node0` is gone.

In advanced mode the route to a node address has a next hop on each shared neighborhood. The kernel takes one of them
for each flow, and passes over those whose NIC has no carrier. One connection uses them all by MPTCP (RFC 8684): see
`mptcp` beside. The peer's other neighborhood addresses are dealt out to the shared neighborhoods in turn.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from flathood.plan.model import Plan
from flathood.plan.views import mptcp
from flathood.plan.views.base import (
    File,
    Live,
    Options,
    Pair,
    PeerTexts,
    View,
    drop_in,
    header,
    lines,
    nic,
    sysctl_file,
    sysctl_live,
)

_OWNS = ("/etc/systemd/network/50-fnn*.network.d/routes.conf", "/etc/sysctl.d/60-fnn-routes.conf", *mptcp.OWNS)
_APPLY = ("networkd", "routes", "sysctl", "mptcp")
_HEADER = header("routes")
Hop = tuple[object, str]


class _Form(NamedTuple):
    """How a route is written: ``one`` for an address and its gateway, ``many`` for several gateways, each by a NIC."""

    one: str
    many: Callable[[object, list[Hop]], str]


def _section(address: object, hops: list[Hop]) -> str:
    """A multipath route (systemd.network(5), MultiPathRoute=)."""
    return f"\n[Route]\nDestination={address}/32\n" + "".join(f"MultiPathRoute={ip}@{name}\n" for ip, name in hops)


def _line(address: object, hops: list[Hop]) -> str:
    return f"{address} {' '.join(f'via {ip} dev {name}' for ip, name in hops)}\n"


_FILE = _Form("\n[Route]\nDestination={}/32\nGateway={}\n", _section)
_LIVE = _Form("{} via {}\n", _line)


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """A drop-in for each NIC that has a route, and the sysctls; nothing for a spare."""
    if plan.numbers[host] >= plan.node_count:
        return ()
    texts = _by_slot(plan, plan.numbers[host], _FILE)
    made = [File(drop_in(slot, "routes"), _HEADER + "".join(parts)) for slot, parts in texts.items()]
    return (*made, sysctl_file("routes", settings(plan, host)), *mptcp.files(plan, plan.numbers[host]))


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facets `routes`, `sysctl` and `mptcp`."""
    if plan.numbers[host] >= plan.node_count:
        return {"routes": (), "sysctl": (), "mptcp": ()}
    texts = _by_slot(plan, plan.numbers[host], _LIVE)
    shown = ((slot, line) for slot, parts in texts.items() for part in parts for line in part.splitlines())
    return {
        "routes": lines(line if " dev " in line else f"{line} dev {nic(slot)}" for slot, line in shown),
        "sysctl": sysctl_live(settings(plan, host)),
        "mptcp": mptcp.live(plan, plan.numbers[host]),
    }


def settings(plan: Plan, host: str) -> dict[str, int | str]:
    """The sysctls: never forward, take no redirect, loose reverse path (RFC 3704), hash flows on ports too.

    A redirect is taken, and sent, where `all` or the NIC says so (Linux: networking/ip-sysctl), so both say no. A
    route whose NIC has no carrier is passed over where there is another: in advanced mode. Messages come in bursts, and
    a path of one switch does not change between them: a connection that was idle goes on at its rate, and does not
    begin slowly again (RFC 5681, 4.1). CUBIC (RFC 9438) is what most kernels take anyway; some take BBR, which pays no
    heed to losses: where connections meet in a cable, as in a tree, it sent a sixth of all segments again.
    """
    scopes = ["all", "default", *(nic(slot) for slot in plan.used_slots(plan.numbers[host]))]
    redirects = {f"net.ipv4.conf.{scope}.{way}_redirects": 0 for scope in scopes for way in ("accept", "send")}
    return {
        "net.ipv4.ip_forward": 0,
        **redirects,
        "net.ipv4.conf.all.rp_filter": 2,
        "net.ipv4.conf.default.rp_filter": 2,
        "net.ipv4.fib_multipath_hash_policy": 1,
        "net.ipv4.tcp_slow_start_after_idle": 0,
        "net.ipv4.tcp_congestion_control": "cubic",
        "net.ipv4.conf.all.ignore_routes_with_linkdown": int(plan.routing == "advanced"),
    }


def _by_slot(plan: Plan, node: int, form: _Form) -> dict[int, list[str]]:
    """The texts of a node's routes, by slot, in peer order; one by several NICs is with the chosen one."""
    if plan.routing == "tree":
        by_peer = _tree_texts(plan, form)
        return {plan.outside_slot(node): by_peer[:node] + by_peer[node + 1 :]}
    texts = _texts(plan, form).of(node)
    far = plan.by_uplink(node)
    found: dict[int, list[str]] = {slot: [] for slot in plan.used_slots(node)}
    for slot in found:
        usable = plan.usable[node, slot] >= 0
        peers = np.flatnonzero(plan.chosen[node] == plan.usable[node, slot]).tolist() if usable else []
        if slot == plan.outside_slot(node):
            peers = sorted({*peers, *far})
        found[slot] = [texts[peer].chosen for peer in peers]
    for slot, text in (other for each in texts for other in each.others):
        found[slot].append(text)
    return {slot: parts for slot, parts in found.items() if parts}


class _Texts(NamedTuple):
    """Routes to one peer: those by the neighborhood chosen for the pair, and a slot and routes for each other one."""

    chosen: str = ""
    others: tuple[tuple[int, str], ...] = ()


@lru_cache(maxsize=8)
def _texts(plan: Plan, form: _Form) -> PeerTexts[_Texts]:
    advanced = plan.routing == "advanced"

    def make(pair: Pair) -> _Texts:
        node, peer, chosen, shared = pair
        if chosen < 0:
            return _Texts(_tree_texts(plan, form)[peer])
        ways: dict[int, list[object]] = {chosen: []}
        for switch, over in plan.reached_over(node, peer).items():
            ways.setdefault(over, []).append(plan.neighborhood_ip(peer, switch))
        several = ""
        if advanced and len(shared) > 1:
            slots = sorted((int(plan.slot_on[node, s]), s) for s in shared)
            several = form.many(plan.node_ip(peer), [(plan.neighborhood_ip(peer, s), nic(slot)) for slot, s in slots])
        else:
            ways[chosen].append(plan.node_ip(peer))
        ways[chosen].append(plan.outside_ip(peer))
        by_way = {
            over: "".join(form.one.format(address, plan.neighborhood_ip(peer, over)) for address in addresses)
            for over, addresses in ways.items()
        }
        first = by_way.pop(chosen)
        return _Texts(first + several, tuple((int(plan.slot_on[node, over]), text) for over, text in by_way.items()))

    return PeerTexts(plan, make, _Texts(), by_slot=advanced)


@lru_cache(maxsize=8)
def _tree_texts(plan: Plan, form: _Form) -> list[str]:
    texts = []
    for peer in range(plan.node_count):
        gateway = plan.outside_ip(peer)
        own = [plan.neighborhood_ip(peer, s) for s in plan.addressed(peer)]
        texts.append("".join(form.one.format(address, gateway) for address in (*own, plan.node_ip(peer))))
    return texts


VIEW = View(_OWNS, _APPLY, files, live)
