# SPDX-License-Identifier: Apache-2.0
"""A cluster's folder: cluster.yml, wiring.yml and macs.yml loaded together, with the problems of all three at once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from flathood.errors import InvalidInput, Problem
from flathood.registry import Registry, load_registry
from flathood.spec import Cluster, load_cluster
from flathood.wiring import Wiring, load_wiring

FILES = ("cluster.yml", "wiring.yml", "macs.yml")


@dataclass(frozen=True)
class Inventory:
    """The three files of one cluster; ``digest`` is the SHA-256 over their bytes, in the order of FILES."""

    directory: Path
    cluster: Cluster
    wiring: Wiring
    registry: Registry
    digest: str


def load(directory: Path, need_macs: bool) -> Inventory:
    """Load a cluster's folder; ``need_macs``: a missing macs.yml is a problem too. Raises InvalidInput."""
    directory = Path(directory)
    spec, to_be, macs = (directory / name for name in FILES)
    cluster = load_cluster(spec)
    problems: list[Problem] = []
    wiring = registry = None
    try:
        wiring = load_wiring(to_be, cluster)
    except InvalidInput as error:
        problems += error.problems
    try:
        registry = load_registry(macs, cluster)
    except InvalidInput as error:
        problems += error.problems
    if need_macs and not macs.exists():
        message = "is missing: make it with `flathood macs import FILE --into " + f"{directory}`"
        problems.append(Problem(str(macs), 0, "", message))
    if problems or wiring is None or registry is None:
        raise InvalidInput(problems)
    digest = hashlib.sha256()
    for path in (spec, to_be, macs):
        data = path.read_bytes() if path.exists() else b""
        digest.update(f"{path.name} {len(data)}\n".encode() + data)
    return Inventory(directory, cluster, wiring, registry, digest.hexdigest())
