# SPDX-License-Identifier: Apache-2.0
"""The steps of a discovery that change macs.yml, before the first machine and after each; the verdict at the end."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

from flathood.discovery.folder import Folder
from flathood.discovery.record import record
from flathood.discovery.replay import catch_up
from flathood.discovery.session import Session
from flathood.errors import Conflict, FlathoodError
from flathood.inventory import MACS
from flathood.registry import Nic, Registry, State, load_registry, normal_mac, save_registry
from flathood.registry.progress import Progress, progress_of
from flathood.writing import locked

#: Seconds that another command which changes macs.yml is waited for.
_PATIENCE = 10.0


@dataclass(frozen=True)
class Survey:
    """The machines to power, in order, and a sentence; ``changed``: macs.yml was written."""

    todo: list[str]
    changed: bool
    text: str


@dataclass(frozen=True)
class Turn:
    """What one machine's turn came to."""

    outcome: str
    sentences: list[str]
    changed: bool
    text: str


@dataclass(frozen=True)
class Verdict:
    """Whether every machine that was asked for is completely known; each one's state."""

    good: bool
    states: dict[str, str]
    text: str


def survey(folder: Folder, session: Session, only: Sequence[str], head_mac: str | None, *, write: bool) -> Survey:
    """Write what a killed run had learned, and the head's own NIC; then say what is left to do."""
    target = folder.path / MACS
    head = folder.cluster.head.name
    with _alone(folder) if write else nullcontext():
        registry = catch_up(session, load_registry(target, folder.cluster), folder.names)
        if head_mac is not None and [nic.mac for nic in registry.nodes.get(head, ()) if nic] != [normal_mac(head_mac)]:
            nic = Nic(mac=head_mac, state=State.VERIFIED, seen=datetime.fromtimestamp(int(time.time()), UTC))
            registry = _with(registry, folder, head, (nic,))
        changed = save_registry(target, registry) if write else False
    todo = list(folder.work.to_do(registry, only))
    broken_off = session.window.node if session.window is not None and session.window.node in todo else ""
    text = f"{len(todo)} of {len(folder.work.order)} machines are left to power"
    return Survey(todo, changed, f"{text}; {broken_off} was broken off and goes on" if broken_off else text)


def close_turn(folder: Folder, session: Session, node: str) -> Turn:
    """Write what a machine's turn proved into macs.yml, at once."""
    finding = session.findings.get(node)
    if finding is None:
        raise FlathoodError(f"{node}: the journal has no turn of it: was it moved away meanwhile? Power it again")
    target = folder.path / MACS
    with _alone(folder):
        registry = load_registry(target, folder.cluster)
        registry = record(registry, finding, folder.names, session.unsaved.get(node, session.last_at))
        changed = save_registry(target, registry)
    text = f"{node}: {finding.outcome}"
    return Turn(finding.outcome.value, list(finding.sentences), changed, text)


def judge(folder: Folder, session: Session, nodes: Sequence[str]) -> Verdict:
    """Hold the machines against what discovery should have found."""
    cabled = folder.work.cabled
    states = {name: progress_of(folder.registry.nodes.get(name, ()), cabled[name]) for name in nodes}
    said = [line for name in nodes if name in session.findings for line in session.findings[name].sentences]
    bad = [name for name, state in states.items() if state not in (Progress.COMPLETE, Progress.VERIFIED)]
    good = len(states) - len(bad)
    text = "\n".join([f"{good} of {len(states)} machines are completely known", *said])
    return Verdict(not bad and not said, {name: state.value for name, state in states.items()}, text)


def _with(registry: Registry, folder: Folder, name: str, nics: tuple[Nic | None, ...]) -> Registry:
    nodes = dict(registry.nodes) | {name: nics}
    ordered = {each: nodes[each] for each in folder.names if each in nodes}
    return Registry(cluster=registry.cluster, nodes=ordered)


@contextmanager
def _alone(folder: Folder) -> Iterator[None]:
    """Hold the right to change macs.yml; another command may have it for a moment."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        lock = locked(folder.path / MACS)
        try:
            lock.__enter__()
            break
        except Conflict:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    try:
        yield
    finally:
        lock.__exit__(None, None, None)
