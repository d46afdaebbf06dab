# SPDX-License-Identifier: Apache-2.0
"""dnsmasq on the head: every machine's outside address to its outside NIC, and no answer to anybody else."""

from __future__ import annotations

from collections import Counter

from flathood.plan.proof.findings import Ledger, Place
from flathood.plan.proof.syntax import colons, dotted
from flathood.plan.proof.world import Role, World

FILE = "/etc/dnsmasq.d/fnn.conf"


def check_leases(ledger: Ledger, world: World, data: bytes) -> None:
    """Each lease, each refusal, and the settings around them."""
    cabling = world.cabling
    outside = cabling.cluster.addresses.outside
    domain = cabling.cluster.cluster
    wanted = {
        "interface=fnn0": "serves the uplink's NIC",
        "except-interface=lo": "leaves the head's own resolver alone",
        "bind-dynamic": "does not take port 53 of other NICs",
        f"domain={domain}": "names the domain",
        f"local=/{domain}/": "asks nobody else about the domain",
        "expand-hosts": "answers for names with the domain, too",
        "domain-needed": "asks nobody else about bare names",
        "bogus-priv": "asks nobody else about private addresses",
        "dhcp-authoritative": "answers machines that had another address",
        "dhcp-broadcast": "leaves the permanent neighbor entries alone",
        f"dhcp-range={outside.network_address},static,{outside.netmask}": "leases to known machines only",
        "dhcp-ignore=tag:!known": "ignores unknown machines",
        "dhcp-option=option:router": "is no router",
    }
    for machine, name in enumerate(cabling.names[:-1]):
        row = world.row(machine, Role.OUTSIDE)
        for slot, mac in enumerate(cabling.mac[machine].tolist()):
            if mac < 0:
                continue
            if row >= 0 and slot == world.slot[row]:
                line = f"dhcp-host={colons(mac)},{dotted(int(world.ip[row]))},{name}"
                wanted[line] = f"leases {name} its outside address"
            else:
                wanted[f"dhcp-host={colons(mac)},ignore"] = f"ignores fnn{slot} of {name}"
    lines = (line for line in data.decode("utf-8", "replace").split("\n") if line and line[0] != "#")
    found = Counter(lines)
    for line, what in wanted.items():
        ledger.expect("leases", found[line] == 1, Place(FILE), f"`{line}` is there {found[line]} times: it {what}")
    for line in found.keys() - wanted.keys():
        ledger.fail("leases", Place(FILE), f"`{line}` is no line of this cluster's", "remove it, or mend it")
