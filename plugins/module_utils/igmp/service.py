# SPDX-License-Identifier: GPL-3.0-or-later
"""The querier's service, as it is installed."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import igmp

from ..machine.units import Service
from . import packets, querier


def service(device: str) -> Service:
    """It needs root's raw sockets."""
    return Service(
        "querier",
        does="asks who is a member of which multicast group",
        description="IGMP querier",
        after="systemd-networkd.service",
        program=f"{querier.__name__} {device}",
        capabilities="CAP_NET_RAW",
        modules=(querier, packets),
        packages=(igmp,),
    )
