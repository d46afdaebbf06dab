# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of our own that run a part of this collection, from files of their own on the machine."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from .command import run
from .files import Change, Wanted, apply, changes, signature

_UNITS = "/etc/systemd/system"


@dataclass(frozen=True)
class Service:
    """A service: the name and the text of its unit, the folder of its code, and the modules that it imports.

    ``modules`` are plain ones; those in ``packages`` are packages. Each keeps the name that it has in the collection.
    """

    unit: str
    text: str
    folder: str
    modules: tuple[ModuleType, ...]
    packages: tuple[ModuleType, ...]

    def files(self) -> list[Wanted]:
        """What the service needs."""
        files = [Wanted(f"{_UNITS}/{self.unit}", 0o644, self.text.encode())]
        names = [(module, "") for module in self.modules] + [(package, "/__init__") for package in self.packages]
        for module, end in names:
            path = f"{self.folder}/{module.__name__.replace('.', '/')}{end}.py"
            files.append(Wanted(path, 0o644, inspect.getsource(module).encode()))
        return files

    def places(self) -> Iterable[str]:
        """Shell patterns of all files that an earlier version may have left."""
        package = Path(self.folder, *self.packages[0].__name__.split(".")[:-1])
        return f"{_UNITS}/{self.unit}", f"{package}/*.py", f"{package}/*/*.py"


def install(root: Path, service: Service, *, present: bool, check: bool) -> list[Change]:
    """Have the service run with its files, or not be there; what had to change. In check mode nothing is done."""
    needed = changes(root, service.files() if present else [], [*service.places()])
    if check:
        return needed
    if needed and not present:
        run("systemctl", "disable", "--now", service.unit)
    for change in needed:
        apply(root, change)
    if needed:
        run("systemctl", "daemon-reload")
    if needed and present:
        run("systemctl", "enable", service.unit)
        run("systemctl", "restart", service.unit)
    return needed


def diff(change: Change) -> dict[str, str]:
    """One file before and after, for Ansible's --diff; code is told by its digest alone."""

    def text(content: bytes | None, mode: int | None) -> str:
        if content is None or mode is None:
            return ""
        return f"{signature(content, mode)}\n" if change.path.endswith(".py") else content.decode()

    return {
        "before": text(change.before, change.mode_before),
        "after": text(change.after, change.mode_after),
        "before_header": change.path,
        "after_header": change.path,
    }
