# SPDX-License-Identifier: Apache-2.0
"""The kinds of checks: what each one proves, and whose word is needed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Witness = Literal["node", "switches", "job"]


@dataclass(frozen=True, slots=True)
class Kind:
    """``unit`` says what one check is about; ``witness`` who gives the evidence."""

    name: str
    title: str
    unit: str
    proves: str
    witness: Witness = "node"


KINDS: tuple[Kind, ...] = (
    Kind(
        "nic",
        "NICs",
        "NIC and property",
        "MAC, name, alias, MTU, carrier and ARP flag of each NIC are the planned ones",
    ),
    Kind("address", "Addresses", "device", "each device has its planned IPv4 addresses and no others"),
    Kind("sysctl", "Kernel settings", "setting", "the kernel's settings are the planned ones"),
    Kind("name", "Names", "node and name", "getaddrinfo gives the planned address for every name of every peer"),
    Kind(
        "route",
        "Routes",
        "node and address",
        "the kernel sends to that address by the planned NIC, next hop and source",
    ),
    Kind("neighbor", "Neighbors", "NIC and address", "the neighbor entry is permanent and has the peer NIC's MAC"),
    Kind(
        "echo",
        "Echoes",
        "node and address",
        "a full-size packet gets there unfragmented, its reply comes in by the planned NIC",
    ),
    Kind("loss", "Losses", "NIC", "at most one echo in ten had to be repeated"),
    Kind("silence", "ARP silence", "NIC", "the NIC sent no ARP request or reply while all pairs talked"),
    Kind(
        "multicast",
        "Multicast",
        "member and sender",
        "each datagram of the sender arrives once, by the planned NIC only",
    ),
    Kind(
        "cable",
        "Cables",
        "NIC",
        "its planned switch learnt the NIC's MAC on a node port, the uplink switch behind that switch",
        "switches",
    ),
    Kind(
        "one-switch",
        "One switch apart",
        "ordered pair and neighborhood",
        "both NICs are on that switch, and no frame between them crossed the uplink",
        "switches",
    ),
    Kind("mpi", "MPI", "job", "an all-to-all of stock Open MPI over all nodes delivers every block unchanged", "job"),
)
KIND = {kind.name: kind for kind in KINDS}
