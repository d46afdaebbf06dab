# SPDX-License-Identifier: Apache-2.0
"""A cluster's folder as discovery needs it: the wiring may not be there yet, macs.yml even less."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from flathood.discovery.work import Work
from flathood.inventory import CLUSTER, MACS, WIRING, load
from flathood.registry import Registry, load_registry
from flathood.spec import Cluster, load_cluster
from flathood.text import is_missing
from flathood.wiring import Wiring


@dataclass(frozen=True)
class Folder:
    """The files that are there, loaded."""

    path: Path
    cluster: Cluster
    wiring: Wiring | None
    registry: Registry

    @classmethod
    def load(cls, path: Path) -> Folder:
        """Raises InvalidInput with every problem of the files that are there."""
        if is_missing(path / WIRING):
            cluster = load_cluster(path / CLUSTER)
            return cls(path, cluster, None, load_registry(path / MACS, cluster))
        loaded = load(path, need_macs=False)
        return cls(path, loaded.cluster, loaded.wiring, loaded.registry)

    @property
    def work(self) -> Work:
        """A new account of what there is to do; sessions change it."""
        return Work.of(self.cluster, self.wiring, self.registry)

    @property
    def names(self) -> tuple[str, ...]:
        """All machines in the order of macs.yml: nodes, spares, the head."""
        return (*self.cluster.node_names, *self.cluster.spare_names, self.cluster.head.name)
