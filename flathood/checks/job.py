# SPDX-License-Identifier: Apache-2.0
"""The MPI job: whether it makes sense to start it, and with what."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flathood.checks import expect
from flathood.plan import Plan
from flathood.plan.views.mpi import OPEN_MPI_HOSTS

#: Seconds that a job may take: for its start, and for each rank (ranks share processors in the lab).
_START, _RANK = 60, 2
#: How many absent nodes, or broken ways, are named.
NAMED = 5


def obstacle(plan: Plan, started: Mapping[str, Mapping[str, Any]], traffic: Mapping[str, Mapping[str, Any]]) -> str:
    """Why there is no job to start, or "".

    ``started`` and ``traffic``: machine → what the probe's tasks registered, {} for a task that was left out. A job
    over a broken network waits for timeouts and says less than the echoes have said.
    """
    nodes = plan.names[: plan.node_count]
    absent = [node for node in nodes if "deviations" not in started.get(node, {})]
    if absent:
        more = f" and {len(absent) - NAMED} more" if len(absent) > NAMED else ""
        return f"all nodes have to take part, and these do not: {', '.join(absent[:NAMED])}{more}"
    broken = [
        f"{check.host} to {check.peer} by {check.nic} ({check.switch})"
        for node in nodes
        if (failed := traffic.get(node, {}).get("deviations", {}).get("echo", ()))
        for check in expect.of_host(plan, node, nodes)
        if check.kind == "echo" and check.key in failed
    ]
    if not broken:
        return ""
    ways = list(dict.fromkeys(broken))
    more = f" and {len(ways) - NAMED} more ways" if len(ways) > NAMED else ""
    return f"the plain traffic has to work first: {len(broken)} echoes failed: {', '.join(ways[:NAMED])}{more}"


def arguments(plan: Plan) -> dict[str, Any]:
    """The arguments of flathood.cluster.mpi_job: one rank on every node."""
    ranks = plan.node_count
    return {"hostfile": OPEN_MPI_HOSTS, "ranks": ranks, "seconds": _START + _RANK * ranks}
