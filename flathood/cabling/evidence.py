# SPDX-License-Identifier: Apache-2.0
"""Evidence of the cabling: what machines, switches and people say of what is plugged where. One JSON file, versioned.

A file holds one kind of evidence or several. Nothing in it is a conclusion: who dropped its carrier when, which probe
was heard by whom, which MAC a switch has learnt. `fuse` draws the conclusions.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, Strict

from flathood.document import Document, kind
from flathood.errors import InvalidInput, Problem
from flathood.registry.model import Mac, Moment
from flathood.schemas import DIALECT
from flathood.spec.fields import HostName, Strictly, Whole
from flathood.structure import fit
from flathood.text import decode, read_bytes
from flathood.wiring.model import Wiring
from flathood.wiring.save import render_wiring
from flathood.writing import save

VERSION = 1

#: A name that a kernel or a switch gave: foreign text, printed and never interpreted.
Foreign = Annotated[str, Strict(), Field(min_length=1, max_length=128)]
Sentence = Annotated[str, Strict(), Field(min_length=1, max_length=512)]
Flag = Annotated[bool, Strict()]
Seconds = Annotated[float, Field(allow_inf_nan=False, ge=-1e12, le=1e12)]


def _version(value: object) -> object:
    if value != VERSION:
        raise ValueError(f"version {value!r} is not known here: this flathood reads version {VERSION}")
    return value


class NicWord(Strictly):
    """One NIC as its machine's kernel shows it."""

    device: Foreign = Field(description="Its name in the kernel", examples=["fnn0"])
    mac: Mac = Field(description="The MAC address that it has now")
    path: Foreign | None = Field(default=None, description="Where it sits, such as 0000:03:00.0 on PCI")
    carrier: Flag | None = Field(default=None, description="Whether it had a carrier in the end; null: not known")


class MachineWord(Strictly):
    """What one machine says of itself."""

    nics: tuple[NicWord, ...] = Field(
        description="Its NICs in the order of its kernel (bus, port, number), without virtual devices"
    )
    relayed: Flag = Field(default=False, description="Whether neighbors passed it on: the machine was not reached")
    clock: Seconds = Field(default=0.0, description="Seconds that its clock is ahead of the collector's")
    doubt: Annotated[Seconds, Field(ge=0)] = Field(default=0.0, description="Seconds by which `clock` may be wrong")


class Flip(Strictly):
    """One switch without power for a while; seconds since 1970 by the collector's clock."""

    switch: HostName = Field(description="The switch, as cluster.yml calls it and as its label says")
    off: Seconds = Field(description="When the power went, not later")
    on: Seconds = Field(description="When the power was back, not earlier")


class Change(Strictly):
    """A carrier that came or went; seconds since 1970 by the machine's own clock."""

    machine: HostName
    device: Foreign
    at: Seconds
    up: Flag


class Carriers(Strictly):
    """Switches switched off and on one after the other, and what the machines recorded of it."""

    flips: tuple[Flip, ...]
    changes: tuple[Change, ...]


class Frames(Strictly):
    """Who heard whose probes. A NIC is written MACHINE/DEVICE; lists are numbered so that equal ones are here once."""

    uplink: Flag = Field(description="Whether the uplink switch had power")
    heard: tuple[tuple[Foreign, ...], ...] = Field(description="Sets of NICs, each as one NIC heard them")
    by: dict[str, Annotated[Whole, Field(ge=0)]] = Field(description="For each NIC that listened, which set it heard")


class Learnt(Strictly):
    """One entry of a switch's MAC table."""

    mac: Mac
    port: Foreign


class Tables(Strictly):
    """MAC tables of switches that can be asked."""

    switches: dict[HostName, tuple[Learnt, ...]] = Field(description="What each switch has learnt, and on which port")
    uplinks: dict[HostName, tuple[Foreign, ...]] = Field(
        default_factory=dict, description="Ports of each switch that lead to other switches on purpose"
    )


class Neighbor(Strictly):
    """What a machine's lldpd says that a NIC's cable ends in."""

    machine: HostName
    device: Foreign
    switch: HostName
    port: Foreign | None = None


class Reading(Strictly):
    """What a person read at a machine: the colour of the cable in a slot, or where it goes."""

    node: HostName
    slot: Annotated[Whole, Field(ge=0, le=255)]
    switch: Foreign | None = Field(description="A switch's name or colour (#rrggbb); null: no cable in this slot")


