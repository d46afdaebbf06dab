# SPDX-License-Identifier: Apache-2.0
"""Racks on a floor, where in them machines and switches stand, and how cables run between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from flathood.spec.fields import RackName, Strictly, Whole

if TYPE_CHECKING:
    from flathood.spec.groups import NodeGroup
    from flathood.spec.model import Cluster, Head, Switch, Uplink

#: Metres from the middle of a rack to the middle of its neighbor (IEC 60297: racks are 600 mm wide).
WIDTH = 0.6
#: Metres of a rack unit (EIA-310).
UNIT = 0.04445
#: Lengths that patch cables are sold in, in metres.
STOCK = (0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0)

Metres = Annotated[float, Field(ge=-1000, le=1000, allow_inf_nan=False)]
Unit = Annotated[Whole, Field(ge=1, le=100)]


class Rack(Strictly):
    """A rack or a shelf; `x` runs along the row that it stands in, `y` from row to row."""

    name: RackName = Field(description="Its name, on labels and in lists of work")
    x: Metres | None = Field(
        default=None,
        description="Metres along the row to its middle; default: right beside the one before it in the row",
    )
    y: Metres = Field(default=0.0, description="Metres from the first row to its own")
    units: Unit = Field(default=42, description="How many units high it is (1 unit: 44.45 mm)")


class Cabling(Strictly):
    """How cables run, and which are to be had."""

    slack: Annotated[float, Field(ge=0, le=100)] = Field(
        default=0.5, description="Metres that a cable is longer than its way, for both ends together"
    )
    tray: Metres | None = Field(
        default=2.2,
        description="Metres above the floor at which cables run between racks (below 0: under it); null: straight "
        "from rack to rack",
    )
    lengths: Annotated[tuple[Annotated[float, Field(gt=0, le=1000)], ...], Field(min_length=1)] = Field(
        default=STOCK, description="Lengths that cables are sold in, in metres"
    )

    def stock(self, metres: float) -> float:
        """The shortest cable on sale that is long enough; the length itself where none is.

        >>> Cabling().stock(1.2), Cabling().stock(31)
        (1.5, 31)
        """
        return min((length for length in self.lengths if length >= metres), default=metres)


def _named(value: object) -> object:
    """The short form: names of racks that stand side by side."""
    return [{"name": item} if isinstance(item, str) else item for item in value] if isinstance(value, list) else value


def _side_by_side(racks: tuple[Rack, ...]) -> tuple[Rack, ...]:
    """Racks without an `x` follow the one before them in their row."""
    placed: list[Rack] = []
    last: dict[float, float] = {}
    for rack in racks:
        x = rack.x if rack.x is not None else round(last[rack.y] + WIDTH, 6) if rack.y in last else 0.0
        last[rack.y] = x
        placed.append(rack if rack.x == x else rack.model_copy(update={"x": x}))
    return tuple(placed)


Racks = Annotated[
    tuple[Rack, ...],
    BeforeValidator(_named, json_schema_input_type=tuple[RackName | Rack, ...]),
    AfterValidator(_side_by_side),
]


@dataclass(frozen=True)
class Standing:
    """Where a machine or switch stands.

    Attributes:
        name: of the machine or switch.
        rack: that it is in.
        unit: its lowest unit, from 1.
        height: its units.
        column: its number among those that stand beside each other on these units, from 0.
        abreast: how many stand beside each other there.

    """

    name: str
    rack: str
    unit: int
    height: int = 1
    column: int = 0
    abreast: int = 1

    @property
    def top(self) -> int:
        """Its highest unit."""
        return self.unit + self.height - 1


def standing(cluster: Cluster) -> Iterator[Standing]:
    """Everything whose rack is known: nodes, spares, uplink, switches, head.

    What has no `unit` is stacked: nodes and spares from the bottom of their rack in the order of the file, and the
    uplink switch, the neighborhood switches and the head from its top.
    """
    above: dict[str, int] = {}
    for group in (*cluster.nodes, *cluster.spares):
        yield from _stacked(group, above)
    units = {rack.name: rack.units for rack in cluster.racks}
    below: dict[str, int] = {}
    devices: tuple[Switch | Uplink | Head, ...] = (cluster.uplink, *cluster.switches, cluster.head)
    for device in devices:
        if device.rack is not None:
            unit = device.unit or below.get(device.rack, units.get(device.rack, 42))
            below[device.rack] = unit - 1
            yield Standing(device.name, device.rack, unit)


def _stacked(group: NodeGroup, above: dict[str, int]) -> Iterator[Standing]:
    """A group's machines, as many in each of its racks; `above`: the next free unit of each rack."""
    if not group.racks:
        return
    names = group.expand()
    each = -(-len(names) // len(group.racks))
    for index, rack in enumerate(group.racks):
        first = group.unit or above.get(rack, 1)
        here = names[index * each : (index + 1) * each]
        for number, name in enumerate(here):
            level, column = divmod(number, group.abreast)
            yield Standing(name, rack, first + level * group.height, group.height, column, group.abreast)
        above[rack] = first + -(-len(here) // group.abreast) * group.height
