# SPDX-License-Identifier: Apache-2.0
"""The facts of all labels and lists: every cable with both its ends, every machine and every switch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from string import ascii_lowercase
from urllib.parse import quote

from flathood.cabling.lengths import cable_lengths, uplink_lengths
from flathood.cabling.marks import marks
from flathood.cabling.picture import Nic
from flathood.cabling.ports import ports
from flathood.spec import Cluster
from flathood.spec.racks import Standing, standing
from flathood.wiring import Wiring


@dataclass(frozen=True)
class Switch:
    """A switch as people tell it from others: name, colour, mark; `place` is its rack and unit, if they are known."""

    name: str
    colour: str
    mark: str
    place: str
    ports: int
    uplink: bool = False


@dataclass(frozen=True)
class Cable:
    """One cable: from a NIC, or from a neighborhood switch (`slot` None), to a port of a switch.

    Attributes:
        machine: at its near end; of a switch, its name.
        slot: of the NIC, from 0.
        near: the neighborhood switch at its near end, where it goes from switch to switch.
        place: where the machine stands.
        switch: at its far end.
        port: of that switch, from 1.
        metres: the cable to take, as sold; None where it is not known where the ends stand.

    """

    machine: str
    slot: int | None
    place: str
    switch: Switch
    port: int
    metres: float | None
    near: Switch | None = None

    @property
    def end(self) -> str:
        """Its near end in one word: `k17:2`, or `red` for a switch."""
        return self.machine if self.slot is None else str(Nic(self.machine, self.slot))


@dataclass(frozen=True)
class Machine:
    """A node, a spare or the head: the cable in each of its slots in order (None: no cable), and its page's address."""

    name: str
    role: str
    place: str
    slots: tuple[Cable | None, ...]
    link: str


@dataclass(frozen=True)
class Book:
    """Everything that is to be printed of one cluster."""

    cluster: str
    machines: tuple[Machine, ...]
    switches: tuple[Switch, ...]
    cables: tuple[Cable, ...]

    def of_switch(self, name: str) -> list[Cable]:
        """The cables in a switch, in the order of its ports."""
        return [cable for cable in self.cables if cable.switch.name == name]

    def by_colour(self) -> Iterator[tuple[Switch, float | None, list[Cable]]]:
        """Cables that are alike: of one colour and one length, shortest first, unknown lengths last."""
        order = {switch.name: number for number, switch in enumerate(self.switches)}

        def alike(cable: Cable) -> tuple[int, bool, float]:
            return order[cable.switch.name], cable.metres is None, cable.metres or 0.0

        for _, group in groupby(sorted(self.cables, key=alike), key=alike):
            cables = list(group)
            yield cables[0].switch, cables[0].metres, cables

    def lengths(self) -> list[tuple[float | None, Counter[str]]]:
        """How many cables of each colour to get, by length: shortest first, unknown lengths last."""
        counts: dict[float | None, Counter[str]] = {}
        for switch, metres, cables in self.by_colour():
            counts.setdefault(metres, Counter())[switch.name] += len(cables)
        return sorted(counts.items(), key=lambda item: (item[0] is None, item[0] or 0.0))


def make_book(cluster: Cluster, wiring: Wiring, report: str | None = None) -> Book:
    """Gather the facts. `report`: where the nodes' pages are (`page_address`); by default report.html at the head."""
    places = {stands.name: place(stands) for stands in standing(cluster)}
    mark = marks(cluster)
    switches = {
        switch.name: Switch(switch.name, switch.colour, mark[switch.name], places.get(switch.name, ""), switch.ports)
        for switch in cluster.switches
    }
    up = cluster.uplink
    uplink = Switch(up.name, up.colour, mark[up.name], places.get(up.name, ""), up.ports, uplink=True)
    report = f"http://{cluster.head.name}/report.html" if report is None else report
    nodes = _node_cables(cluster, wiring, switches, places)
    ups = _uplink_cables(cluster, uplink, switches, places)
    machines = []
    for name in cluster.node_names:
        slots = tuple(nodes.get((name, slot)) for slot in range(len(wiring.nodes[name])))
        machines.append(Machine(name, "node", places.get(name, ""), slots, page_address(report, name)))
    for name in cluster.spare_names:
        empty = (None,) * (cluster.nic_counts[name] - 1)
        machines.append(Machine(name, "spare", places.get(name, ""), (ups[name], *empty), page_address(report, name)))
    head = cluster.head.name
    machines.append(Machine(head, "head", places.get(head, ""), (ups[head],), page_address(report, head)))
    order = {name: number for number, name in enumerate(switches)}
    cables = sorted(nodes.values(), key=lambda cable: (order[cable.switch.name], cable.port))
    return Book(cluster.cluster, tuple(machines), (*switches.values(), uplink), (*cables, *ups.values()))


def place(stands: Standing) -> str:
    """Rack and unit of a machine or switch; letters tell those that stand beside each other, from the left.

    >>> place(Standing("k01", "left", 5, column=1, abreast=2))
    'left · 5b'

    """
    beside = ""
    if stands.abreast > 1:
        beside = ascii_lowercase[stands.column] if stands.abreast <= len(ascii_lowercase) else f"-{stands.column + 1}"
    return f"{stands.rack} · {stands.unit}{beside}"


def page_address(report: str, name: str) -> str:
    """Address of a machine's page: its section of the report, or the address with its name in place of ``{}``.

    An empty one stays empty: there are no pages then.

    >>> page_address("http://head/report.html", "k17"), page_address("https://inventory/{}/show", "k17")
    ('http://head/report.html#k17', 'https://inventory/k17/show')

    """
    if "{}" in report or not report:
        return report.replace("{}", quote(name))
    return f"{report}#{quote(name)}"


def _node_cables(
    cluster: Cluster, wiring: Wiring, switches: Mapping[str, Switch], places: Mapping[str, str]
) -> dict[tuple[str, int], Cable]:
    lengths, numbers = cable_lengths(cluster, wiring), ports(cluster, wiring)
    return {
        (node, slot): Cable(
            node,
            slot,
            places.get(node, ""),
            switches[switch],
            numbers[node, slot],
            _sold(cluster, lengths[node, slot]),
        )
        for node in cluster.node_names
        for slot, switch in enumerate(wiring.nodes[node])
        if switch is not None
    }


def _uplink_cables(
    cluster: Cluster, uplink: Switch, switches: Mapping[str, Switch], places: Mapping[str, str]
) -> dict[str, Cable]:
    """The cables of the uplink switch: neighborhoods, spares, head, from its first port on."""
    lengths = uplink_lengths(cluster)
    return {
        name: Cable(
            name,
            None if name in switches else 0,
            places.get(name, ""),
            uplink,
            number,
            _sold(cluster, lengths[name]),
            switches.get(name),
        )
        for number, name in enumerate((*cluster.switch_names, *cluster.spare_names, cluster.head.name), start=1)
    }


def _sold(cluster: Cluster, metres: float | None) -> float | None:
    return None if metres is None else cluster.cabling.stock(metres)
