# SPDX-License-Identifier: GPL-3.0-or-later
"""Labels, sheets and lists as a task, on the controller: no connection to any machine is made."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from ansible.errors import AnsibleActionFail
from ansible_collections.flathood.cluster.plugins.plugin_utils.action import Action

from flathood.inventory import load
from flathood.labels import FORMATS, OFFICE, Options, differing, paper_of, products, save, usual_folder


class ActionModule(Action):
    """Makes the files of a cluster's labels what its cluster.yml and wiring.yml say."""

    ARGUMENTS: ClassVar[dict[str, Any]] = {
        "src": {"type": "path", "required": True},
        "directory": {"type": "path"},
        "formats": {"type": "list", "elements": "str", "choices": list(FORMATS), "default": list(FORMATS)},
        "paper": {"type": "str", "default": "a4"},
        "office": {"type": "str", "choices": list(OFFICE)},
        "report": {"type": "str"},
        "only": {"type": "list", "elements": "str", "default": []},
        "skip": {"type": "int", "default": 0},
        "outline": {"type": "bool", "default": False},
        "mono": {"type": "bool", "default": False},
    }

    def act(self, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
        """Make the files, and write those that differ unless this is check mode."""
        if given["skip"] < 0:
            raise AnsibleActionFail(f"skip: {given['skip']} is too small: at least 0")
        source = Path(given["src"])
        options = Options(
            formats=tuple(given["formats"]),
            paper=paper_of(given["paper"]),
            office=given["office"],
            report=given["report"],
            only=tuple(given["only"]),
            skip=given["skip"],
            outline=given["outline"],
            mono=given["mono"],
        )
        loaded = load(source if source.is_dir() else source.parent, need_macs=False)
        made = products(loaded.cluster, loaded.wiring, options)
        folder = Path(given["directory"]) if given["directory"] else usual_folder(loaded.cluster)
        before = _texts(folder, made.files)
        changed = differing(folder, made, options) if self._task.check_mode else save(folder, made, options)
        result = {
            "changed": bool(changed),
            "msg": f"{made.labels} labels in {len(made.files)} files, {len(changed)} of them changed",
            "directory": str(folder),
            "files": sorted(made.files),
            "changed_files": sorted(changed),
        }
        if made.without_code:
            result["warnings"] = [f"No room for a QR code on {len(made.without_code)} labels of {given['paper']}."]
        if self._task.diff:
            result["diff"] = [
                {
                    "before_header": f"{folder / name} (before)",
                    "after_header": f"{folder / name} (after)",
                    "before": text,
                    "after": made.files[name].decode(),
                }
                for name, text in before.items()
                if name in changed
            ]
        return result


def _texts(folder: Path, files: dict[str, bytes]) -> dict[str, str]:
    """What is in those of the files that people read as text; nothing where there is no such file yet."""
    names = (name for name in files if name.endswith(".txt"))
    return {name: (folder / name).read_text("utf-8") if (folder / name).is_file() else "" for name in names}
