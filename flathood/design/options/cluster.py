# SPDX-License-Identifier: Apache-2.0
"""From an option to the cluster.yml that describes it, so that a network that was chosen need not be typed in."""

from __future__ import annotations

import colorsys
import json
import math
from collections.abc import Sequence

from flathood.catalogue.model import rate_text
from flathood.design.options.front import Option

#: Steps of this many degrees around the colour circle never meet and stay far apart (the golden angle).
_STEP = 137.50776
_TURN = math.sqrt(2)  # of the lightness, by the same reason


def cluster_text(option: Option, name: str, nodes: Sequence[str], spares: Sequence[str], profile: object) -> str:
    """The text of a cluster.yml.

    Args:
        option: the network.
        name: what the cluster is called.
        nodes: names of the nodes.
        spares: names of the hot spares.
        profile: the traffic, as it stands in a cluster.yml.

    """
    width = len(str(option.switches - 1))
    parts = ", ".join(f"{line.count} x {line.part.name}" for line in option.bill.lines)
    lines = [
        f"# Made of {parts}.",
        "plugin: flathood.cluster.inventory",
        f"cluster: {json.dumps(name)}",
        f"nodes: {_group(nodes, option.nics)}",
        *([f"spares: {_group(spares, option.nics)}"] if spares else []),
        "switches:",
        *(
            f'  - {{name: s{number:0{width}d}, colour: "{colour}", ports: {option.switch.ports - 1}}}'
            for number, colour in enumerate(_colours(option.switches))
        ),
        f"uplink: {{name: uplink, ports: {option.bill.uplink_ports}}}",
        f"links: {{rate: {rate_text(option.switch.rate)}}}",
        f"profile: {json.dumps(profile)}",
    ]
    return "\n".join(lines) + "\n"


def _group(names: Sequence[str], nics: int) -> str:
    """A group of nodes, in few words where their names are those that cluster.yml gives by itself."""
    if [*names] == [f"n{number:02d}" for number in range(len(names))]:
        return f"{{count: {len(names)}, nics: {nics}}}"
    return f"{{names: {json.dumps([*names])}, nics: {nics}}}"


def _colours(count: int) -> list[str]:
    """So many colours, around the circle and lighter or darker by turns, none of them twice."""
    colours: dict[str, None] = {}
    for number in range(4 * count):  # a few in a thousand fall together
        lightness = 0.25 + 0.35 * (number * _TURN % 1)
        red, green, blue = colorsys.hls_to_rgb(number * _STEP % 360 / 360, lightness, 0.75)
        colours[f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"] = None
    return [*colours][:count]
