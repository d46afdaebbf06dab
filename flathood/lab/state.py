# SPDX-License-Identifier: Apache-2.0
"""The lab's own truth while it is up: what is in the racks, what is really plugged where, what is broken."""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from flathood.lab import paths
from flathood.lab.errors import LabError
from flathood.lab.faults import Fault
from flathood.lab.hardware import Hardware


class Phase(StrEnum):
    """Whether `up` has come to its end."""

    STARTING = "starting"
    UP = "up"


class State(BaseModel):
    """What is kept in state.json. `planned` is the hardware as `up` built it; `cables` is what is plugged in now."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    directory: Path
    nonce: str
    phase: Phase
    root: Path
    node_device: str
    planned: Hardware
    cables: dict[str, str]
    off: frozenset[str] = frozenset()
    dark: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()

    def but(self, **changes: object) -> Self:
        """The same state with some fields replaced (checked, unlike `model_copy`)."""
        return self.model_validate({**dict(self), **changes})


def load(lab: str) -> State | None:
    """The state of a lab, None if there is none; LabError if the file cannot be read as one."""
    file = paths.state_file(lab)
    try:
        return State.model_validate_json(file.read_bytes())
    except FileNotFoundError:
        return None
    except (ValidationError, OSError) as error:
        raise LabError(f"{file}: not a state of a lab (`flathood lab down {lab}` clears it away): {error}") from None


def save(state: State) -> None:
    """Write the state; a reader sees the old one or the new one, never a part."""
    file = paths.state_file(state.planned.lab)
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(".new")
    fresh.write_text(state.model_dump_json(indent=1))
    os.replace(fresh, file)  # noqa: PTH105 - Path.replace is the same call, this one says that it is atomic


def labs() -> list[str]:
    """Names of all labs that have a state, up or half up."""
    return sorted(file.parent.name for file in paths.LABS.glob("*/state.json"))
