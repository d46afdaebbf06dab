# SPDX-License-Identifier: Apache-2.0
"""The front of price against throughput: the options that no cheaper one reaches.

Every model of switch with every number of NICs is a row of probes, one for each number of switches. Probes come in the
order of the least that they can cost, so that everything cheaper has been seen before: a probe whose throughput has a
bound that something cheaper reaches already is not designed at all.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

import numpy as np

from flathood.catalogue import Catalogue
from flathood.catalogue.model import SwitchModel, rate_text
from flathood.design.bounds import most_nodes
from flathood.design.objective import figure
from flathood.design.options.bill import Bill, Shop, cheapest_cable, cheapest_cards
from flathood.design.options.fewest import fewest_switches, most_throughput
from flathood.design.options.make import Made, Make
from flathood.design.profiles import Matrix
from flathood.design.request import Request
from flathood.errors import FlathoodError

#: An option that is faster than a cheaper one by less than this share is not worth a line of its own.
_GAIN = 0.02
_SAME = 1e-6

#: Why an option has its number of switches. least: no fewer can cover all pairs, by a theorem; fewest known: fewer were
#: tried in vain; bandwidth: fewer would do for the pairs, or were left out as too slow for their price.
Reason = Literal["least", "fewest known", "bandwidth"]


class NothingFits(FlathoodError):
    """No parts of the catalogue make a network for these nodes."""


@dataclass(frozen=True)
class Need:
    """What the networks are for.

    Attributes:
        nodes: how many nodes, at least 2.
        spares: how many hot spares.
        weights: float64[nodes, nodes], the traffic (see `profiles`).
        profile: what it is called.
        nics: fewest and most NICs of a node.
        slots: slots of a node that cards can take.
        budget: the most that the whole network may cost; None: anything.

    """

    nodes: int
    spares: int
    weights: Matrix
    profile: str
    nics: tuple[int, int]
    slots: int
    budget: float | None = None


@dataclass(frozen=True)
class Option:
    """One network that can be bought.

    Attributes:
        switch: model of its neighborhood switches.
        switches: how many of them.
        nics: NICs of each node.
        least: a lower bound on the switches of this model, with so many NICs; by this theorem.
        theorem: the theorem.
        reason: why it has so many switches.
        made: its wiring, with its throughput in links.
        bill: its bill of materials.

    """

    switch: SwitchModel
    switches: int
    nics: int
    least: int
    theorem: str
    reason: Reason
    made: Made
    bill: Bill

    @property
    def throughput(self) -> float:
        """Bits per second that every node can send at once, all nodes together, by the profile."""
        return self.made.throughput * self.switch.rate

    def report(self) -> dict[str, Any]:
        """The option as plain data; rates in Gb/s."""
        return {
            "switch": self.switch.name,
            "rate": rate_text(self.switch.rate),
            "switches": self.switches,
            "nics": self.nics,
            "least_switches": {"bound": self.least, "theorem": self.theorem},
            "reason": self.reason,
            "engine": self.made.engine,
            "throughput": {"links": figure(self.made.throughput), "gbps": figure(self.throughput / 1e9)},
            "mean_shared": figure(self.made.mean),
            "price": self.bill.price,
            "power": self.bill.power,
            "bill": self.bill.report(),
        }


@dataclass(frozen=True)
class Offers:
    """What there is to choose from.

    Attributes:
        front: the options that no other beats, cheapest first.
        beaten: the other ones that were designed.
        probes: how many designs were tried.
        until: Ctrl-C ended the search when everything up to this price had been seen; None: everything has been.

    """

    front: tuple[Option, ...]
    beaten: tuple[Option, ...]
    probes: int
    until: float | None = None


@dataclass(frozen=True)
class _Row:
    """One model of switch with one number of NICs."""

    shop: Shop
    nics: int
    least: int
    theorem: str
    last: int  # the most switches that are looked at


def offers(catalogue: Catalogue, need: Need, make: Make, tell: Callable[[str], None] = lambda _: None) -> Offers:
    """Every option of a catalogue that is worth its price.

    Args:
        catalogue: the parts.
        need: the nodes and their traffic.
        make: makes wirings; see `make.Make`.
        tell: called with what is being designed.

    Returns:
        The front; see `Offers`. Ctrl-C ends the search with the front so far, which is that of all cheaper options.

    Raises:
        NothingFits: no network of these parts was found.
        KeyboardInterrupt: Ctrl-C before there was any option.

    """
    search = _Search(catalogue, need, make, tell)
    until = None
    try:
        search.go()
    except KeyboardInterrupt:
        if not search.front:
            raise
        until = search.price
    if not search.front:
        raise NothingFits(_nothing(catalogue, need))
    return Offers(search.reasoned(search.front), search.reasoned(search.beaten), search.probes, until)


class _Search:
    """A queue of probes and of finished options, both by price."""

    def __init__(self, catalogue: Catalogue, need: Need, make: Make, tell: Callable[[str], None]) -> None:
        self.need, self.make, self.tell = need, make, tell
        self.front: list[Option] = []
        self.beaten: list[Option] = []
        self.probes = 0
        self.price = 0.0  # of what is looked at: everything cheaper has been seen
        # Numbers of switches by their ports and the NICs, at which no wiring was found: models differ in price only.
        self._in_vain: dict[tuple[int, int], set[int]] = {}
        self._demands = need.weights.sum(axis=1)
        self._order = count()  # of what costs the same: as it came
        self._queue: list[tuple[float, float, int, Option | tuple[_Row, int]]] = []
        for row in _rows(catalogue, need):
            self._push(row, max(row.least, row.nics))

    def go(self) -> None:
        while self._queue:
            self.price, _, _, item = heapq.heappop(self._queue)
            if isinstance(item, Option):
                fast = item.throughput > self._best() * (1 + _GAIN)
                (self.front if fast else self.beaten).append(item)
            else:
                self._probe(*item)

    def reasoned(self, options: list[Option]) -> tuple[Option, ...]:
        """Options with the reasons for their numbers of switches, now that everything has been tried."""
        return tuple(replace(option, reason=self._reason(option)) for option in options)

    def _reason(self, option: Option) -> Reason:
        if option.switches == option.least:
            return "least"
        in_vain = self._in_vain.get((option.switch.ports, option.nics), set())
        return "fewest known" if in_vain >= set(range(option.least, option.switches)) else "bandwidth"

    def _best(self) -> float:
        """The throughput of the best option so far; all that come are at least as dear."""
        return self.front[-1].throughput if self.front else 0.0

    def _probe(self, row: _Row, switches: int) -> None:
        """Design a network of so many switches, and note which number is to be looked at next."""
        rate = row.shop.switch.rate
        bound = self._bound(row, switches)
        if bound * rate <= self._best() * (1 + _GAIN):
            self._push(row, switches + 1)
            return
        self.tell(f"{switches} x {row.shop.switch.name}, {row.nics} NICs")
        self.probes += 1
        ports = np.full(switches, row.shop.switch.ports - 1, dtype=np.int64)
        nics = np.full(self.need.nodes, row.nics, dtype=np.int64)
        # A search takes its time: it is for the least number, and for those that first allow the nodes another cable.
        thorough = switches == row.least or bound > self._bound(row, switches - 1) + _SAME
        made = self.make(Request(nics, ports, self.need.weights, self.need.profile), thorough)
        if made is None:
            self._in_vain.setdefault((row.shop.switch.ports, row.nics), set()).add(switches)
            self._push(row, switches + 1)
            return
        bill = row.shop.bill(switches, int(made.design.sum()))
        option = Option(row.shop.switch, switches, row.nics, row.least, row.theorem, "bandwidth", made, bill)
        self._queued(bill, option)
        better = (s for s in range(switches + 1, row.last + 1) if self._bound(row, s) > made.throughput + _SAME)
        self._push(row, next(better, row.last + 1))

    def _bound(self, row: _Row, switches: int) -> float:
        cables = min(self.need.nodes * row.nics, switches * (row.shop.switch.ports - 1))
        return most_throughput(self._demands, row.nics, cables)

    def _push(self, row: _Row, switches: int) -> None:
        if switches <= row.last:
            self._queued(row.shop.bill(switches, self.need.nodes), (row, switches))

    def _queued(self, bill: Bill, item: Option | tuple[_Row, int]) -> None:
        if self.need.budget is None or bill.price <= self.need.budget:
            heapq.heappush(self._queue, (bill.price, bill.power, next(self._order), item))


def _rows(catalogue: Catalogue, need: Need) -> Iterator[_Row]:
    """Every model of switch with every number of NICs that may reach all nodes."""
    for switch in catalogue.switches:
        for nics in range(need.nics[0], need.nics[1] + 1):
            ports = switch.ports - 1  # one goes to the uplink switch
            # Enough for all NICs; and for the points of the largest plane that they can make the lines of.
            last = max(nics, -(-need.nodes * nics // ports), nics * nics - nics + 1)
            fewest = fewest_switches(need.nodes, nics, ports, last)
            cards = cheapest_cards(catalogue, switch, nics, need.slots)
            if fewest is not None and cards is not None:
                shop = Shop(catalogue, switch, cards, cheapest_cable(catalogue, switch), need.nodes, need.spares)
                yield _Row(shop, nics, *fewest, last)


def _nothing(catalogue: Catalogue, need: Need) -> str:
    """Why there is no option, and what to change."""
    low, high = need.nics
    wide = max(catalogue.switches, key=lambda switch: switch.ports)
    enough = next(nics for nics in count(1) if most_nodes(nics, wide.ports - 1).most >= need.nodes)
    widest = f"; the widest switch, {wide.name!r}, needs at least {enough} NICs in each" if enough > high else ""
    budget = f" for {need.budget:,.2f} {catalogue.currency}" if need.budget is not None else ""
    more = "--nics, --slots or --budget" if budget else "--nics or --slots"
    return (
        f"no network for {need.nodes} nodes with {low} to {high} NICs in {need.slots} slots was found{budget}{widest}: "
        f"allow more {more}, or add wider switches to the catalogue"
    )
