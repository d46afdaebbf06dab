# SPDX-License-Identifier: GPL-3.0-or-later
"""What goes from the controller to a machine, and how the controller tells that nothing has to go."""

from __future__ import annotations

import base64
import json
import zlib
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ansible_collections.flathood.cluster.plugins.module_utils.machine.files import signature
from ansible_collections.flathood.cluster.plugins.module_utils.machine.live import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from flathood.plan import RoleFiles

#: What a machine says of itself: see module_utils/machine/role.py, state().
State = dict[str, dict[str, Any]]


def look_at(views: Iterable[RoleFiles]) -> dict[str, list[str]]:
    """Role → globs of the files that tell its state."""
    return {view.role: sorted({*view.owns, *(file.path for file in view.files)}) for view in views}


def stale_files(view: RoleFiles, state: State) -> set[str]:
    """Paths of the role's files that a machine in this state lacks, has differently, or has left over."""
    shown = state["files"].get(view.role, {})
    wanted = {file.path: signature(file.content.encode(), file.mode) for file in view.files}
    left_over = {path for path in shown if path not in wanted and any(fnmatchcase(path, glob) for glob in view.owns)}
    return {path for path, mark in wanted.items() if shown.get(path) != mark} | left_over


def drifted(view: RoleFiles, state: State) -> set[str]:
    """Facets of the role that a machine in this state shows differently from the plan."""
    shown = {**state["live"], "sysctl": state["sysctl"].get(view.role)}
    return {facet for facet, lines in view.live.items() if shown.get(facet) != digest(lines)}


def pack(views: Sequence[RoleFiles], stale: set[str], look: dict[str, list[str]]) -> str:
    """Roles for one machine, compressed: the bytes of stale files only, everything else by name.

    What several roles have to do is done once: their verbs in the order of the roles, their live state together.
    """
    files = [file for view in views for file in view.files]
    live: dict[str, set[str]] = {}
    for view in views:
        for facet, lines in view.live.items():
            live.setdefault(facet, set()).update(lines)
    sent = {
        "names": [view.role for view in views],
        "files": [(file.path, file.mode, file.content if file.path in stale else None) for file in files],
        "owns": [glob for view in views for glob in view.owns],
        "apply": list(dict.fromkeys(verb for view in views for verb in view.apply)),
        "live": {facet: sorted(lines) for facet, lines in live.items()},
        "look": look,
    }
    return base64.b64encode(zlib.compress(json.dumps(sent).encode(), 9)).decode()
