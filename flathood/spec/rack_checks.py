# SPDX-License-Identifier: Apache-2.0
"""What can be wrong with racks: names used twice or not known, two in one place, more in one than it holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flathood.document import KeyPath
from flathood.spec.known import nearest
from flathood.spec.racks import standing
from flathood.structure import Fitted

if TYPE_CHECKING:
    from flathood.spec.model import Cluster

#: The sections whose members stand in racks.
_MACHINES = ("nodes", "spares")
_ALL = (*_MACHINES, "switches", "uplink", "head")


def check_racks(fitted: Fitted[Cluster]) -> None:
    """Note every problem of racks and of what is in them; without `racks` a rack is a name and no more."""
    if not fitted.whole("racks") or not fitted.model.racks:
        return
    _twice(fitted)
    known = {rack.name for rack in fitted.model.racks}
    unknown = [(place, name) for place, name in _named(fitted) if name not in known]
    for place, name in unknown:
        fitted.say(place, f"there is no rack {name!r} under `racks`{nearest(name, known)}: correct it, or add the rack")
    if not unknown and fitted.whole(*_ALL):
        _overfull(fitted)


def _twice(fitted: Fitted[Cluster]) -> None:
    names: dict[str, str] = {}
    spots: dict[tuple[float | None, float], str] = {}
    for place, rack in fitted.items("racks"):
        at = f"line {fitted.document.line(place)}"
        if rack.name in names:
            fitted.say(place, f"rack {rack.name!r} is listed already ({names[rack.name]}): give it another name")
        elif (rack.x, rack.y) in spots:
            other = spots[rack.x, rack.y]
            message = f"rack {rack.name!r} stands where rack {other!r} stands, at x {rack.x:g}, y {rack.y:g}: move one"
            fitted.say(place, message)
        names.setdefault(rack.name, at)
        spots.setdefault((rack.x, rack.y), rack.name)


def _named(fitted: Fitted[Cluster]) -> Iterator[tuple[KeyPath, str]]:
    """Every place in the file that names a rack, with the name."""
    for section in _MACHINES:
        for place, group in fitted.items(section):
            for index, name in enumerate(group.racks):
                yield ((*place, "rack") if isinstance(group.rack, str) else (*place, "rack", index)), name
    for place, switch in fitted.items("switches"):
        if switch.rack is not None:
            yield (*place, "rack"), switch.rack
    for section in ("uplink", "head"):
        if fitted.has(section) and (rack := getattr(fitted.model, section).rack) is not None:
            yield (section, "rack"), rack


def _overfull(fitted: Fitted[Cluster]) -> None:
    """Note each rack that does not hold what is to stand in it, with the first that has no room."""
    units = {rack.name: rack.units for rack in fitted.model.racks}
    told = set[str]()
    for stands in standing(fitted.model):
        if stands.rack in told or 1 <= stands.unit <= stands.top <= units[stands.rack]:
            continue
        told.add(stands.rack)
        place = ("racks", [rack.name for rack in fitted.model.racks].index(stands.rack))
        message = (
            f"rack {stands.rack!r} has {units[stands.rack]} units, and {stands.name!r} would be at unit {stands.unit}"
            f"{f' to {stands.top}' if stands.height > 1 else ''}: give it more `units`, or what is in it another "
            "`unit`, `height` or `abreast`"
        )
        fitted.say(place, message)
