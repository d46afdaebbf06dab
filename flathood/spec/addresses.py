# SPDX-License-Identifier: Apache-2.0
"""The ranges that addresses are taken from, and how large a cluster needs them to be."""

from __future__ import annotations

from ipaddress import IPv4Network

from pydantic import Field

from flathood.spec.fields import Network, Strictly


class Addresses(Strictly):
    """The three ranges that addresses are taken from; they do not overlap."""

    neighborhoods: Network = Field(
        default=IPv4Network("10.80.0.0/12"),
        description="Split into one subnet per neighborhood switch, each /24 or larger",
    )
    nodes: Network = Field(
        default=IPv4Network("10.79.0.0/16"),
        description="One address per node that is the same wherever it is asked from",
    )
    outside: Network = Field(
        default=IPv4Network("10.78.0.0/24"),
        description="The network of the uplink switch: nodes, spares and head; the default grows with the cluster",
    )

    def grown(self, machines: int) -> Addresses:
        """These ranges, with the outside one large enough where it was left to the default.

        >>> str(Addresses().grown(1024).outside)
        '10.78.0.0/21'
        """
        if "outside" in self.model_fields_set:
            return self
        default = Addresses.model_fields["outside"].default
        outside = IPv4Network((default.network_address, subnet_prefix(machines)))
        grown = self.model_copy(update={"outside": outside})
        grown.__pydantic_fields_set__.discard("outside")
        return grown


def prefix_for(hosts: int) -> int:
    """The longest prefix whose subnet has this many usable host addresses (network and broadcast are none)."""
    return 32 - (hosts + 1).bit_length()


def subnet_prefix(machines: int) -> int:
    """Prefix of each neighborhood's subnet and of the outside one, for so many nodes and spares together.

    /24, or shorter when machines + 2 do not fit: the head, and one address to spare for a visitor's laptop.

    >>> subnet_prefix(66), subnet_prefix(252), subnet_prefix(253), subnet_prefix(1024)
    (24, 24, 23, 21)
    """
    return min(24, prefix_for(machines + 2))
