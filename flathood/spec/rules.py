# SPDX-License-Identifier: Apache-2.0
"""What an operator asks of the design: which pairs must share a switch, cables that stay, what is not to be used."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from flathood.spec.fields import HostName, Strictly

#: Which pairs of nodes must share a switch: all, as many as the hardware allows, or those that the profile names.
Mode = Literal["universal", "fractional", "sparse"]


class DesignRules(Strictly):
    """What every design of this cluster has to keep to."""

    mode: Mode = Field(
        default="universal",
        description="Pairs that must share a switch. universal: all; fractional: as many as the hardware allows; "
        "sparse: those that the profile names",
    )
    keep: dict[HostName, Annotated[tuple[HostName, ...], Field(min_length=1)]] = Field(
        default_factory=dict, description="Cables that must stay: the switches of a node", examples=[{"k00": ["red"]}]
    )
    without: tuple[HostName, ...] = Field(
        default=(), description="Nodes and switches that are not to be used", examples=[["k05", "grey"]]
    )
