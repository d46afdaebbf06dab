# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder that is always there: a service that runs this same code, from files of its own."""

from __future__ import annotations

from ansible_collections.flathood.cluster.plugins.module_utils import cabling, daemon

from ..machine.units import Service
from . import frames, nics, recorder, runs, standing


def service(machine: str) -> Service:
    """It needs root's raw sockets."""
    return Service(
        "recorder",
        does="records carriers, for audits of the cabling",
        description="Record of carriers and probes",
        after="systemd-udevd.service",
        program=f"{standing.__name__} {machine}",
        capabilities="CAP_NET_ADMIN CAP_NET_RAW",
        modules=(standing, recorder, runs, frames, nics, daemon),
        packages=(cabling,),
    )
