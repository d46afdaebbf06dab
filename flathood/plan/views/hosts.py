# SPDX-License-Identifier: Apache-2.0
"""Role hosts: the host name, and an /etc/hosts of each machine's own.

A peer's plain name is its address on the neighborhood that basic routing chose for the pair, so the same name is
another address on another node. In advanced mode it is the peer's node address, which all shared neighborhoods lead
to. A node's own name is its node address: what a program publishes as "my address" by looking up its own name is then
reached from everywhere.
"""

from __future__ import annotations

from functools import lru_cache

from flathood.plan.model import Plan
from flathood.plan.views.base import File, Live, Options, Pair, PeerTexts, View, header

_OWNS = ("/etc/hosts", "/etc/hostname")
_APPLY = ("hostname",)


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """/etc/hosts and /etc/hostname (which has no comment: too many programs read it as one bare name)."""
    number = plan.numbers[host]
    if number < plan.node_count:
        peers = _tree_texts(plan) if plan.routing == "tree" else _texts(plan)
        text = _own(plan, number) + "".join(peers.of(number)) + _by_uplink(plan, plan.node_count, options)
    else:
        text = _by_uplink(plan, 0, options)
    return (File("/etc/hosts", _top("hosts") + text), File("/etc/hostname", host + "\n"))


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facet `hostname`."""
    return {"hostname": (host,)}


def outside_view(plan: Plan, role: str, options: Options) -> str:
    """A whole /etc/hosts for a machine that is on the uplink switch only: every name is an outside address."""
    return _top(role) + _by_uplink(plan, 0, options)


def _top(role: str) -> str:
    return f"{header(role)}127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n"


def _own(plan: Plan, number: int) -> str:
    name = plan.names[number]
    texts = [f"{plan.node_ip(number)} {name} {name}-node\n"]
    texts += [f"{plan.neighborhood_ip(number, s)} {name}-{plan.switches[s]}\n" for s in plan.shared(number, number)]
    return "".join(texts) + f"{plan.outside_ip(number)} {name}-out\n"


def _by_uplink(plan: Plan, first: int, options: Options) -> str:
    """The machines that are reached by their outside addresses: all from number ``first`` on, and the head."""
    texts = [f"{plan.outside_ip(k)} {plan.names[k]} {plan.names[k]}-out\n" for k in range(first, len(plan.names))]
    extra = "".join(f"{line}\n" for line in options.hosts_extra)
    return f"{''.join(texts)}{plan.head_ip} {plan.head}\n{extra}"


@lru_cache(maxsize=4)
def _texts(plan: Plan) -> PeerTexts[str]:
    def make(pair: Pair) -> str:
        _, peer, chosen, shared = pair
        name = plan.names[peer]
        if chosen < 0:
            return f"{plan.outside_ip(peer)} {name} {name}-out\n{plan.node_ip(peer)} {name}-node\n"
        order = (chosen, *(s for s in shared if s != chosen))
        near = [f"{plan.neighborhood_ip(peer, s)}{{}} {name}-{plan.switches[s]}\n" for s in order]
        node = f"{plan.node_ip(peer)}{{}} {name}-node\n"
        texts = [node, *near] if plan.routing == "advanced" else [*near, node]
        named = [text.format("" if k else f" {name}") for k, text in enumerate(texts)]
        return f"{''.join(named)}{plan.outside_ip(peer)} {name}-out\n"

    return PeerTexts(plan, make, "")


@lru_cache(maxsize=4)
def _tree_texts(plan: Plan) -> PeerTexts[str]:
    def make(pair: Pair) -> str:
        peer, name = pair.peer, plan.names[pair.peer]
        texts = [f"{plan.outside_ip(peer)} {name} {name}-out\n"]
        texts += [f"{plan.neighborhood_ip(peer, s)} {name}-{plan.switches[s]}\n" for s in pair.shared]
        return f"{''.join(texts)}{plan.node_ip(peer)} {name}-node\n"

    return PeerTexts(plan, make, "")


VIEW = View(_OWNS, _APPLY, files, live)
