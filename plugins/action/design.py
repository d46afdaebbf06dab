# SPDX-License-Identifier: GPL-3.0-or-later
"""The designer as a task, on the controller: no connection to any machine is made."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import Any, ClassVar

from ansible.errors import AnsibleActionFail
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.design.engine import Budget
from flathood.design.engines import AUTO, ENGINES
from flathood.design.folder import Options, design_folder
from flathood.inventory import CLUSTER, WIRING
from flathood.writing import locked


class ActionModule(Action):
    """Makes a cluster's wiring.yml what the designer says it should be."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "src": {"type": "path", "required": True},
        "profile": {"type": "raw"},
        "mode": {"type": "str", "choices": ["universal", "fractional", "sparse"]},
        "keep": {"type": "dict"},
        "without": {"type": "list", "elements": "str"},
        "engine": {"type": "str", "choices": [AUTO, *ENGINES], "default": AUTO},
        "seed": {"type": "int", "default": 0},
        "jobs": {"type": "int", "default": 1},
        "rounds": {"type": "int"},
        "seconds": {"type": "float"},
        "force": {"type": "bool", "default": False},
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Design, and write the wiring unless it stays or this is check mode."""
        folder = _folder(Path(given["src"]))
        target = folder / WIRING
        write = not self._task.check_mode
        options = _options(given)
        with locked(target) if write else nullcontext():
            outcome = design_folder(folder, options)
            if write:
                outcome.save()
        result = {
            "changed": outcome.changed,
            "msg": outcome.verdict(),
            "path": str(target),
            "cables": {"plug": outcome.cables[0], "unplug": outcome.cables[1]},
            "engines": [asdict(turn) for turn in outcome.found.turns] if outcome.found else [],
            "evaluation": outcome.evaluation.report(),
        }
        if outcome.unfit:
            result["warnings"] = [f"The {WIRING} that was there did not fit {CLUSTER}:\n{outcome.unfit}"]
        if self._task.diff:
            names = {"before_header": f"{target} (before)", "after_header": f"{target} (after)"}
            result["diff"] = {"before": outcome.before, "after": outcome.after, **names}
        return result


def _options(wanted: dict[str, Any]) -> Options:
    keep = wanted["keep"]
    for node, switches in (keep or {}).items():
        if not isinstance(switches, list):
            raise AnsibleActionFail(f"keep: {node}: expected a list of switches, found {switches!r}")
    return Options(
        profile=wanted["profile"],
        mode=wanted["mode"],
        keep=keep,
        without=wanted["without"],
        budget=Budget(wanted["seed"], wanted["seconds"], wanted["rounds"], wanted["jobs"]),
        engine=wanted["engine"],
        force=wanted["force"],
    )


def _folder(source: Path) -> Path:
    """The cluster's folder, which may be given by its cluster.yml as inventories may."""
    folder = source.parent if source.name == CLUSTER else source
    if not folder.is_dir():
        raise AnsibleActionFail(f"src: {source} is no folder of a cluster: it has a {CLUSTER}")
    return folder
