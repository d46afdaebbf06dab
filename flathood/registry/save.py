# SPDX-License-Identifier: Apache-2.0
"""Writing macs.yml: one line a NIC, so that a diff shows the NICs that changed."""

from __future__ import annotations

from pathlib import Path

from flathood.registry.model import Nic, Registry
from flathood.writing import header, save, scalar

SCHEMA_LINE = "# yaml-language-server: $schema=../../schemas/macs.schema.json\n"


def save_registry(path: Path, registry: Registry) -> bool:
    """Write a registry atomically, keeping the comment that the file begins with; True when bytes changed.

    Whoever reads, changes and writes holds `flathood.writing.locked(path)` all the while.
    """
    return save(path, registry_text(path, registry))


def registry_text(path: Path, registry: Registry) -> str:
    """What `save_registry` would write: the comment that the file begins with now, then the registry."""
    return (header(path) or SCHEMA_LINE) + render_registry(registry)


def render_registry(registry: Registry) -> str:
    """The text of macs.yml without its leading comment; the same registry gives the same bytes."""
    lines = [f"cluster: {scalar(registry.cluster)}", "nodes:" if registry.nodes else "nodes: {}"]
    for node, nics in registry.nodes.items():
        lines.append(f"  {scalar(node)}:" if nics else f"  {scalar(node)}: []")
        lines += [f"    - {_nic(nic)}" for nic in nics]
    return "\n".join(lines) + "\n"


def _nic(nic: Nic | None) -> str:
    if nic is None:
        return "null"
    seen = f', seen: "{nic.seen.isoformat()}"' if nic.seen is not None else ""
    return f'{{mac: "{nic.mac}", state: {nic.state.value}{seen}}}'
