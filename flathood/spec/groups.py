# SPDX-License-Identifier: Apache-2.0
"""Groups of nodes that are alike, and how their names are made."""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from flathood.spec.fields import LABEL, HostName, RackName, Strictly, Whole
from flathood.spec.racks import Unit

#: Most machines of one cluster; the tables that grow with its square stay within some hundred MB.
MAX_MACHINES = 8192
# A pattern is filled in with str.format, which can be told to read attributes or to make a gigabyte of blanks: only a
# plain or zero-padded number gets through.
_HOLE = re.compile(r"\{(?::(?:0[1-9])?d?)?\}")
_PATTERN = re.compile(rf"[^{{}}]*(?:{_HOLE.pattern})?[^{{}}]*")


def _pattern(value: str) -> str:
    if not _PATTERN.fullmatch(value):
        raise ValueError(f"{value!r} is no pattern for names: write the number's place once, as {{}} or {{:02d}}")
    return value


class NodeGroup(Strictly):
    """Nodes that are alike: either `count` of them named by the pattern `name`, or the listed `names`."""

    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": ["count"]}, {"required": ["names"]}]})

    count: Annotated[Whole, Field(ge=1, le=MAX_MACHINES)] | None = Field(default=None, description="How many nodes")
    name: Annotated[str, AfterValidator(_pattern)] = Field(
        default="n{:02d}", description="Pattern of the names: {} or {:02d} is the number", examples=["k{:02d}"]
    )
    names: Annotated[tuple[HostName, ...], Field(min_length=1, max_length=MAX_MACHINES)] | None = Field(
        default=None, description="The names one by one, in place of count and name"
    )
    start: Annotated[Whole, Field(ge=0, le=999_999)] = Field(
        default=0, description="Number of the first node of the pattern"
    )
    nics: Annotated[Whole, Field(ge=1, le=16)] = Field(
        default=2, description="NICs on the fabric in each of these nodes"
    )
    rack: RackName | Annotated[tuple[RackName, ...], Field(min_length=1)] | None = Field(
        default=None, description="Rack that these nodes are in; or a list of racks, each with as many of them"
    )
    unit: Unit | None = Field(
        default=None, description="Lowest unit of the first node in each rack; default: above the group before it"
    )
    height: Unit = Field(default=1, description="Units that a node is high")
    abreast: Annotated[Whole, Field(ge=1, le=100)] = Field(default=1, description="Nodes that stand beside each other")

    @model_validator(mode="after")
    def _names_can_be_made(self) -> Self:
        if self.names is not None:
            extra = [f"`{key}`" for key in ("count", "name", "start") if key in self.model_fields_set]
            if extra:
                raise ValueError(f"`names` lists the nodes one by one: remove {' and '.join(extra)}, or remove `names`")
            return self
        if self.count is None:
            raise ValueError("how many nodes? give `count` (and a pattern `name`), or list their `names`")
        if self.count > 1 and not _HOLE.search(self.name):
            raise ValueError(f"all {self.count} nodes would be called {self.name!r}: put {{}} where the number goes")
        for number in (self.start, self.start + self.count - 1):
            name = self.name.format(number)
            if not LABEL.fullmatch(name):
                raise ValueError(
                    f"the pattern {self.name!r} makes {name!r}, which is no host name: use a-z, 0-9 and hyphens, "
                    "at most 63, no hyphen at an end"
                )
        return self

    @property
    def racks(self) -> tuple[str, ...]:
        """The racks that its nodes are in."""
        return (self.rack,) if isinstance(self.rack, str) else self.rack or ()

    @property
    def size(self) -> int:
        """How many nodes the group has."""
        return len(self.names) if self.names is not None else self.count or 0

    def expand(self) -> tuple[str, ...]:
        """The names of this group's nodes, in order."""
        if self.names is not None:
            return self.names
        return tuple(self.name.format(self.start + i) for i in range(self.size))


def _listed(value: object) -> object:
    """The short form of one group: a mapping in place of a list of one."""
    return [value] if isinstance(value, dict) else value


def _bounded(groups: tuple[NodeGroup, ...]) -> tuple[NodeGroup, ...]:
    total = sum(group.size for group in groups)
    if total > MAX_MACHINES:
        raise ValueError(f"{total:,} machines; at most {MAX_MACHINES:,} are supported")
    return groups


#: Groups of nodes: one mapping, or a list of them.
Groups = Annotated[
    tuple[NodeGroup, ...],
    BeforeValidator(_listed, json_schema_input_type=NodeGroup | tuple[NodeGroup, ...]),
    AfterValidator(_bounded),
]
