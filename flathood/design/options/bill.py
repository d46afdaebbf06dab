# SPDX-License-Identifier: Apache-2.0
"""Bills of materials: the cheapest parts of a catalogue for a network of one model of switch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from flathood.catalogue.model import CableModel, Catalogue, NicModel, Part, SwitchModel


@dataclass(frozen=True)
class Line:
    """So many of one part, and what they are for."""

    count: int
    part: Part
    purpose: str

    @property
    def price(self) -> float:
        """Of all of them, in the catalogue's currency, to the hundredth."""
        return round(self.count * self.part.price, 2)

    @property
    def power(self) -> float:
        """Of all of them, in watts, to the hundredth."""
        return round(self.count * self.part.power, 2)


@dataclass(frozen=True)
class Bill:
    """A bill of materials."""

    lines: tuple[Line, ...]

    @cached_property
    def price(self) -> float:
        """The sum, in the catalogue's currency."""
        return round(sum(line.price for line in self.lines), 2)

    @cached_property
    def power(self) -> float:
        """The sum, in watts."""
        return round(sum(line.power for line in self.lines), 2)

    @property
    def uplink_ports(self) -> int:
        """The ports that the uplink switch has for others; of a chain of switches: those that do not join it."""
        ports = 0
        for line in self.lines:
            if line.purpose == "uplink" and isinstance(line.part, SwitchModel):
                ports += line.count * line.part.ports - 2 * (line.count - 1)
        return ports

    def report(self) -> list[dict[str, Any]]:
        """The lines as plain data."""
        return [
            {
                "count": line.count,
                "part": line.part.name,
                "for": line.purpose,
                "each": line.part.price,
                "price": line.price,
                "power": line.power,
            }
            for line in self.lines
        ]


@dataclass(frozen=True)
class Shop:
    """What is the same in all networks of one model of switch, with so many NICs in every node.

    Attributes:
        catalogue: the parts.
        switch: the model of the neighborhood switches.
        cards: the NICs of one node, as cheap as they come: models with how many of each.
        cable: the cheapest cable that carries the switch's rate.
        nodes: how many nodes.
        spares: how many hot spares: equipped as the nodes are, each with one cable to the uplink switch.

    """

    catalogue: Catalogue
    switch: SwitchModel
    cards: tuple[tuple[NicModel, int], ...]
    cable: CableModel
    nodes: int
    spares: int

    def bill(self, switches: int, cables: int) -> Bill:
        """The bill for so many neighborhood switches and cables between them and the nodes.

        The cables to the uplink switch are added: from each neighborhood, each spare and the head.
        """
        outside = switches + self.spares + 1
        lines = [Line(switches, self.switch, "neighborhoods")]
        lines += [Line((self.nodes + self.spares) * count, card, "NICs") for card, count in self.cards]
        return Bill((*lines, self._uplink(outside), Line(cables + outside, self.cable, "cables")))

    def _uplink(self, ports: int) -> Line:
        """The cheapest switch with so many ports of this plug, or chain of switches of one model, for the uplink."""
        models = [model for model in self.catalogue.switches if model.plug == self.switch.plug]
        choices = []
        for model in models:
            # In a chain of m switches 2(m - 1) ports join them.
            count = 1 if model.ports >= ports else math.ceil((ports - 2) / (model.ports - 2)) if model.ports > 2 else 0
            if count:
                choices.append(Line(count, model, "uplink"))
        return min(choices, key=lambda line: (line.price, line.power, line.count, line.part.name))


def cheapest_cable(catalogue: Catalogue, switch: SwitchModel) -> CableModel:
    """The cheapest cable for a switch; a valid catalogue has one."""
    cables = [cable for cable in catalogue.cables if cable.plug == switch.plug and cable.rate >= switch.rate]
    return min(cables, key=lambda cable: (cable.price, cable.power, cable.name))


def cheapest_cards(
    catalogue: Catalogue, switch: SwitchModel, nics: int, slots: int
) -> tuple[tuple[NicModel, int], ...] | None:
    """The cheapest cards that give a node so many NICs for a switch; None when they don't fit into so many slots."""
    models = [nic for nic in catalogue.nics if (nic.plug, nic.rate) == (switch.plug, switch.rate)]
    return _cards(models, nics, slots)


def _cards(models: Iterable[NicModel], nics: int, slots: int) -> tuple[tuple[NicModel, int], ...] | None:
    """The cheapest cards with at least so many NICs in at most so many slots; of equal price the least power.

    By dynamic programming over the models: the best of every number of NICs (more than needed count as needed) and of
    slots used so far.
    """
    models = sorted(models, key=lambda model: model.name)
    best: dict[tuple[int, int], tuple[float, float, tuple[int, ...]]] = {(0, 0): (0.0, 0.0, ())}
    for model in models:
        grown: dict[tuple[int, int], tuple[float, float, tuple[int, ...]]] = {}
        for (have, used), (price, power, counts) in best.items():
            for count in range(min(model.most, math.ceil((nics - have) / model.ports)) + 1):
                place = min(nics, have + count * model.ports), used + count * model.slots
                option = (price + count * model.price, power + count * model.power, (*counts, count))
                if place[1] <= slots and (place not in grown or option < grown[place]):
                    grown[place] = option
        best = grown
    whole = [option for (have, _), option in best.items() if have == nics]
    if not whole:
        return None
    chosen = Counter(dict(zip(models, min(whole)[2], strict=True)))
    return tuple((model, count) for model, count in chosen.items() if count)
