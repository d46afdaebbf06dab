# SPDX-License-Identifier: Apache-2.0
"""Plan → checks: what has to be seen on one machine, in the words in which the probe reports what it sees.

Worked out from the plan's numbers and not from the files that the compiler renders: a fault of the renderer shows up
here as a difference between what is installed and what was meant. Only the kernel settings are taken from the
renderer, as they are choices of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address

import numpy as np

from flathood.checks.check import Check
from flathood.checks.places import nic_name
from flathood.plan import Plan, render
from flathood.plan.views import ROLES_OF, kind_of

#: Numbered datagrams that every node sends to the group; the group is of RFC 2365's organisation-local scope.
DATAGRAMS = 5
GROUP = ("239.192.70.76", 7076)


def of_host(plan: Plan, host: str, scope: Sequence[str]) -> Iterator[Check]:
    """All checks of one machine; ``scope`` are the machines that take part (the word of a pair needs both)."""
    if kind_of(plan, host) != "node":
        yield from _by_the_uplink(plan, host)
    else:
        node = _Node(plan, host, plan.numbers[host])
        yield from node.own()
        for peer in node.peers():
            yield from node.to(peer)
        yield from node.to_the_uplink()
        yield from node.one_switch(scope)
    yield from _heard(plan, host, scope)
    yield from _settings(plan, host)


def of_cluster(plan: Plan, scope: Sequence[str]) -> Iterator[Check]:
    """The checks that are about all nodes at once: an MPI job that every node takes part in."""
    nodes = plan.names[: plan.node_count]
    if len(nodes) > 1 and set(nodes) <= set(scope):
        yield Check("mpi", "", "alltoall", f"{len(nodes)} ranks, every block as it was sent")


class _Node:
    """One node's own view: its NICs by switch number, and the same path for each address of a peer as the plan has."""

    def __init__(self, plan: Plan, host: str, number: int) -> None:
        self.plan, self.host, self.number = plan, host, number
        slots = plan.attach[number].tolist()
        self.nics = {switch: nic_name(slot) for slot, switch in enumerate(slots) if switch >= 0}
        self.usable = set(plan.shared(number, number))
        self.outside = slots[plan.outside_slot(number)]
        self._switches = plan.switches

    def check(self, kind: str, key: str, expected: str, switch: int, peer: str = "") -> Check:
        return Check(kind, self.host, key, expected, self.nics[switch], self._switches[switch], peer)

    def own(self) -> Iterator[Check]:
        """The node's NICs and addresses, and what is asked of each NIC."""
        plan, number = self.plan, self.number
        for switch, nic in self.nics.items():
            mac = plan.mac(self.host, int(np.flatnonzero(plan.attach[number] == switch)[0]))
            aspects = {
                "mac": mac,
                "alias": self._switches[switch],
                "mtu": str(plan.cluster.links.mtu),
                "carrier": "up",
                "arp": "off",
            }
            if switch not in self.usable:
                del aspects["carrier"]
            for aspect, expected in aspects.items():
                yield self.check("nic", f"{nic} {aspect}", expected, switch)
            addresses = [f"{plan.neighborhood_ip(number, switch)}/{plan.subnets[switch].prefixlen}"]
            if switch == self.outside:
                addresses.append(f"{plan.outside_ip(number)}/{plan.cluster.addresses.outside.prefixlen}")
            yield self.check("address", nic, " ".join(sorted(addresses)), switch)
            yield self.check("neighbor", f"{nic} others", "none", switch)
            if switch not in self.usable:
                continue  # its cable carries nothing for now, and nothing more is asked of it
            yield self.check("loss", nic, "few repeats", switch)
            yield self.check("silence", nic, "no ARP frames", switch)
            yield self.check("cable", nic, f"learnt on {self._switches[switch]}", switch)
            yield self.check(
                "name", f"{self.host}-{self._switches[switch]}", str(plan.neighborhood_ip(number, switch)), switch
            )
        yield self.check("name", f"{self.host}-out", str(plan.outside_ip(number)), self.outside)
        for name in (self.host, f"{self.host}-node"):
            yield Check("name", self.host, name, str(plan.node_ip(number)))
        yield Check("address", self.host, "node0", f"{plan.node_ip(number)}/32")

    def peers(self) -> list[int]:
        """The other nodes, beginning with the next: not all nodes begin with the same one."""
        count = self.plan.node_count
        return [(self.number + step) % count for step in range(1, count)]

    def to(self, peer: int) -> Iterator[Check]:
        """Name → address → route → NIC → neighbor MAC → echo, for every address of one peer."""
        plan, name = self.plan, self.plan.names[peer]
        chosen = int(plan.chosen[self.number, peer])
        shared = plan.shared(self.number, peer)
        tree, advanced = plan.routing == "tree", plan.routing == "advanced"
        for switch in shared:
            address = plan.neighborhood_ip(peer, switch)
            mac = plan.mac(name, int(plan.slot_on[peer, switch]))
            yield self.check("name", f"{name}-{self._switches[switch]}", str(address), switch, name)
            yield self.check("neighbor", f"{self.nics[switch]} {address}", mac, switch, name)
            if not tree:
                yield from self._path(address, switch, name)
        if chosen < 0 or tree:
            yield from self._through_the_uplink(peer)
            return
        next_hop, node = plan.neighborhood_ip(peer, chosen), plan.node_ip(peer)
        names = {name: node if advanced else next_hop, f"{name}-node": node, f"{name}-out": plan.outside_ip(peer)}
        for alias, address in names.items():
            yield self.check("name", alias, str(address), chosen, name)
        over = plan.reached_over(self.number, peer)
        for switch, address in self._addresses(peer):
            if switch in over:
                yield from self._path(address, over[switch], name, plan.neighborhood_ip(peer, over[switch]))
        for address in (*([] if advanced else [node]), plan.outside_ip(peer)):
            yield from self._path(address, chosen, name, next_hop)
        if advanced:
            yield from self._spread(peer)

    def _spread(self, peer: int) -> Iterator[Check]:
        """The node address of a peer: by any shared neighborhood, as the kernel likes, and by each when told so."""
        plan, name, node = self.plan, self.plan.names[peer], self.plan.node_ip(peer)
        shared, chosen = plan.shared(self.number, peer), int(plan.chosen[self.number, peer])
        ways = {
            self.nics[switch]: f"via {plan.neighborhood_ip(peer, switch)} dev {self.nics[switch]} "
            f"src {plan.neighborhood_ip(self.number, switch)}"
            for switch in shared
        }
        yield self.check("route", str(node), " | ".join(ways.values()), chosen, name)
        yield self.check("echo", str(node), f"routed {'|'.join(ways)}", chosen, name)
        for switch in shared if len(shared) > 1 else ():
            nic = self.nics[switch]
            yield self.check("echo", f"{node}%{nic}", f"bound {nic}", switch, name)

    def _addresses(self, peer: int) -> list[tuple[int, IPv4Address]]:
        """The neighborhoods that a peer's cables are to be in, and its addresses there, in slot order."""
        switches = [switch for switch in self.plan.attach[peer].tolist() if switch >= 0]
        return [(switch, self.plan.neighborhood_ip(peer, switch)) for switch in switches]

    def _through_the_uplink(self, peer: int) -> Iterator[Check]:
        """A peer that no neighborhood is shared with, or any in tree mode: all goes from outside NIC to outside NIC."""
        plan, name, switch = self.plan, self.plan.names[peer], self.outside
        nic, hop, own = self.nics[switch], plan.outside_ip(peer), plan.outside_ip(self.number)
        for alias, address in ((name, hop), (f"{name}-out", hop), (f"{name}-node", plan.node_ip(peer))):
            yield self.check("name", alias, str(address), switch, name)
        yield self.check("neighbor", f"{nic} {hop}", plan.mac(name, plan.outside_slot(peer)), switch, name)
        for address in (hop, plan.node_ip(peer), *(address for _, address in self._addresses(peer))):
            via = "" if address == hop else f"via {hop} "
            yield self.check("route", str(address), f"{via}dev {nic} src {own}", switch, name)
            yield self.check("echo", str(address), f"{'routed' if via else 'bound'} {nic}", switch, name)

    def _path(
        self, address: IPv4Address, switch: int, peer: str, next_hop: IPv4Address | None = None
    ) -> Iterator[Check]:
        nic, own = self.nics[switch], self.plan.neighborhood_ip(self.number, switch)
        via = f"via {next_hop} " if next_hop else ""
        yield self.check("route", str(address), f"{via}dev {nic} src {own}", switch, peer)
        yield self.check("echo", str(address), f"{'routed' if next_hop else 'bound'} {nic}", switch, peer)

    def to_the_uplink(self) -> Iterator[Check]:
        """The head and the spares, which only the outside NIC reaches."""
        plan, nic = self.plan, self.nics[self.outside]
        own = plan.outside_ip(self.number)
        for name, address in _on_the_uplink(plan):
            for alias in _outside_names(plan, name):
                yield self.check("name", alias, str(address), self.outside, name)
            yield self.check("neighbor", f"{nic} {address}", plan.mac(name, 0), self.outside, name)
            yield self.check("route", str(address), f"dev {nic} src {own}", self.outside, name)
            yield self.check("echo", str(address), f"bound {nic}", self.outside, name)

    def one_switch(self, scope: Sequence[str]) -> Iterator[Check]:
        """That each shared neighborhood really is one switch for both; in tree mode nothing goes by one switch."""
        taking_part = set(scope) if self.plan.routing != "tree" else set()
        for peer in self.peers():
            name = self.plan.names[peer]
            for switch in self.plan.shared(self.number, peer) if name in taking_part else ():
                expected = f"both on {self._switches[switch]}, nothing over the uplink"
                yield self.check("one-switch", f"{name} {self._switches[switch]}", expected, switch, name)


