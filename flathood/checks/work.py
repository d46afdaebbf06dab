# SPDX-License-Identifier: Apache-2.0
"""What the controller ships to a node for each phase of the probe: only what that phase needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from flathood.checks.catalogue import Catalogue, shipped
from flathood.checks.expect import DATAGRAMS, GROUP
from flathood.checks.places import Places
from flathood.plan import Plan

Phase = Literal["start", "run", "collect"]
#: Seconds after which a recorder that nobody collects ends by itself: far above what 1,024 nodes take from start to
#: collect.
LIFETIME = 1800


def work(plan: Plan, phase: Phase, host: str, scope: Sequence[str], token: str) -> dict[str, Any]:
    """The work of one machine in one phase.

    ``scope`` are the machines that take part; ``token`` (a word) tells this run's datagrams from those of others.
    """
    catalogue = Catalogue.of(plan, scope)
    checks = catalogue.checks(host)
    if phase == "start":
        places = Places(plan).by_host[host]
        return {
            "expected": shipped(checks, ("nic", "address", "neighbor", "route", "sysctl", "name")),
            "nics": {place.nic: place.mac for place in places},
            "group": list(GROUP),
            "token": token,
            "lifetime": LIFETIME,
        }
    if phase == "run":
        return {
            "echo": shipped(checks, ("echo",)).get("echo", {}),
            "mtu": plan.cluster.links.mtu,
            "rate": plan.cluster.links.rate,
            "group": list(GROUP),
            "label": f"{token} {host}",
            "datagrams": DATAGRAMS if host in plan.numbers else 0,
        }
    return {"multicast": shipped(checks, ("multicast",)).get("multicast", {}), "datagrams": DATAGRAMS}
