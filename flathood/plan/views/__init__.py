# SPDX-License-Identifier: Apache-2.0
"""Every machine's view, as the files of its roles: one module per role, pure functions, the same bytes every time.

What a module has to offer is in its VIEW (`flathood.plan.views.base.View`).
"""

from __future__ import annotations

from flathood.plan.model import Plan
from flathood.plan.views import arp, head, hosts, links, mpi, multicast, routes
from flathood.plan.views.base import File, Options, RoleFiles, View

__all__ = ["ROLES_OF", "File", "Options", "RoleFiles", "kind_of", "render", "render_files"]

_VIEWS: dict[str, View] = {
    "links": links.VIEW,
    "arp": arp.VIEW,
    "hosts": hosts.VIEW,
    "routes": routes.VIEW,
    "multicast": multicast.VIEW,
    "mpi": mpi.VIEW,
    "head": head.VIEW,
}

#: The roles of each kind of machine, in the order in which they are applied. Routes are the last that systemd-networkd
#: has: when it sets a NIC up anew it loses the routes with several next hops that are in another NIC's files.
ROLES_OF: dict[str, tuple[str, ...]] = {
    "node": ("links", "arp", "hosts", "multicast", "routes", "mpi"),
    # A spare has no routes; the role removes those that are left of its time as a node.
    "spare": ("links", "arp", "hosts", "multicast", "routes"),
    "head": ("head",),
}


def kind_of(plan: Plan, host: str) -> str:
    """`node`, `spare` or `head`; KeyError when the plan has no such machine."""
    if host == plan.head:
        return "head"
    return "node" if plan.numbers[host] < plan.node_count else "spare"


def render(plan: Plan, host: str, role: str, options: Options | None = None) -> RoleFiles:
    """What one role puts on one machine, and what the machine's kernel must show for it.

    Raises KeyError for a machine or a role that there is none of; ValueError for a role that is not this machine's.
    """
    options = options or Options()
    view = _VIEWS[role]
    files = render_files(plan, host, role, options)
    return RoleFiles(role, files, view.owns, view.apply, view.live(plan, host, options))


def render_files(plan: Plan, host: str, role: str, options: Options) -> tuple[File, ...]:
    """The files alone, for who writes those of a thousand machines."""
    if role not in ROLES_OF[kind := kind_of(plan, host)]:
        raise ValueError(f"{host} is a {kind} and has no role {role}: its roles are {', '.join(ROLES_OF[kind])}")
    return _VIEWS[role].files(plan, host, options)
