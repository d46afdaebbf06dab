# SPDX-License-Identifier: Apache-2.0
"""The model of cluster.yml: what people want, with every default filled in."""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, Strict, model_validator

from flathood.spec.addresses import Addresses
from flathood.spec.fields import Colour, HostName, Ports, RackName, Rate, Strictly, Whole
from flathood.spec.groups import Groups, NodeGroup
from flathood.spec.profile import Profile
from flathood.spec.racks import Cabling, Racks, Unit
from flathood.spec.rules import DesignRules

__all__ = [
    "Addresses",
    "Cluster",
    "DesignRules",
    "Head",
    "HostName",
    "Links",
    "Management",
    "NodeGroup",
    "Routing",
    "Switch",
    "Uplink",
]

Flag = Annotated[bool, Strict()]
Routing = Literal["basic", "advanced", "tree"]


class Switch(Strictly):
    """A neighborhood: a switch with `ports` ports for nodes (the uplink's port not counted)."""

    name: HostName = Field(description="The neighborhood's name: on labels, in host names (k17-red), in reports")
    colour: Colour = Field(description="Colour of the switch and of its cables, as #rrggbb in quotes")
    ports: Ports = Field(description="Ports for nodes; the port of the uplink is not counted")
    taken: Annotated[Whole, Field(ge=0)] = Field(
        default=0, description="How many of its ports others than these nodes use"
    )
    rack: RackName | None = Field(default=None, description="Rack that it is in, for labels and worklists")
    unit: Unit | None = Field(default=None, description="Its unit in the rack; default: from the top down")

    @property
    def free(self) -> int:
        """Ports that these nodes may use."""
        return self.ports - self.taken


class Uplink(Strictly):
    """The switch that joins the neighborhoods: spares, head, multicast, the outside."""

    name: HostName = Field(default="uplink", description="Its name, on labels and in reports")
    colour: Colour = Field(
        default="#ffffff", description="Colour of the switch and of its cables, as #rrggbb in quotes"
    )
    ports: Ports = Field(
        default=48, description="All its ports: one per neighborhood switch, one per spare, one for the head"
    )
    rack: RackName | None = Field(default=None, description="Rack that it is in, for labels and worklists")
    unit: Unit | None = Field(default=None, description="Its unit in the rack; default: from the top down")


class Head(Strictly):
    """The machine on the uplink switch that serves DHCP and DNS and runs Ansible."""

    name: HostName = Field(default="head", description="Its host name")
    rack: RackName | None = Field(default=None, description="Rack that it is in, for labels and worklists")
    unit: Unit | None = Field(default=None, description="Its unit in the rack; default: from the top down")


def _one_hole(value: str) -> str:
    if value.count("{}") != 1 or "{" in value.replace("{}", "") or "}" in value.replace("{}", ""):
        raise ValueError(f"{value!r} is no pattern: write {{}} once where the node's name goes, such as {{}}.mgmt")
    return value


class Management(Strictly):
    """A separate management network, where there is one: the pattern that makes a node's name or address on it."""

    host: Annotated[str, AfterValidator(_one_hole)] = Field(
        description="Where Ansible reaches a node: {} stands for the node's name", examples=["{}.mgmt"]
    )


class Links(Strictly):
    """What every link of the fabric can do: bits per second, and the MTU in bytes."""

    rate: Rate = Field(default=1_000_000_000, description="Rate of every link", json_schema_extra={"default": "1G"})
    mtu: Annotated[Whole, Field(ge=576, le=9216)] = Field(default=1500, description="MTU of every link, in bytes")


class Cluster(Strictly):
    """A whole cluster.yml. Order matters everywhere: it gives nodes, slots and switches their numbers."""

    plugin: Literal["flathood.cluster.inventory"] = Field(
        default="flathood.cluster.inventory", description="Makes the file an inventory source of Ansible"
    )
    cluster: HostName = Field(description="Name of the cluster")
    fabric: Literal["fnn"] = Field(default="fnn", description="Kind of the network; fnn: flat neighborhood network")
    nodes: Annotated[Groups, Field(min_length=1)] = Field(description="The nodes: one group, or a list of groups")
    spares: Groups = Field(default=(), description="Hot spares on the uplink switch: one group, or a list of groups")
    switches: Annotated[tuple[Switch, ...], Field(min_length=1, max_length=1024)] = Field(
        description="The neighborhood switches"
    )
    uplink: Uplink = Field(default=Uplink(), description="The switch that joins the neighborhoods")
    head: Head = Field(default=Head(), description="The machine that provisions the nodes")
    racks: Racks = Field(default=(), description="Where the racks stand; gives cables their lengths")
    cabling: Cabling = Field(default=Cabling(), description="How cables run between racks, and which are to be had")
    management: Management | None = Field(default=None, description="A management network of its own, if there is one")
    addresses: Addresses = Field(default=Addresses(), description="Ranges that addresses are taken from")
    profile: Profile = Field(default="all-to-all", description="Who talks to whom: what the design is made good at")
    design: DesignRules = Field(default=DesignRules(), description="What every design must keep to")
    links: Links = Field(default=Links(), description="What every link can do")
    routing: Routing = Field(
        default="basic",
        description="basic: one shared switch for each pair; advanced: all that it shares at once; "
        "tree: first NICs and the uplink only, to compare with",
    )
    # Options that Ansible's inventory plugins take in their source file (Constructable and Cacheable).
    compose: dict[str, str] | None = Field(default=None, description="Ansible: host variables made from Jinja2")
    groups: dict[str, str] | None = Field(default=None, description="Ansible: groups made from Jinja2 conditions")
    keyed_groups: list[dict[str, JsonValue]] | None = Field(default=None, description="Ansible: groups by variables")
    strict: Flag | None = Field(default=None, description="Ansible: a fault in these is an error")
    use_extra_vars: Flag | None = Field(default=None, description="Ansible: let these use extra variables")
    leading_separator: Flag | None = Field(default=None, description="Ansible: begin names of keyed groups with _")
    cache: Flag | None = Field(default=None, description="Ansible: cache the inventory")
    cache_plugin: str | None = Field(default=None, description="Ansible: the cache's plugin")
    cache_timeout: Whole | None = Field(default=None, description="Ansible: seconds that the cache is good for")
    cache_connection: str | None = Field(default=None, description="Ansible: where the cache is")
    cache_prefix: str | None = Field(default=None, description="Ansible: prefix of the cache's names")

    @model_validator(mode="after")
    def _room_outside(self) -> Self:
        machines = sum(group.size for group in (*self.nodes, *self.spares))
        # The one field that depends on others; the model is frozen for everybody else.
        object.__setattr__(self, "addresses", self.addresses.grown(machines))
        return self

    @cached_property
    def node_names(self) -> tuple[str, ...]:
        """Names of the nodes, in number order (spares not included)."""
        return tuple(name for group in self.nodes for name in group.expand())

    @cached_property
    def spare_names(self) -> tuple[str, ...]:
        """Names of the hot spares, in number order."""
        return tuple(name for group in self.spares for name in group.expand())

    @cached_property
    def nic_counts(self) -> dict[str, int]:
        """How many NICs each node and each spare has."""
        return {name: group.nics for group in (*self.nodes, *self.spares) for name in group.expand()}

    @cached_property
    def switch_names(self) -> tuple[str, ...]:
        """Names of the neighborhood switches, in number order (the uplink not included)."""
        return tuple(switch.name for switch in self.switches)
