# SPDX-License-Identifier: Apache-2.0
"""What the sections of a catalogue mean together: every name once, and no switch that nothing can be plugged into."""

from __future__ import annotations

from collections.abc import Iterable

from flathood.catalogue.model import Catalogue, Part, SwitchModel, rate_text
from flathood.document import KeyPath
from flathood.structure import Fitted


def check_catalogue(fitted: Fitted[Catalogue]) -> None:
    """Note every problem between parts that are right by themselves."""
    _names(fitted)
    for place, switch in fitted.items("switches"):
        if switch.ports < 2:
            message = (
                f"{switch.ports} port: it goes to the uplink switch, and none is left for nodes: remove this model"
            )
            fitted.say((*place, "ports"), message)
        _fitting(fitted, place, switch)


def _names(fitted: Fitted[Catalogue]) -> None:
    first: dict[str, KeyPath] = {}
    for section in ("switches", "nics", "cables"):
        for place, part in fitted.items(section):
            if part.name in first:
                line = fitted.document.line(first[part.name])
                message = f"{part.name!r} is the name of a part already (line {line}): choose another"
                fitted.say((*place, "name"), message)
            first.setdefault(part.name, (*place, "name"))


def _fitting(fitted: Fitted[Catalogue], place: KeyPath, switch: SwitchModel) -> None:
    """Note a switch that no node could be plugged into; where a list has faults, the part may be among those."""
    what = f"{switch.plug} and {rate_text(switch.rate)}"
    if fitted.whole("nics") and not any(nic.rate == switch.rate for nic in _of(switch, fitted.model.nics)):
        fitted.say(place, f"no NIC has {what}, as switch {switch.name!r} has: add one, or remove the switch")
    if fitted.whole("cables") and not any(cable.rate >= switch.rate for cable in _of(switch, fitted.model.cables)):
        fitted.say(place, f"no cable carries {what}, as switch {switch.name!r} needs: add one, or remove the switch")


def _of(switch: SwitchModel, parts: Iterable[Part]) -> list[Part]:
    return [part for part in parts if part.plug == switch.plug]
