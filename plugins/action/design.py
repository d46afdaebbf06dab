# SPDX-License-Identifier: GPL-3.0-or-later
"""The designer as a task, on the controller: no connection to any machine is made."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase
from ansible_collections.flathood.cluster.plugins.plugin_utils.library import find_library

find_library()

from flathood.design.designer import Limits
from flathood.design.folder import Options, design_folder
from flathood.errors import FlathoodError
from flathood.inventory import CLUSTER, WIRING
from flathood.writing import locked

ARGUMENTS = {
    "src": {"type": "path", "required": True},
    "profile": {"type": "raw"},
    "seed": {"type": "int", "default": 0},
    "rounds": {"type": "int", "default": Limits.rounds},
    "seconds": {"type": "float"},
    "force": {"type": "bool", "default": False},
}


class ActionModule(ActionBase):
    """Makes a cluster's wiring.yml what the designer says it should be."""

    TRANSFERS_FILES = False
    _supports_check_mode = True

    def run(self, tmp: None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Design, and write the wiring unless it stays or this is check mode."""
        result = super().run(tmp, task_vars)
        _, wanted = self.validate_argument_spec(ARGUMENTS)
        folder = _folder(Path(wanted["src"]))
        target = folder / WIRING
        write = not self._task.check_mode
        try:
            limits = Limits(wanted["seed"], wanted["rounds"], wanted["seconds"])
            with locked(target) if write else nullcontext():
                outcome = design_folder(folder, Options(wanted["profile"], limits, wanted["force"]))
                if write:
                    outcome.save()
        except FlathoodError as error:
            raise AnsibleActionFail(str(error)) from error
        result |= {
            "changed": outcome.changed,
            "msg": outcome.verdict(),
            "path": str(target),
            "cables": {"plug": outcome.cables[0], "unplug": outcome.cables[1]},
            "evaluation": outcome.evaluation.report(),
        }
        if outcome.unfit:
            result["warnings"] = [f"The {WIRING} that was there did not fit {CLUSTER}:\n{outcome.unfit}"]
        if self._task.diff:
            names = {"before_header": f"{target} (before)", "after_header": f"{target} (after)"}
            result["diff"] = {"before": outcome.before, "after": outcome.after, **names}
        return result


def _folder(source: Path) -> Path:
    """The cluster's folder, which may be given by its cluster.yml as inventories may."""
    folder = source.parent if source.name == CLUSTER else source
    if not folder.is_dir():
        raise AnsibleActionFail(f"src: {source} is no folder of a cluster: it has a {CLUSTER}")
    return folder
