# SPDX-License-Identifier: Apache-2.0
"""How cluster.yml says who talks to whom: a pattern, a matrix, a recording of MPI, a mix, or a function that judges."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import ConfigDict, Discriminator, Field, Tag
from typing_extensions import TypedDict

ProfileName = Literal["all-to-all", "ring", "torus2d", "torus3d", "hypercube", "bit-reversal", "stencil2d", "stencil3d"]


class MatrixFile(TypedDict):
    """A matrix of traffic between the nodes: a row of numbers per node, separated by commas."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # how pydantic configures a TypedDict

    file: Annotated[str, Field(min_length=1, description="The file, from the folder of cluster.yml")]


class Recording(TypedDict):
    """The messages of an MPI program, as Open MPI's monitoring wrote them: a file NAME.RANK.prof for each rank."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # as above

    trace: Annotated[
        str, Field(min_length=1, description="NAME of the files NAME.RANK.prof, from cluster.yml's folder")
    ]
    ranks: NotRequired[
        Annotated[
            Literal["block", "cyclic"],
            Field(description="Where several ranks ran on a node: the first ones on the first node, or dealt out"),
        ]
    ]


def _simple(value: object) -> str:
    if isinstance(value, dict):
        return "<trace>" if "trace" in value else "<file>"
    return "<name>"


def _form(value: object) -> str:
    if isinstance(value, dict) and "function" in value:
        return "<function>"
    return "<mix>" if isinstance(value, list) else _simple(value)


#: One pattern of traffic.
Traffic = Annotated[
    Annotated[ProfileName, Tag("<name>")] | Annotated[MatrixFile, Tag("<file>")] | Annotated[Recording, Tag("<trace>")],
    Discriminator(_simple),
]


class Part(TypedDict):
    """One part of a weighted mix."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # as above

    profile: Annotated[Traffic, Field(description="Name of a pattern, a matrix file or a recording")]
    weight: Annotated[float, Field(gt=0, allow_inf_nan=False, strict=True, description="Its share against the others")]


class Function(TypedDict):
    """A function of the operator's own that judges designs, found on Python's path."""

    __pydantic_config__ = ConfigDict(extra="forbid")  # type: ignore[misc]  # as above

    function: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$",
            description="module:function, called with the request and a design",
        ),
    ]
    traffic: NotRequired[
        Annotated[Traffic, Field(description="The traffic for the other figures and the routes; default all-to-all")]
    ]


#: Plain data, as it stands in the file; `flathood.design.profiles` makes the matrix of weights from it.
Profile = Annotated[
    Annotated[ProfileName, Tag("<name>")]
    | Annotated[MatrixFile, Tag("<file>")]
    | Annotated[Recording, Tag("<trace>")]
    | Annotated[list[Part], Field(min_length=1), Tag("<mix>")]
    | Annotated[Function, Tag("<function>")],
    Discriminator(_form),
]
