# SPDX-License-Identifier: Apache-2.0
"""Role head: the mirror image on the head node, which is on the uplink switch and sees every node's outside address.

dnsmasq leases a node's outside address to its outside NIC, before and after the node is provisioned, so that the way
in stays the same. The head has permanent entries for all machines (a provisioned node answers no ARP), but keeps ARP
on, because one that is not provisioned yet asks for the head.
"""

from __future__ import annotations

from flathood.plan.model import Plan
from flathood.plan.views import arp
from flathood.plan.views.base import (
    NETWORK,
    File,
    Live,
    Options,
    View,
    drop_in,
    header,
    lines,
    neighbor,
    nic,
    sysctl_file,
)
from flathood.plan.views.hosts import outside_view
from flathood.plan.views.links import link_file, match, network

DNSMASQ = "/etc/dnsmasq.d/fnn.conf"
_OWNS = (
    f"{NETWORK}/50-fnn*.link",
    f"{NETWORK}/50-fnn*.network",
    f"{NETWORK}/50-fnn*.network.d/*.conf",
    "/etc/sysctl.d/60-fnn-*.conf",
    "/etc/hosts",
    "/etc/dnsmasq.d/fnn*.conf",
)
_APPLY = ("link", "networkd", "sysctl", "dnsmasq")
_HEADER = header("head")
_SLOT = 0


def files(plan: Plan, host: str, options: Options) -> tuple[File, ...]:
    """The head's NIC with its neighbor entries, /etc/hosts and dnsmasq's configuration."""
    mac = plan.mac(host, _SLOT)
    others = [entry for name, entry in arp.outside(plan).items() if name != host]
    thresholds = arp.thresholds(len(others))
    return (
        link_file(_HEADER, _SLOT, mac, plan.cluster.uplink.name, plan.cluster.links.mtu),
        File(f"{NETWORK}/50-{nic(_SLOT)}.network", _HEADER + match(mac) + network([_address(plan)], "yes")),
        File(drop_in(_SLOT, "arp"), _HEADER + "".join(neighbor(*entry) for entry in others)),
        *([sysctl_file("head", {}, thresholds)] if thresholds else []),
        File("/etc/hosts", outside_view(plan, "head", options)),
        File(DNSMASQ, _HEADER + _dnsmasq(plan)),
    )


def live(plan: Plan, host: str, options: Options) -> Live:
    """Facets `links`, `addresses` and `neighbors`."""
    name, mac = nic(_SLOT), plan.mac(host, _SLOT)
    others = [entry for other, entry in arp.outside(plan).items() if other != host]
    return {
        "links": (f"{name} {mac} mtu {plan.cluster.links.mtu} alias {plan.cluster.uplink.name}",),
        "addresses": (f"{name} {_address(plan)}",),
        "neighbors": lines(f"{name} {address} {known}" for address, known in others),
    }


def _address(plan: Plan) -> str:
    return f"{plan.head_ip}/{plan.cluster.addresses.outside.prefixlen}"


def _dnsmasq(plan: Plan) -> str:
    """Serve the uplink's side only; lease to NICs that are known, each its own address (dnsmasq(8))."""
    outside = plan.cluster.addresses.outside
    domain = plan.cluster.cluster
    leases, ignored = [], []
    for number, name in enumerate(plan.names):
        for slot, mac in enumerate(plan.macs(name)):
            if slot == plan.outside_slot(number):
                leases.append(f"dhcp-host={mac},{plan.outside_ip(number)},{name}\n")
            elif mac is not None:
                ignored.append(f"dhcp-host={mac},ignore\n")
    return (
        f"interface={nic(_SLOT)}\n"
        "except-interface=lo\n"
        "bind-dynamic\n"
        f"domain={domain}\n"
        f"local=/{domain}/\n"
        "expand-hosts\n"
        "domain-needed\n"
        "bogus-priv\n"
        "dhcp-authoritative\n"
        # Answer by broadcast: for a unicast answer dnsmasq puts an entry of its own into the neighbor table, in the
        # place of the permanent one, and a node that has ARP off is lost to the head once that one has grown old.
        "dhcp-broadcast\n"
        f"dhcp-range={outside.network_address},static,{outside.netmask}\n"
        "dhcp-ignore=tag:!known\n"
        "dhcp-option=option:router\n"
        "\n# The outside address of each machine, by its outside NIC.\n"
        f"{''.join(leases)}"
        "\n# Their other NICs get no answer.\n"
        f"{''.join(ignored)}"
    )


VIEW = View(_OWNS, _APPLY, files, live)
