# SPDX-License-Identifier: Apache-2.0
"""The kinds of value that the three files are made of, each with its own sentence for what is wrong."""

from __future__ import annotations

import re
from ipaddress import IPv4Network, ip_network
from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict, WithJsonSchema

#: RFC 1123 section 2.1: letters, digits and hyphens, no hyphen at an end; lower case, as the files are case-sensitive.
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_COLOUR = re.compile(r"#[0-9a-f]{6}")
_RATE = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,9})?) ?([kMGT])(?:bit(?:/s)?|bps)?")
_UNITS = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
# Ranges whose addresses no NIC can have: RFC 6890 (this network, loopback), RFC 5771 (multicast), RFC 1112 (class E).
_UNUSABLE = tuple(IPv4Network(text) for text in ("0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/3"))


class Strictly(BaseModel):
    """Base of every model: nothing unknown, nothing changed once it is made, no number taken for a text."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _host_name(value: str) -> str:
    if not LABEL.fullmatch(value):
        shown = repr(value if len(value) <= 70 else value[:67] + "...")
        raise ValueError(f"{shown} is no host name: use a-z, 0-9 and hyphens, at most 63, no hyphen at an end")
    return value


def _colour(value: object) -> str:
    if value is None:
        raise ValueError('nothing is left, as # begins a comment: put the colour in quotes, such as "#c62828"')
    if not isinstance(value, str) or not _COLOUR.fullmatch(value.lower()):
        raise ValueError(f'{value!r} is no colour: write # and six hexadecimal digits in quotes, such as "#c62828"')
    return value.lower()


def _rate(value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 10**6:
        return value
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    rate = round(float(match[1]) * _UNITS[match[2]]) if match is not None else 0
    if rate < 1000:
        raise ValueError(f"{value!r} is no rate: write a number with k, M, G or T, such as 100M, 2.5G or 25G")
    return rate


def _network(value: object) -> IPv4Network:
    if isinstance(value, IPv4Network):
        return value
    text = value if isinstance(value, str) else ""
    try:
        loose = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"{value!r} is no range of addresses: write one such as 10.80.0.0/12") from None
    if not isinstance(loose, IPv4Network):
        raise ValueError(f"{value!r} is IPv6: the neighborhoods are IPv4 networks, such as 10.80.0.0/12")
    if "/" not in text:
        raise ValueError(f"{value!r} has no prefix length: write one such as {value}/16")
    if str(loose.network_address) != text.split("/")[0]:
        raise ValueError(f"{value!r} is an address inside a range: the range is {loose}")
    if any(loose.overlaps(bad) for bad in _UNUSABLE):
        raise ValueError(
            f"{value!r} is not for hosts (loopback, multicast or reserved): use a private range (RFC 1918)"
        )
    return loose


HostName = Annotated[
    str,
    AfterValidator(_host_name),
    WithJsonSchema(
        {"type": "string", "pattern": f"^{LABEL.pattern}$", "description": "A host name (RFC 1123), lower case"}
    ),
]
Colour = Annotated[
    str,
    BeforeValidator(_colour),
    WithJsonSchema({"type": "string", "pattern": "^#[0-9a-fA-F]{6}$", "examples": ["#c62828"]}),
]
#: Bits per second; written as text in the file ("100M", "2.5G").
Rate = Annotated[
    int,
    BeforeValidator(_rate),
    WithJsonSchema({"type": "string", "pattern": f"^{_RATE.pattern}$", "examples": ["100M", "2.5G", "25G"]}),
]
Network = Annotated[
    IPv4Network,
    BeforeValidator(_network),
    WithJsonSchema({"type": "string", "pattern": r"^[0-9.]+/[0-9]{1,2}$", "examples": ["10.80.0.0/12"]}),
]
#: A whole number that is written as one: neither "4" nor 4.0 nor true.
Whole = Annotated[int, Strict()]
Ports = Annotated[Whole, Field(ge=1, le=4096)]
RackName = Annotated[str, Field(min_length=1, max_length=63)]
