# SPDX-License-Identifier: Apache-2.0
"""Discovery from a log alone: every window of a journal decided again, and the registry that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from flathood.discovery.decide import Finding
from flathood.discovery.journal import read_journal
from flathood.discovery.record import record
from flathood.discovery.session import Session
from flathood.discovery.work import Work
from flathood.inventory import CLUSTER, MACS, WIRING, load
from flathood.registry import Registry, load_registry
from flathood.spec import Cluster, load_cluster
from flathood.text import is_missing
from flathood.wiring import Wiring


@dataclass
class Replayed:
    """What a journal comes to: the session at its end, each window's finding in order, the registry after all."""

    session: Session
    findings: list[Finding]
    registry: Registry


def replay(lines: Iterable[str | bytes], work: Work, registry: Registry, names: Iterable[str]) -> Replayed:
    """Decide a journal; `names`: all machines in the order that macs.yml lists them."""
    order = tuple(names)
    session, findings = Session(work), []
    for entry in read_journal(lines):
        finding = session.feed(entry)
        if finding is not None:
            findings.append(finding)
            registry = record(registry, finding, order, session.last_at)
    return Replayed(session, findings, registry)


@dataclass(frozen=True)
class Folder:
    """A cluster's folder as discovery needs it: the wiring may not be there yet, macs.yml even less."""

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