def _on_the_uplink(plan: Plan) -> Iterator[tuple[str, IPv4Address]]:
    """Name and address of the head and of each spare."""
    yield plan.head, plan.head_ip
    for number in range(plan.node_count, len(plan.names)):
        yield plan.names[number], plan.outside_ip(number)


def _outside_names(plan: Plan, host: str) -> tuple[str, ...]:
    """The names that stand for a machine's outside address where all of its names do."""
    return (host,) if host == plan.head else (host, f"{host}-out")


def _by_the_uplink(plan: Plan, host: str) -> Iterator[Check]:
    """What the head or a spare sees: its one NIC, and every other machine at its outside address."""
    nic, uplink = nic_name(0), plan.cluster.uplink.name
    outside = {name: plan.outside_ip(number) for name, number in plan.numbers.items()} | {plan.head: plan.head_ip}
    own = outside.pop(host)

    def check(kind: str, key: str, expected: str, peer: str = "") -> Check:
        return Check(kind, host, key, expected, nic, uplink, peer)

    yield check("nic", f"{nic} mac", plan.mac(host, 0))
    yield check("nic", f"{nic} alias", uplink)
    yield check("nic", f"{nic} mtu", str(plan.cluster.links.mtu))
    yield check("nic", f"{nic} carrier", "up")
    if host != plan.head:
        # The head answers machines that are not provisioned yet; it has entries for all others, and ARP on.
        yield check("nic", f"{nic} arp", "off")
        yield check("silence", nic, "no ARP frames")
    yield check("address", nic, f"{own}/{plan.cluster.addresses.outside.prefixlen}")
    yield check("neighbor", f"{nic} others", "none")
    yield check("loss", nic, "few repeats")
    yield check("cable", nic, f"learnt on {uplink}")
    for alias in _outside_names(plan, host):
        yield check("name", alias, str(own))
    for name, address in outside.items():
        slot = plan.outside_slot(plan.numbers[name]) if name in plan.numbers else 0
        for alias in _outside_names(plan, name):
            yield check("name", alias, str(address), name)
        yield check("neighbor", f"{nic} {address}", plan.mac(name, slot), name)
        yield check("route", str(address), f"dev {nic} src {own}", name)
        yield check("echo", str(address), f"bound {nic}", name)


def _heard(plan: Plan, host: str, scope: Sequence[str]) -> Iterator[Check]:
    """Multicast: the datagrams of every node and spare that takes part, the machine's own (looped back) included."""
    if host == plan.head:
        return
    number = plan.numbers[host]
    nic = nic_name(plan.outside_slot(number))
    switch = (
        plan.cluster.uplink.name
        if number >= plan.node_count
        else plan.switches[plan.attach[number, plan.outside_slot(number)]]
    )
    for sender in plan.names:
        if sender in scope:
            yield Check("multicast", host, sender, nic, nic, switch, sender)


def _settings(plan: Plan, host: str) -> Iterator[Check]:
    """The kernel settings that the roles of this machine write."""
    roles = ROLES_OF[kind_of(plan, host)]
    lines = {line for role in roles for line in render(plan, host, role).live.get("sysctl", ())}
    for line in sorted(lines):
        name, _, value = line.partition(" ")
        yield Check("sysctl", host, name, value)
