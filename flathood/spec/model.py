# SPDX-License-Identifier: Apache-2.0
"""The model of cluster.yml: what people want, with every default filled in."""

from __future__ import annotations

import re
from ipaddress import IPv4Network
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

#: RFC 1123 section 2.1: letters, digits and hyphens, no hyphen at an end; lower case, as the files are case-sensitive.
LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_RATE = re.compile(r"(\d+(?:\.\d+)?)\s*([kMGT]?)(?:bit(?:/s)?|bps)?")
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _host_name(value: str) -> str:
    if not LABEL.fullmatch(value):
        raise ValueError(f"{value!r} is no host name: use a-z, 0-9 and hyphens, at most 63, no hyphen at an end")
    return value


def _rate(value: Any) -> Any:
    match = _RATE.fullmatch(value) if isinstance(value, str) else None
    if match is None or float(match[1]) <= 0:
        raise ValueError(f"{value!r} is no rate: write a number with k, M or G, such as 100M, 2.5G or 25G")
    return round(float(match[1]) * _UNITS[match[2]])


HostName = Annotated[str, AfterValidator(_host_name)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
#: Bits per second; written as text in the file ("100M", "2.5G").
Rate = Annotated[int, BeforeValidator(_rate, json_schema_input_type=str)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=False)


class NodeGroup(_Strict):
    """Nodes that are alike: either `count` of them named by the pattern `name`, or the listed `names`."""

    count: Annotated[int, Field(ge=1, le=8192)] | None = None
    name: str = "n{:02d}"
    names: tuple[HostName, ...] | None = None
    start: Annotated[int, Field(ge=0)] = 0
    nics: Annotated[int, Field(ge=1, le=16)] = 2
    rack: str | None = None

    def expand(self) -> tuple[str, ...]:
        """The names of this group's nodes, in order."""
        if self.names is not None:
            return self.names
        return tuple(self.name.format(self.start + i) for i in range(self.count or 0))


def _listed(value: Any) -> Any:
    """The short form of one group: a mapping in place of a list of one."""
    return [value] if isinstance(value, dict) else value


#: Groups of nodes: one mapping, or a list of them.
Groups = Annotated[
    tuple[NodeGroup, ...], BeforeValidator(_listed, json_schema_input_type=NodeGroup | tuple[NodeGroup, ...])
]


class Switch(_Strict):
    """A neighborhood: a switch with `ports` ports for nodes (the uplink's port not counted)."""

    name: HostName
    colour: Colour
    ports: Annotated[int, Field(ge=1, le=4096)]
    rack: str | None = None


class Uplink(_Strict):
    """The switch that joins the neighborhoods: spares, head, multicast, the outside."""

    name: HostName = "uplink"
    colour: Colour = "#ffffff"
    ports: Annotated[int, Field(ge=1, le=4096)] = 48
    rack: str | None = None


class Head(_Strict):
    """The machine on the uplink switch that serves DHCP and DNS and runs Ansible."""

    name: HostName = "head"


class Management(_Strict):
    """A separate management network, where there is one: the pattern that makes a node's name or address on it."""

    host: str


class Addresses(_Strict):
    """The three ranges that addresses are taken from; they do not overlap."""

    neighborhoods: IPv4Network = IPv4Network("10.80.0.0/12")
    nodes: IPv4Network = IPv4Network("10.79.0.0/16")
    outside: IPv4Network = IPv4Network("10.78.0.0/24")


class Links(_Strict):
    """What every link of the fabric can do: bits per second, and the MTU in bytes."""

    rate: Rate = 1_000_000_000
    mtu: Annotated[int, Field(ge=576, le=9216)] = 1500


class Cluster(_Strict):
    """A whole cluster.yml. Order matters everywhere: it gives nodes, slots and switches their numbers."""

    plugin: Literal["flathood.cluster.inventory"] = "flathood.cluster.inventory"
    cluster: HostName
    fabric: Literal["fnn"] = "fnn"
    nodes: Groups
    spares: Groups = ()
    switches: tuple[Switch, ...]
    uplink: Uplink = Uplink()
    head: Head = Head()
    management: Management | None = None
    addresses: Addresses = Addresses()
    profile: Any = "all-to-all"
    links: Links = Links()

    @property
    def node_names(self) -> tuple[str, ...]:
        """Names of the nodes, in number order (spares not included)."""
        return tuple(name for group in self.nodes for name in group.expand())

    @property
    def spare_names(self) -> tuple[str, ...]:
        """Names of the hot spares, in number order."""
        return tuple(name for group in self.spares for name in group.expand())

    @property
    def nic_counts(self) -> dict[str, int]:
        """How many NICs each node and each spare has."""
        return {name: group.nics for group in (*self.nodes, *self.spares) for name in group.expand()}

    @property
    def switch_names(self) -> tuple[str, ...]:
        """Names of the neighborhood switches, in number order (the uplink not included)."""
        return tuple(switch.name for switch in self.switches)
