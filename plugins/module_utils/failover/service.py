# SPDX-License-Identifier: GPL-3.0-or-later
"""The service that goes around what is dead, as it is installed."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import failover

from ..machine.units import Service
from . import detours, health, view, watch, words

_FOLDER = "/usr/local/lib/flathood/failover"


def service() -> Service:
    """systemd.service(5), systemd.exec(5): root's way to set routes, and nothing else of root."""
    python = f"/usr/bin/python3 -m {watch.__name__}"
    text = (
        "# Written by flathood: goes around dead NICs, cables and switches.\n"
        "[Unit]\n"
        "Description=Ways around dead NICs, cables and switches (flathood)\n"
        "After=systemd-networkd.service\n\n"
        "[Service]\n"
        f"Environment=PYTHONPATH={_FOLDER} PYTHONDONTWRITEBYTECODE=1\n"
        f"ExecStart={python}\n"
        f"ExecStopPost=-{python} clear\n"
        "Restart=always\n"
        "RestartSec=5\n"
        "CapabilityBoundingSet=CAP_NET_ADMIN CAP_NET_RAW\n"
        "NoNewPrivileges=true\n"
        "ProtectHome=true\n"
        "ProtectSystem=strict\n\n"
        "[Install]\n"
        "WantedBy=multi-user.target\n"
    )
    modules = (watch, detours, health, view, words)
    return Service("flathood-failover.service", text, _FOLDER, modules, (failover,))
