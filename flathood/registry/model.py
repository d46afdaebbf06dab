# SPDX-License-Identifier: Apache-2.0
"""The model of macs.yml: what discovery found, never mixed with what is planned."""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from flathood.spec.model import HostName

_MAC = re.compile(r"([0-9a-f]{2})[:-]?" * 5 + r"([0-9a-f]{2})", re.IGNORECASE)


def normal_mac(value: str) -> str:
    """A unicast MAC address in lower case with colons; ValueError says what is wrong with any other string."""
    match = _MAC.fullmatch(value.replace(".", ""))
    if match is None:
        raise ValueError(f"{value!r} is no MAC address: six bytes in hexadecimal, such as 02:00:5e:10:00:01")
    mac = ":".join(match.groups()).lower()
    if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
        raise ValueError(f"{value!r} is no address of a NIC (group or zero address)")
    return mac


class State(StrEnum):
    """How much is known of one NIC."""

    EXPECTED = "expected"
    SEEN = "seen"
    VERIFIED = "verified"
    CONFLICTING = "conflicting"


class Nic(BaseModel):
    """One NIC of a node, in the slot that its place in the list gives."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mac: Annotated[str, AfterValidator(normal_mac)]
    state: State = State.EXPECTED
    seen: datetime | None = None


class Registry(BaseModel):
    """The NICs of each node, spare and of the head, in slot order; None: nothing known of that slot."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    cluster: HostName
    nodes: dict[HostName, tuple[Nic | None, ...]] = Field(default_factory=dict)


def macs_of(registry: Registry, name: str) -> tuple[str | None, ...]:
    """The MAC of each slot of a node, a spare or the head; None where nothing is known, () for an unknown name."""
    return tuple(nic.mac if nic is not None else None for nic in registry.nodes.get(name, ()))
