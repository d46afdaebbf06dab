# SPDX-License-Identifier: GPL-3.0-or-later
"""The querier's service, as it is installed."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import igmp

from ..machine.units import Service
from . import packets, querier

_FOLDER = "/usr/local/lib/flathood/querier"


def service(device: str) -> Service:
    """systemd.service(5), systemd.exec(5): root's raw sockets, and nothing else of root."""
    text = (
        "# Written by flathood: asks who is a member of which multicast group.\n"
        "[Unit]\n"
        "Description=IGMP querier (flathood)\n"
        "After=systemd-networkd.service\n\n"
        "[Service]\n"
        f"Environment=PYTHONPATH={_FOLDER} PYTHONDONTWRITEBYTECODE=1\n"
        f"ExecStart=/usr/bin/python3 -m {querier.__name__} {device}\n"
        "Restart=always\n"
        "RestartSec=5\n"
        "CapabilityBoundingSet=CAP_NET_RAW\n"
        "NoNewPrivileges=true\n"
        "ProtectHome=true\n"
        "ProtectSystem=strict\n\n"
        "[Install]\n"
        "WantedBy=multi-user.target\n"
    )
    return Service("flathood-querier.service", text, _FOLDER, (querier, packets), (igmp,))
