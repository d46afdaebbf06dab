# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder that is always there: a service that runs this same code, from files of its own."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import cabling, daemon

from ..machine.units import Service
from . import frames, nics, recorder, runs, standing

_FOLDER = "/usr/local/lib/flathood/recorder"


def service(machine: str) -> Service:
    """systemd.service(5), systemd.exec(5): root's raw sockets, and nothing else of root."""
    text = (
        "# Written by flathood: records carriers, for audits of the cabling.\n"
        "[Unit]\n"
        "Description=Record of carriers and probes (flathood)\n"
        "After=systemd-udevd.service\n\n"
        "[Service]\n"
        f"Environment=PYTHONPATH={_FOLDER} PYTHONDONTWRITEBYTECODE=1\n"
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
    modules = (standing, recorder, runs, frames, nics, daemon)
    return Service("flathood-recorder.service", text, _FOLDER, modules, (cabling,))
