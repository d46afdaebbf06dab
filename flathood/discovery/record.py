# SPDX-License-Identifier: Apache-2.0
"""Writing a finding into the registry: what it proves, and nothing else. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from flathood.discovery.decide import Finding
from flathood.registry.model import Nic, Registry, State


def record(registry: Registry, finding: Finding, order: Sequence[str], at: float) -> Registry:
    """The registry with a finding of the moment ``at`` (seconds since 1970) in it; ``order``: names as they are listed.

    A slot keeps a state that is better than the finding's; a MAC that is disputed stays where it is, as conflicting.
    """
    moment = datetime.fromtimestamp(int(at), UTC)
    nodes = {name: list(nics) for name, nics in registry.nodes.items()}
    mine = nodes.setdefault(finding.node, [])
    moved = {placed.mac: placed for placed in finding.placed}
    before = {nic.mac: nic for nic in mine if nic is not None}
    for slot, nic in enumerate(mine):
        if nic is not None and (nic.mac in moved or nic.mac in finding.replaced):
            mine[slot] = None
    for mac, placed in moved.items():
        mine.extend([None] * (placed.slot + 1 - len(mine)))
        mine[placed.slot] = Nic(mac=mac, state=_state(before.get(mac), placed.verified), seen=moment)
    for nics in nodes.values():
        for slot, nic in enumerate(nics):
            if nic is not None and nic.mac in finding.disputed and nic.state is not State.CONFLICTING:
                nics[slot] = nic.model_copy(update={"state": State.CONFLICTING})
    ordered = [name for name in order if nodes.get(name)]
    return Registry(cluster=registry.cluster, nodes={name: tuple(nodes[name]) for name in ordered})


def _state(before: Nic | None, verified: bool) -> State:
    return State.VERIFIED if verified or (before is not None and before.state is State.VERIFIED) else State.SEEN
