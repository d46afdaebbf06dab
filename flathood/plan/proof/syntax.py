# SPDX-License-Identifier: Apache-2.0
"""Reading systemd's configuration files section by section, each different section once.

The drop-ins of a large cluster have millions of sections and few different ones, so a section's bytes are looked up in
a dictionary and understood the first time they are met.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from enum import IntEnum

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
#: A section's name and its settings, in order.
Section = tuple[str, tuple[tuple[str, str], ...]]


_HOP = "MultiPathRoute"


class Kind(IntEnum):
    """What a section of a drop-in means."""

    UNKNOWN = 0
    ARP_OFF = 1
    NEIGHBOR = 2
    ROUTE = 3
    GROUPS = 4
    MULTIPATH = 5


def address(text: str) -> int:
    """An IPv4 address as a number; -1 for anything else.

    >>> address("10.0.0.1") - address("10.0.0.0"), address("10.0.0"), address("10.0.0.01"), address("10.0.0.256")
    (1, -1, -1, -1)
    """
    parts = text.split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdecimal() and str(int(part)) == part for part in parts):
        return -1
    value = 0
    for part in parts:
        if int(part) > 255:
            return -1
        value = value << 8 | int(part)
    return value


def prefix(text: str) -> tuple[int, int]:
    """An address with its prefix length as two numbers; (-1, -1) for anything else."""
    left, _, right = text.partition("/")
    value = address(left)
    if value < 0 or not (right.isascii() and right.isdecimal()) or int(right) > 32:
        return -1, -1
    return value, int(right)


def mac(text: str) -> int:
    """A MAC address with colons as a number; -1 for anything else."""
    parts = text.split(":")
    if len(parts) != 6 or any(len(part) != 2 or not set(part) <= set("0123456789abcdef") for part in parts):
        return -1
    return int("".join(parts), 16)


def dotted(value: int) -> str:
    """A number as an IPv4 address."""
    return ".".join(str(value >> shift & 255) for shift in (24, 16, 8, 0))


def colons(value: int) -> str:
    """A number as a MAC address."""
    return ":".join(f"{value >> shift & 255:02x}" for shift in range(40, -1, -8))


def sections(data: bytes) -> list[Section] | None:
    """All sections of a file; None when a line is neither a setting nor a section, a comment or empty."""
    found: list[tuple[str, list[tuple[str, str]]]] = []
    for line in data.decode("utf-8", "replace").split("\n"):
        if not line or line[0] in "#;":
            continue
        key, equals, value = line.partition("=")
        if line[0] == "[" and line[-1] == "]":
            found.append((line[1:-1], []))
        elif equals and found and key.isalnum():
            found[-1][1].append((key, value))
        else:
            return None
    return [(name, tuple(settings)) for name, settings in found]


class Sections:
    """The different sections met so far, each with a number, and what they mean in columns."""

    def __init__(self) -> None:
        self.texts: list[bytes] = []
        self._slots, self._gateways = array("q"), array("q")  # of all next hops of multipath routes
        self._number = Numbers(self._understand)
        self._columns = tuple(array("q") for _ in range(4))
        self._table: Ints = np.zeros((4, 0), dtype=np.int64)

    def read(self, data: bytes) -> tuple[Ints, Ints]:
        """Section by section of a file: its number, and int64[4, sections]: its Kind and three values.

        NEIGHBOR: address, MAC, 0. ROUTE: network, prefix length, gateway. GROUPS: network, prefix length, source.
        MULTIPATH: address, and where its next hops begin and how many there are (see `hops`).
        """
        top, *parts = (b"\n" + data).split(b"\n[")
        if sections(top) != []:
            parts.append(top)  # no section, so it will not be understood
        numbers = np.fromiter(map(self._number.__getitem__, parts), dtype=np.int64, count=len(parts))
        if self._table.shape[1] < len(self.texts):
            self._table = np.array(self._columns, dtype=np.int64)
        return numbers, self._table[:, numbers]

    def hops(self, routes: Ints) -> Ints:
        """The next hops of multipath routes, int64[3, hops]: address, slot, gateway; ``routes``: int64[3, routes]."""
        ip, first, count = routes
        place = np.repeat(first - (np.cumsum(count) - count), count) + np.arange(int(count.sum()))
        slots, gateways = (np.array(column, dtype=np.int64) for column in (self._slots, self._gateways))
        return np.stack((np.repeat(ip, count), slots[place], gateways[place]))

    def _understand(self, part: bytes) -> int:
        found = sections(b"[" + part)
        meaning = _meaning(found[0]) if found is not None and len(found) == 1 else (Kind.UNKNOWN, 0, 0, 0)
        if meaning[0] == Kind.MULTIPATH and found is not None:
            hops = [_hop(value) for _, value in found[0][1][1:]]
            meaning = (Kind.MULTIPATH, meaning[1], len(self._slots), len(hops))
            self._slots.extend(slot for slot, _ in hops)
            self._gateways.extend(gateway for _, gateway in hops)
        for column, value in zip(self._columns, meaning, strict=True):
            column.append(value)
        self.texts.append(part)
        return len(self.texts) - 1


class Numbers(dict[bytes, int]):
    """A dictionary that asks for what it does not have."""

    def __init__(self, ask: Callable[[bytes], int]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, key: bytes) -> int:
        """Ask, and remember."""
        self[key] = number = self._ask(key)
        return number


def _meaning(section: Section) -> tuple[int, int, int, int]:
    name, pairs = section
    settings = dict(pairs)
    if name == "Route" and _HOP in settings:
        return _multipath(pairs)
    if len(settings) == len(pairs):
        if name == "Link" and settings == {"ARP": "no"}:
            return Kind.ARP_OFF, 0, 0, 0
        if name == "Neighbor" and settings.keys() == {"Address", "LinkLayerAddress"}:
            ip, hardware = address(settings["Address"]), mac(settings["LinkLayerAddress"])
            if ip >= 0 and hardware >= 0:
                return Kind.NEIGHBOR, ip, hardware, 0
        if name == "Route":
            return _route(settings)
    return Kind.UNKNOWN, 0, 0, 0


def _route(settings: dict[str, str]) -> tuple[int, int, int, int]:
    network, length = prefix(settings.get("Destination", ""))
    if length < 0 or network & ((1 << (32 - length)) - 1):
        return Kind.UNKNOWN, 0, 0, 0
    if settings.keys() == {"Destination", "Gateway"} and (gateway := address(settings["Gateway"])) >= 0:
        return Kind.ROUTE, network, length, gateway
    if settings.keys() == {"Destination", "Scope", "PreferredSource"} and settings["Scope"] == "link":
        source = address(settings["PreferredSource"])
        if source >= 0 and network >> 28 == 14:
            return Kind.GROUPS, network, length, source
    return Kind.UNKNOWN, 0, 0, 0


def _multipath(pairs: tuple[tuple[str, str], ...]) -> tuple[int, int, int, int]:
    """A route with several next hops, each an address and the NIC of ours that it is behind."""
    (first, destination), *hops = pairs
    network, length = prefix(destination)
    right = first == "Destination" and length == 32 and len(hops) > 1
    if right and all(key == _HOP and min(_hop(value)) >= 0 for key, value in hops):
        return Kind.MULTIPATH, network, length, 0
    return Kind.UNKNOWN, 0, 0, 0


def _hop(value: str) -> tuple[int, int]:
    """Slot and gateway of `ADDRESS@fnnSLOT`; -1 for what is none."""
    gateway, _, name = value.partition("@")
    slot = name.removeprefix("fnn")
    return int(slot) if slot != name and slot.isascii() and slot.isdecimal() else -1, address(gateway)


def settings_of(lines: Iterable[str], separator: str) -> dict[str, str] | None:
    """`key SEPARATOR value` lines without comments; None when one is no such line or a key is there twice."""
    found: dict[str, str] = {}
    for line in lines:
        if not line or line[0] == "#":
            continue
        key, there, value = line.partition(separator)
        if not there or key in found:
            return None
        found[key] = value
    return found
