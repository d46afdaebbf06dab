# SPDX-License-Identifier: GPL-3.0-or-later
"""Services of our own that run a part of this collection, from files of their own on the machine."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ansible.module_utils.basic import AnsibleModule

from .command import MachineError, run
from .files import Change, Wanted, apply, changes, signature

#: What every module that installs a service can be told.
STATE = {"state": {"type": "str", "choices": ["present", "absent"], "default": "present"}}
_UNITS = "/etc/systemd/system"


@dataclass(frozen=True)
class Service:
    """A service that is a program of this collection, ``flathood-NAME.service``.

    ``does``: what, for who finds the file; ``description``: what systemctl shows; ``after``: the unit to start before;
    ``program``: a module and its arguments; ``last``: the arguments with which the module is run once more when the
    service ends; ``capabilities``: all that it has of root. ``modules``: plain ones that it imports, ``packages``:
    packages; each keeps the name that it has in the collection.
    """

    name: str
    does: str
    description: str
    after: str
    program: str
    capabilities: str
    modules: tuple[ModuleType, ...]
    packages: tuple[ModuleType, ...]
    last: str = ""

    @property
    def unit(self) -> str:
        """What systemd calls it."""
        return f"flathood-{self.name}.service"

    @property
    def folder(self) -> str:
        """Where its code is."""
        return f"/usr/local/lib/flathood/{self.name}"

    @property
    def text(self) -> str:
        """The unit's file: systemd.service(5), systemd.exec(5)."""
        python = "/usr/bin/python3 -m "
        last = f"ExecStopPost=-{python}{self.program.split()[0]} {self.last}\n" if self.last else ""
        return (
            f"# Written by flathood: {self.does}.\n"
            "[Unit]\n"
            f"Description={self.description} (flathood)\n"
            f"After={self.after}\n\n"
            "[Service]\n"
            f"Environment=PYTHONPATH={self.folder} PYTHONDONTWRITEBYTECODE=1\n"
            f"ExecStart={python}{self.program}\n"
            f"{last}"
            "Restart=always\n"
            "RestartSec=5\n"
            f"CapabilityBoundingSet={self.capabilities}\n"
            "NoNewPrivileges=true\n"
            "ProtectHome=true\n"
            "ProtectSystem=strict\n\n"
            "[Install]\n"
            "WantedBy=multi-user.target\n"
        )

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


def answer(module: AnsibleModule, service: Service) -> None:
    """Have the service be there or not, as the module is told, and end the module."""
    present = module.params["state"] == "present"
    try:
        done = install(Path("/"), service, present=present, check=module.check_mode)
    except (OSError, MachineError) as error:
        module.fail_json(msg=f"{service.unit}: {error}")
    module.exit_json(changed=bool(done), files=[change.path for change in done], diff=[*map(diff, done)])


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
