# SPDX-License-Identifier: GPL-3.0-or-later
"""Installs the recorder that is always there: a service that runs this same code, from files of its own."""

from __future__ import annotations

import inspect
from pathlib import Path

from ansible_collections.flathood.cluster.plugins.module_utils import cabling, daemon

from ..machine.command import run
from ..machine.files import Change, Wanted, apply, changes
from . import frames, nics, recorder, runs, standing

UNIT = "flathood-recorder.service"
FOLDER = "/usr/local/lib/flathood/recorder"
UNIT_FILE = f"/etc/systemd/system/{UNIT}"
#: What the service runs, and all that it imports; each keeps the name that it has in the collection.
_MODULES = (standing, recorder, runs, frames, nics, daemon, cabling)


def unit(machine: str) -> str:
    """systemd.service(5), systemd.exec(5): root's raw sockets, and nothing else of root."""
    return (
        "# Written by flathood: records carriers, for audits of the cabling.\n"
        "[Unit]\n"
        "Description=Record of carriers and probes (flathood)\n"
        "After=systemd-udevd.service\n\n"
        "[Service]\n"
        f"Environment=PYTHONPATH={FOLDER} PYTHONDONTWRITEBYTECODE=1\n"
        f"ExecStart=/usr/bin/python3 -m {standing.__name__} {machine}\n"
        "Restart=always\n"
        "RestartSec=5\n"
        "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW\n"
        "NoNewPrivileges=true\n"
        "ProtectHome=true\n"
        "ProtectSystem=strict\n\n"
        "[Install]\n"
        "WantedBy=multi-user.target\n"
    )


def wanted(machine: str) -> list[Wanted]:
    """The service's files."""
    files = [Wanted(UNIT_FILE, 0o644, unit(machine).encode())]
    for module in _MODULES:
        name = module.__name__.replace(".", "/") + ("/__init__" if module is cabling else "")
        files.append(Wanted(f"{FOLDER}/{name}.py", 0o644, inspect.getsource(module).encode()))
    return files


def install(root: Path, machine: str, *, present: bool, check: bool) -> list[Change]:
    """Have the service run with these files, or not be there; what had to change. In check mode nothing is done."""
    files = wanted(machine)
    folder = Path(FOLDER, *daemon.__name__.split(".")[:-1])
    needed = changes(root, files if present else [], [UNIT_FILE, f"{folder}/*.py", f"{folder}/*/*.py"])
    if check:
        return needed
    if needed and not present:
        run("systemctl", "disable", "--now", UNIT)
    for change in needed:
        apply(root, change)
    if needed:
        run("systemctl", "daemon-reload")
    if needed and present:
        run("systemctl", "enable", UNIT)
        run("systemctl", "restart", UNIT)
    return needed
