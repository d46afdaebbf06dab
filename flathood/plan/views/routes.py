# SPDX-License-Identifier: Apache-2.0
"""Role routes: any address of any peer is one switch away.

A peer's addresses on shared neighborhoods are on-link. Its other neighborhood addresses, its node address and its
outside address get a host route each, by its address on the neighborhood that is chosen for the pair. In tree mode, and
for a peer that no neighborhood is shared with, all of them but the outside address, which is on-link, go by the outside
address through the uplink.

No route names a source: a connection then comes from the address of the NIC that it leaves by, on the neighborhood that
it goes over, which the peer has on-link: the way back is one switch too, with nothing to lose a route over when
`node0` is gone.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from flathood.plan.model import Plan
from flathood.plan.views.base import (
    File,
    Live,
    Options,
    PeerTexts,
    View,
    drop_in,
    header,
    lines,
    nic,
    sysctl_file,
    sysctl_live,
)

_OWNS = ("/etc/systemd/network/50-fnn*.network.d/routes.conf", "/etc/sysctl.d/60-fnn-routes.conf")
_APPLY = ("networkd", "sysctl")
_HEADER = header("routes")
_ROUTE = "\n[Route]\nDestination={}/32\nGateway={}\n"
_LIVE = "{} via {}\n"


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """A drop-in for each NIC that has a route, and the sysctls."""
    texts = _by_slot(plan, plan.numbers[host], options, _ROUTE)
    made = [File(drop_in(slot, "routes"), _HEADER + "".join(parts)) for slot, parts in texts.items()]
    return (*made, sysctl_file("routes", settings(plan, host)))


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facets `routes` and `sysctl`."""
    texts = _by_slot(plan, plan.numbers[host], options, _LIVE)
    return {
        "routes": lines(
            f"{line} dev {nic(slot)}" for slot, parts in texts.items() for part in parts for line in part.splitlines()
        ),
        "sysctl": sysctl_live(settings(plan, host)),
    }


def settings(plan: Plan, host: str) -> dict[str, int]:
    """The sysctls: never forward, take no redirect, loose reverse path (RFC 3704), hash flows on ports too.

    A redirect is taken, and sent, where `all` or the NIC says so (Linux: networking/ip-sysctl), so both say no.
    """
    scopes = ["all", "default", *(nic(slot) for slot in plan.used_slots(plan.numbers[host]))]
    redirects = {f"net.ipv4.conf.{scope}.{way}_redirects": 0 for scope in scopes for way in ("accept", "send")}
    return {
        "net.ipv4.ip_forward": 0,
        **redirects,
        "net.ipv4.conf.all.rp_filter": 2,
        "net.ipv4.conf.default.rp_filter": 2,
        "net.ipv4.fib_multipath_hash_policy": 1,
    }


def _by_slot(plan: Plan, node: int, options: Options, form: str) -> dict[int, list[str]]:
    """The texts of a node's routes, by slot, in peer order."""
    if options.routing == "tree":
        texts = _tree_texts(plan, form)
        return {plan.outside_slot(node): texts[:node] + texts[node + 1 :]}
    texts = _basic_texts(plan, form).of(node)
    found = {}
    far = plan.by_uplink(node)
    for slot in plan.used_slots(node):
        usable = plan.usable[node, slot] >= 0
        peers = np.flatnonzero(plan.chosen[node] == plan.usable[node, slot]).tolist() if usable else []
        if slot == plan.outside_slot(node):
            peers = sorted({*peers, *far})
        if peers:
            found[slot] = [texts[peer] for peer in peers]
    return found


@lru_cache(maxsize=8)
def _basic_texts(plan: Plan, form: str) -> PeerTexts:
    def make(peer: int, chosen: int, shared: tuple[int, ...]) -> str:
        if chosen < 0:
            return _tree_texts(plan, form)[peer]
        gateway = plan.neighborhood_ip(peer, chosen)
        apart = [plan.neighborhood_ip(peer, s) for s in plan.addressed(peer) if s not in shared]
        return "".join(form.format(address, gateway) for address in (*apart, plan.node_ip(peer), plan.outside_ip(peer)))

    return PeerTexts(plan, make)


@lru_cache(maxsize=8)
def _tree_texts(plan: Plan, form: str) -> list[str]:
    texts = []
    for peer in range(plan.node_count):
        gateway = plan.outside_ip(peer)
        own = [plan.neighborhood_ip(peer, s) for s in plan.addressed(peer)]
        texts.append("".join(form.format(address, gateway) for address in (*own, plan.node_ip(peer))))
    return texts


VIEW = View(_OWNS, _APPLY, files, live)
