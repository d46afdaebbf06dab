# SPDX-License-Identifier: Apache-2.0
"""MPTCP in advanced mode: one connection to a peer's node address uses every neighborhood that the two share.

Each NIC of a node is an endpoint from which the side that connects opens one more subflow to the address that it
connected to (ip-mptcp(8), flag subflow). As the endpoint names its NIC, the kernel looks for a route by that NIC: the
node address of a peer has one exactly where the neighborhood is shared, an address on one neighborhood nowhere else.
So a connection to `k17` is spread, one to `k17-red` stays on red.

systemd-networkd knows nothing of endpoints, so a service of our own sets them; it is wanted by a drop-in, which leaves
nothing behind when both files are removed. The programs have to ask for MPTCP: by themselves, or by mptcpize(8).
"""

from __future__ import annotations

from flathood.plan.model import Plan
from flathood.plan.views.base import File, header, lines, nic

SERVICE = "fnn-mptcp.service"
_UNIT = f"/etc/systemd/system/{SERVICE}"
_WANTED = "/etc/systemd/system/multi-user.target.d/fnn-mptcp.conf"
OWNS = (_UNIT, _WANTED)
#: The kernel allows no more endpoints and no more subflows of one connection (net/mptcp/protocol.h).
MOST = 8
#: What the kernel allows from the start, and is set back to.
_FIRST = "subflow 2 add_addr_accepted 0"
#: Seconds that the NICs get for having their names at boot; one that is dead never does.
_NAMED = 20
_HEADER = header("routes")


def files(plan: Plan, node: int) -> tuple[File, ...]:
    """The service and what has it started at boot; nothing but in advanced mode."""
    if plan.routing != "advanced":
        return ()
    slots = _slots(plan, node)
    devices = " ".join(f"/sys/class/net/{nic(slot)}" for slot in slots)
    text = (
        f"{_HEADER}[Unit]\nDescription=MPTCP endpoints on all neighborhoods\n"
        "After=systemd-networkd.service\n"
        "\n[Service]\nType=oneshot\nRemainAfterExit=yes\n"
        f"ExecStartPre=-udevadm wait --timeout={_NAMED} {devices}\n"
        f"ExecStart=-ip mptcp limits set subflow {MOST} add_addr_accepted {MOST}\n"
    )
    text += "".join(
        # One that is missing, as its NIC is, leaves the others be.
        f"ExecStart=-ip mptcp endpoint add {_address(plan, node, slot)} id {slot + 1} dev {nic(slot)} subflow\n"
        for slot in slots
    )
    text += "".join(f"ExecStop=-ip mptcp endpoint delete id {slot + 1}\n" for slot in slots)
    text += f"ExecStop=-ip mptcp limits set {_FIRST}\n"
    return File(_UNIT, text), File(_WANTED, f"{_HEADER}[Unit]\nWants={SERVICE}\n")


def live(plan: Plan, node: int) -> tuple[str, ...]:
    """The endpoints on the node's NICs, as `fnn0 10.80.0.1 subflow`."""
    slots = _slots(plan, node) if plan.routing == "advanced" else ()
    return lines(f"{nic(slot)} {_address(plan, node, slot)} subflow" for slot in slots)


def _slots(plan: Plan, node: int) -> tuple[int, ...]:
    return tuple(slot for slot in plan.used_slots(node) if plan.usable[node, slot] >= 0)[:MOST]


def _address(plan: Plan, node: int, slot: int) -> object:
    return plan.neighborhood_ip(node, int(plan.usable[node, slot]))
