# SPDX-License-Identifier: Apache-2.0
"""How cluster.yml says who talks to whom: the name of a pattern, a matrix from a file, or a weighted mix of those."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag
from typing_extensions import TypedDict

ProfileName = Literal["all-to-all", "ring", "torus2d", "torus3d", "hypercube"]


class MatrixFile(TypedDict):
    """A matrix of traffic between the nodes: a row of numbers per node, separated by commas."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # how pydantic configures a TypedDict

    file: Annotated[str, Field(min_length=1, description="The file, from the folder of cluster.yml")]


def _form(value: object) -> str:
    if isinstance(value, dict):
        return "<file>"
    return "<mix>" if isinstance(value, list) else "<name>"


_Simple = Annotated[
    Annotated[ProfileName, Tag("<name>")] | Annotated[MatrixFile, Tag("<file>")],
    Discriminator(lambda value: "<file>" if isinstance(value, dict) else "<name>"),
]


class Part(TypedDict):
    """One part of a weighted mix."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]

    profile: Annotated[_Simple, Field(description="Name of a pattern, or a matrix file")]
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True, description="Its share against the others")]


#: Plain data, as it stands in the file; `flathood.design.profiles` makes the matrix of weights from it.
Profile = Annotated[
    Annotated[ProfileName, Tag("<name>")]
    | Annotated[MatrixFile, Tag("<file>")]
    | Annotated[list[Part], Field(min_length=1), Tag("<mix>")],
    Discriminator(_form),
]