class Period(Strictly):
    """From when to when evidence was gathered, with the offset from UTC."""

    begin: Moment
    end: Moment


class Evidence(Strictly):
    """A whole evidence file."""

    flathood_evidence: Annotated[Literal[1], BeforeValidator(_version)] = Field(description="Version of this format")
    cluster: HostName = Field(description="Name of the cluster, as in cluster.yml")
    taken: Period = Field(description="When it was gathered, by the collector's clock")
    wiring: str | None = Field(default=None, description="Digest of the wiring that was planned then")
    machines: dict[HostName, MachineWord] = Field(default_factory=dict, description="What each machine says of itself")
    silent: tuple[HostName, ...] = Field(default=(), description="Machines that could not be asked")
    notes: tuple[Sentence, ...] = Field(default=(), description="What could not be gathered, and why")
    carriers: Carriers | None = None
    frames: tuple[Frames, ...] = ()
    tables: Tables | None = None
    lldp: tuple[Neighbor, ...] = ()
    people: tuple[Reading, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of evidence that are in it."""
        held = {
            "carriers": self.carriers is not None,
            "frames": bool(self.frames),
            "tables": self.tables is not None,
            "lldp": bool(self.lldp),
            "people": bool(self.people),
        }
        return tuple(name for name, there in held.items() if there)


def wiring_digest(wiring: Wiring) -> str:
    """What tells one cabling plan from another: SHA-256 of its cluster and its slots, not of how it was designed."""
    return hashlib.sha256(render_wiring(wiring.model_copy(update={"design": {}})).encode()).hexdigest()


def load_evidence(path: Path) -> Evidence:
    """Read one file; raises InvalidInput with every problem: cut short, no JSON, another version, wrong values."""
    file = str(path)
    raw = read_bytes(Path(path))
    try:
        data = json.loads(decode(file, raw), object_pairs_hook=_no_twice, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        where = "cut short?" if error.pos >= len(raw) - 1 else "was it edited by hand?"
        raise InvalidInput([Problem(file, error.lineno, "", f"is no valid JSON ({error.msg}): {where}")]) from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput([Problem(file, 0, "", f"is no valid JSON: {error}")]) from error
    if not isinstance(data, dict):
        raise InvalidInput([Problem(file, 0, "", f"holds {kind(data)}, expected an evidence file's mapping")])
    fitted = fit(Evidence, Document(file, raw, data, {}))
    if fitted.problems:
        raise InvalidInput(fitted.problems)
    for message in _loose_ends(fitted.model):
        fitted.say((), message)
    return fitted.finish()


def save_evidence(path: Path, evidence: Evidence) -> bool:
    """Write a file, whole or not at all; True when bytes changed."""
    return save(Path(path), json.dumps(evidence.model_dump(mode="json", exclude_defaults=True), indent=1) + "\n")


def evidence_schema() -> str:
    """The JSON schema of an evidence file as the bytes of schemas/evidence.schema.json."""
    schema = {"$schema": DIALECT, **Evidence.model_json_schema(), "title": "Evidence of a cabling, for flathood audit"}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def device_id(machine: str, device: str) -> str:
    """How a NIC is written where only its machine's kernel has named it.

    >>> device_id("k17", "fnn2")
    'k17/fnn2'
    """
    return f"{machine}/{device}"


def _loose_ends(evidence: Evidence) -> Iterable[str]:
    """References that lead nowhere, and times that run backwards."""
    if evidence.taken.end < evidence.taken.begin:
        yield "taken: ends before it begins: was the collector's clock set meanwhile?"
    devices = {device_id(name, nic.device) for name, word in evidence.machines.items() for nic in word.nics}
    for number, frames in enumerate(evidence.frames):
        lost = sum(index >= len(frames.heard) for index in frames.by.values())
        if lost:
            yield f"frames.{number}: {lost} NICs refer to a set of heard NICs that is not in the file: cut short?"
        strange = sorted({*frames.by, *(nic for heard in frames.heard for nic in heard)} - devices)
        if strange:
            yield f"frames.{number}: {strange[0]!r} is no NIC of any machine in the file"
    if evidence.carriers:
        yield from (
            f"carriers: switch {flip.switch!r} is on again before it went off"
            for flip in evidence.carriers.flips
            if flip.on < flip.off
        )
        for change in evidence.carriers.changes:
            if device_id(change.machine, change.device) not in devices:
                yield f"carriers: {change.machine}/{change.device} is no NIC of any machine in the file"
                break


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is in one mapping twice")
    return found


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no number of JSON")
