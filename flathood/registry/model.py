# SPDX-License-Identifier: Apache-2.0
"""The model of macs.yml: what discovery found, never mixed with what is planned."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, WithJsonSchema

from flathood.spec.fields import HostName, Strictly

# The three ways that vendors write one: 02:00:5e:10:00:01 or with hyphens, 0200.5e10.0001, 02005e100001.
_PAIR = "[0-9a-fA-F]{2}"
_JSON_MAC = f"^({_PAIR}(:{_PAIR}){{5}}|{_PAIR}(-{_PAIR}){{5}}|{_PAIR * 2}(\\.{_PAIR * 2}){{2}}|{_PAIR * 6})$"
_MAC = re.compile(_JSON_MAC.removeprefix("^").removesuffix("$"))


def normal_mac(value: str) -> str:
    """A unicast MAC address in lower case with colons; ValueError says what is wrong with any other string."""
    if not _MAC.fullmatch(value):
        raise ValueError(f"{value!r} is no MAC address: six bytes in hexadecimal, such as 02:00:5e:10:00:01")
    digits = re.sub("[:.-]", "", value).lower()
    if int(digits[:2], 16) & 1:
        raise ValueError(f"{value!r} is a group address (multicast or broadcast): no NIC has it as its own")
    if not int(digits, 16):
        raise ValueError(f"{value!r} is the zero address: no NIC has it")
    return ":".join(digits[at : at + 2] for at in range(0, 12, 2))


class State(StrEnum):
    """How much is known of one NIC."""

    EXPECTED = "expected"
    SEEN = "seen"
    VERIFIED = "verified"
    CONFLICTING = "conflicting"


def _moment(value: object) -> datetime:
    moment = value if isinstance(value, datetime) else None
    if isinstance(value, str):
        with suppress(ValueError):
            moment = datetime.fromisoformat(value)
    if moment is None or moment.utcoffset() is None:
        raise ValueError(f"{value!r} is no moment: write date, time and offset, such as 2026-03-01T12:00:00+00:00")
    return moment


Mac = Annotated[
    str,
    AfterValidator(normal_mac),
    WithJsonSchema({"type": "string", "pattern": _JSON_MAC, "examples": ["02:00:5e:10:00:01"]}),
]
Moment = Annotated[datetime, BeforeValidator(_moment, json_schema_input_type=AwareDatetime)]


class Nic(Strictly):
    """One NIC of a node, in the slot that its place in the list gives."""

    mac: Mac = Field(description="Its MAC address: six bytes in hexadecimal")
    state: State = Field(default=State.EXPECTED, description="How much is known of it")
    seen: Moment | None = Field(default=None, description="When discovery last saw it, with the offset from UTC")


class Registry(Strictly):
    """The NICs of each node, spare and of the head, in slot order; None: nothing known of that slot."""

    cluster: HostName = Field(description="Name of the cluster, as in cluster.yml")
    nodes: dict[HostName, tuple[Nic | None, ...]] = Field(
        default_factory=dict,
        description="NICs of each node, spare and of the head, in slot order; null: not known",
        json_schema_extra={"additionalProperties": False},
    )


def macs_of(registry: Registry, name: str) -> tuple[str | None, ...]:
    """The MAC of each slot of a node, a spare or the head; None where nothing is known, () for an unknown name."""
    return tuple(nic.mac if nic is not None else None for nic in registry.nodes.get(name, ()))
