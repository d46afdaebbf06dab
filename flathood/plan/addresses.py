# SPDX-License-Identifier: Apache-2.0
"""Which address every machine has on every subnet.

The host part is the machine's number plus one, on every subnet alike: k17 is .18 everywhere, and re-cabling moves a
node to other subnets but never changes its number. Nodes come first in number order, then spares; the head has the
last address of the outside subnet.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network
from itertools import islice

from flathood.spec.addresses import subnet_prefix
from flathood.spec.model import Cluster


def neighborhood_subnets(cluster: Cluster) -> tuple[IPv4Network, ...]:
    """The subnet of each neighborhood, in switch number order: the first ones of the range."""
    prefix = subnet_prefix(len(cluster.node_names) + len(cluster.spare_names))
    return tuple(islice(cluster.addresses.neighborhoods.subnets(new_prefix=prefix), len(cluster.switches)))


def host(subnet: IPv4Network, number: int) -> IPv4Address:
    """The address of the machine with this number on a subnet."""
    return subnet.network_address + number + 1


def head(cluster: Cluster) -> IPv4Address:
    """The head's address: the last host of the outside subnet."""
    return cluster.addresses.outside.broadcast_address - 1
