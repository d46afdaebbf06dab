# SPDX-License-Identifier: Apache-2.0
"""Discovery from a log alone: every window of a journal decided again, and the registry that follows from them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flathood.discovery.decide import Finding
from flathood.discovery.journal import read_journal
from flathood.discovery.record import record
from flathood.discovery.session import Session
from flathood.discovery.work import Work
from flathood.registry import Registry


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


def catch_up(session: Session, registry: Registry, names: Iterable[str]) -> Registry:
    """The registry with what a run learned and was killed before it could write."""
    order = tuple(names)
    for node, at in session.unsaved.items():
        registry = record(registry, session.findings[node], order, at)
    return registry
