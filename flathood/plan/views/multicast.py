# SPDX-License-Identifier: Apache-2.0
"""Role multicast: groups are joined and datagrams sent by the outside NIC only, so each member gets each datagram once.

Its neighborhood and the uplink switch carry a datagram to all others. It comes from the outside address, which the head
and the spares can answer as well.
"""

from __future__ import annotations

from flathood.plan.model import Plan
from flathood.plan.views.base import File, Live, Options, View, drop_in, header, nic

_OWNS = ("/etc/systemd/network/50-fnn*.network.d/multicast.conf",)
_APPLY = ("networkd",)
#: All multicast groups (RFC 5771).
GROUPS = "224.0.0.0/4"


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """The drop-in of the outside NIC."""
    number = plan.numbers[host]
    route = f"[Route]\nDestination={GROUPS}\nScope=link\nPreferredSource={plan.outside_ip(number)}\n"
    return (File(drop_in(plan.outside_slot(number), "multicast"), header("multicast") + route),)


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facet `multicast`."""
    return {"multicast": (f"{GROUPS} dev {nic(plan.outside_slot(plan.numbers[host]))}",)}


VIEW = View(_OWNS, _APPLY, files, live)
