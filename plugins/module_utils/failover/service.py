# SPDX-License-Identifier: GPL-3.0-or-later
"""The service that goes around what is dead, as it is installed."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import failover

from ..machine.units import Service
from . import detours, health, view, watch, words


def service() -> Service:
    """It needs root's way to set routes; when it ends it takes its detours away."""
    return Service(
        "failover",
        does="goes around dead NICs, cables and switches",
        description="Ways around dead NICs, cables and switches",
        after="systemd-networkd.service",
        program=watch.__name__,
        last="clear",
        capabilities="CAP_NET_ADMIN CAP_NET_RAW",
        modules=(watch, detours, health, view, words),
        packages=(failover,),
    )
