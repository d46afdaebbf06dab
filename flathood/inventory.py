# SPDX-License-Identifier: Apache-2.0
"""A cluster's folder: cluster.yml, wiring.yml and macs.yml loaded together, with the problems of all three at once."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from flathood.document import Document, read
from flathood.errors import InvalidInput, Problem
from flathood.registry import Registry
from flathood.registry.load import fit_registry
from flathood.spec import Cluster
from flathood.spec.known import Known
from flathood.spec.load import fit_cluster
from flathood.structure import Fitted
from flathood.text import is_missing
from flathood.wiring import Wiring
from flathood.wiring.load import fit_wiring

Model = TypeVar("Model", bound=BaseModel)
CLUSTER, WIRING, MACS = "cluster.yml", "wiring.yml", "macs.yml"


@dataclass(frozen=True)
class Inventory:
    """The three files of one cluster; ``digest`` is the SHA-256 over their names, sizes and bytes."""

    directory: Path
    cluster: Cluster
    wiring: Wiring
    registry: Registry
    digest: str


def load(directory: Path, need_macs: bool) -> Inventory:
    """Load a cluster's folder; a macs.yml that is missing is a problem only where MACs are needed.

    Raises InvalidInput with every problem of the three files: a fault in one does not hide those of the others.
    """
    directory = Path(directory)
    problems: list[Problem] = []
    cluster = _part(directory / CLUSTER, fit_cluster, problems, "describe the cluster in it: a name, nodes, switches")
    known = Known.of_fitted(cluster) if cluster is not None else Known()

    def wiring_of(document: Document) -> Fitted[Wiring]:
        return fit_wiring(document, known)

    def registry_of(document: Document) -> Fitted[Registry]:
        return fit_registry(document, known)

    wiring = _part(directory / WIRING, wiring_of, problems, f"design it with `flathood design {directory}`")
    macs = None
    if need_macs or not is_missing(directory / MACS):
        hint = f"make it with `flathood macs import FILE --into {directory}`"
        macs = _part(directory / MACS, registry_of, problems, hint)
    if problems or cluster is None or wiring is None:
        raise InvalidInput(problems)
    registry = macs.model if macs is not None else Registry(cluster=cluster.model.cluster)
    digest = hashlib.sha256()
    for document in (cluster.document, wiring.document, *([macs.document] if macs is not None else [])):
        digest.update(f"{Path(document.file).name} {len(document.raw)}\n".encode() + document.raw)
    return Inventory(directory, cluster.model, wiring.model, registry, digest.hexdigest())


def _part(
    path: Path, fit: Callable[[Document], Fitted[Model]], problems: list[Problem], hint: str
) -> Fitted[Model] | None:
    """One file, its problems added to the list; None when nothing of it can be used."""
    if is_missing(path):
        problems.append(Problem(str(path), 0, "", f"is missing: {hint}"))
        return None
    try:
        fitted = fit(read(path))
    except InvalidInput as error:
        problems += error.problems
        return None
    problems += fitted.problems
    return fitted
