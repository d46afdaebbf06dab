# SPDX-License-Identifier: Apache-2.0
"""Writing wiring.yml: one line a node, so that a diff shows the cables that move."""

from __future__ import annotations

from pathlib import Path

from flathood.wiring.model import Wiring
from flathood.writing import block, flow, header, save, scalar

SCHEMA_LINE = "# yaml-language-server: $schema=../../schemas/wiring.schema.json\n"


def save_wiring(path: Path, wiring: Wiring) -> bool:
    """Write a wiring atomically, keeping the comment that the file begins with; True when bytes changed."""
    return save(path, (header(path) or SCHEMA_LINE) + render_wiring(wiring))


def render_wiring(wiring: Wiring) -> str:
    """The text of wiring.yml without its leading comment; the same wiring gives the same bytes."""
    lines = [f"cluster: {scalar(wiring.cluster)}", "nodes:" if wiring.nodes else "nodes: {}"]
    lines += [f"  {scalar(node)}: {flow(list(switches))}" for node, switches in wiring.nodes.items()]
    lines += ["ports:"] if wiring.ports else []
    lines += [f"  {scalar(node)}: {flow(list(ports))}" for node, ports in wiring.ports.items()]
    text = "\n".join(lines) + "\n"
    if wiring.idle:
        text += block({"idle": [cable.model_dump(exclude_none=True) for cable in wiring.idle]})
    if wiring.design:
        text += block({"design": wiring.design})
    return text
