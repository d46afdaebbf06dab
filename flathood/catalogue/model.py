# SPDX-License-Identifier: Apache-2.0
"""The model of a parts catalogue: switches, NICs and cables with their prices and powers, as of one day."""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema

from flathood.spec.fields import Ports, Rate, Strictly, Whole

#: Connectors. Parts go together when they have the same one.
Plug = Literal["rj45", "sfp", "sfp+", "sfp28", "sfp56", "qsfp+", "qsfp28", "qsfp56", "qsfp-dd", "osfp"]


def _name(value: str) -> str:
    if not value.isprintable() or value != value.strip():
        raise ValueError(f"{value!r} has blanks at an end or characters that do not print: remove them")
    return value


def _currency(value: str) -> str:
    if not re.fullmatch("[A-Z]{3}", value):
        raise ValueError(f"{value!r} is no currency: write three capital letters (ISO 4217), such as USD or EUR")
    return value


def _date(value: object) -> date:
    try:
        return value if isinstance(value, date) else date.fromisoformat(value if isinstance(value, str) else "")
    except ValueError:
        raise ValueError(f"{value!r} is no date: write year, month and day, such as 2026-11-21") from None


def rate_text(rate: int) -> str:
    """Bits per second as people write them.

    >>> rate_text(2_500_000_000), rate_text(100_000_000)
    ('2.5G', '100M')

    """
    return f"{rate / 1e9:g}G" if rate >= 10**9 else f"{rate / 1e6:g}M"


_Name = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_name)]
_Price = Annotated[float, Field(ge=0, le=10**7, allow_inf_nan=False), Strict()]
_Power = Annotated[float, Field(ge=0, le=10**5, allow_inf_nan=False), Strict()]
_Date = Annotated[date, BeforeValidator(_date), WithJsonSchema({"type": "string", "format": "date"})]


class Part(Strictly):
    """What every part has; `rate` is in bits per second, `price` in the catalogue's currency, `power` in watts."""

    name: _Name = Field(description="What it is called on the bill of materials")
    plug: Plug = Field(description="Its connector: parts go together when they have the same one")
    rate: Rate = Field(description="What one port of it carries each way; of a cable: the most it carries")
    price: _Price = Field(description="Price of one, in the currency of the catalogue")
    power: _Power = Field(default=0.0, description="What one draws, in watts")


class SwitchModel(Part):
    """A switch that can be bought, with all its ports of one kind."""

    ports: Ports = Field(description="All its ports of this rate; a neighborhood needs one of them for its uplink")


class NicModel(Part):
    """A card with NICs, or NICs that a node has on its board."""

    ports: Annotated[Whole, Field(ge=1, le=16)] = Field(default=1, description="NICs on it")
    slots: Annotated[Whole, Field(ge=0, le=16)] = Field(
        default=1, description="Slots of a node that it takes; 0: it is on the node's board"
    )
    most: Annotated[Whole, Field(ge=1, le=16)] = Field(default=16, description="How many of it a node can have")


class CableModel(Part):
    """A cable; its ``rate`` is the most it carries."""


class Catalogue(Strictly):
    """The parts that a network can be bought of."""

    currency: Annotated[str, AfterValidator(_currency), WithJsonSchema({"type": "string", "pattern": "^[A-Z]{3}$"})] = (
        Field(description="Currency of all prices (ISO 4217)", examples=["USD", "EUR"])
    )
    date: _Date = Field(description="The day of these prices", examples=["2026-11-21"])
    switches: Annotated[tuple[SwitchModel, ...], Field(min_length=1, max_length=1000)] = Field(
        description="Models of switches"
    )
    nics: Annotated[tuple[NicModel, ...], Field(min_length=1, max_length=1000)] = Field(description="Models of NICs")
    cables: Annotated[tuple[CableModel, ...], Field(min_length=1, max_length=1000)] = Field(
        description="Models of cables"
    )
