# SPDX-License-Identifier: Apache-2.0
"""Where every NIC of the plan belongs: the way from a MAC or a (machine, switch) to the words that people use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flathood.plan import Plan


def nic_name(slot: int) -> str:
    """The name of the NIC in a slot."""
    return f"fnn{slot}"


@dataclass(frozen=True, slots=True)
class Place:
    """One NIC: its machine, name, MAC and addresses, and the name and colour of the switch that its cable goes to."""

    host: str
    nic: str
    mac: str
    switch: str
    colour: str
    addresses: tuple[str, ...]

    @property
    def cable(self) -> str:
        """The cable in words: ``c fnn1 (blue)``."""
        return f"{self.host} {self.nic} ({self.switch})"


class Places:
    """All places of a plan, by machine and by MAC; machines on the uplink switch included."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.by_host: dict[str, tuple[Place, ...]] = {
            host: tuple(_places(plan, host)) for host in (*plan.names, plan.head)
        }
        self.by_mac = {place.mac: place for places in self.by_host.values() for place in places}
        self.by_nic = {(place.host, place.nic): place for place in self.by_mac.values()}
        self.by_switch = {(place.host, place.switch): place for place in self.by_mac.values()}

    def outside(self, host: str) -> Place | None:
        """The NIC by which a machine talks to the head, the spares and multicast groups."""
        number = self.plan.numbers.get(host)
        slot = 0 if number is None else self.plan.outside_slot(number)
        return self.by_nic.get((host, nic_name(slot)))


def _places(plan: Plan, host: str) -> Iterator[Place]:
    number = plan.numbers.get(host)
    if number is None or number >= plan.node_count:
        address = plan.head_ip if number is None else plan.outside_ip(number)
        uplink = plan.cluster.uplink
        yield Place(host, nic_name(0), plan.mac(host, 0), uplink.name, uplink.colour, (str(address),))
        return
    for slot in plan.used_slots(number):
        index = int(plan.attach[number, slot])
        switch = plan.cluster.switches[index]
        addresses = [plan.neighborhood_ip(number, index)]
        if slot == plan.outside_slot(number):
            addresses.append(plan.outside_ip(number))
        texts = tuple(str(address) for address in addresses)
        yield Place(host, nic_name(slot), plan.mac(host, slot), switch.name, switch.colour, texts)
