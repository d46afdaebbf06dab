# SPDX-License-Identifier: Apache-2.0
"""What names the NICs of one machine and gives them their addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from flathood.plan.proof.cabling import UNPLUGGED, UPLINK, Cabling
from flathood.plan.proof.findings import Ledger
from flathood.plan.proof.source import NETWORK
from flathood.plan.proof.syntax import colons, dotted, prefix, sections
from flathood.plan.proof.world import Configured, Role
from flathood.plan.views.base import Options

Setting = tuple[str, str, str]
#: Nothing on a NIC is automatic: neither DHCP nor IPv6 would know of the neighborhoods.
_BY_HAND = [("Network", "DHCP", "no"), ("Network", "LinkLocalAddressing", "no"), ("Network", "IPv6AcceptRA", "no")]
_AGAIN = "compile and install it again"


def check_links(
    ledger: Ledger, cabling: Cabling, machine: int, files: Mapping[str, bytes], options: Options
) -> list[Configured]:
    """Check the .link, .network and .netdev files of a machine; the addresses that they configure."""
    configured: list[Configured] = []
    slots = [slot for slot, mac in enumerate(cabling.mac[machine]) if mac >= 0]
    if machine == len(cabling.names) - 1:
        slots = [0]  # the head's other NICs are no concern of the fabric
    online = 0
    for slot in slots:
        nic, cable, mac = f"fnn{slot}", cabling.cable(machine, slot), colons(int(cabling.mac[machine, slot]))
        match = [("Match", "MACAddress", mac), ("Match", "Type", "ether")]
        wanted = [*match, ("Link", "Name", nic), ("Link", "Alias", cabling.alias(machine, slot))]
        wanted.append(("Link", "MTUBytes", str(cabling.cluster.links.mtu)))
        _compare(ledger, f"{NETWORK}50-{nic}.link", files, wanted, nic, cable)
        file = f"{NETWORK}50-{nic}.network"
        found = _addresses(ledger, cabling, machine, slot, file, files)
        configured += found
        outside = any(entry.role == Role.OUTSIDE for entry in found)
        online += outside
        wanted = [*match, ("Link", "RequiredForOnline", "yes" if outside else "no"), *_BY_HAND]
        if cabling.segment[machine, slot] == UNPLUGGED:
            wanted.append(("Link", "ActivationPolicy", "always-down"))
        _compare(ledger, file, files, wanted, nic, cable, ignore=("Network", "Address"))
    if online != 1:
        message = f"{online} NICs have an outside address; one must, or nothing outside reaches the machine"
        ledger.fail("addresses", NETWORK, message, _AGAIN)
    if machine < cabling.nodes:
        configured += _node_device(ledger, cabling, machine, files, options)
    return configured


def _node_device(
    ledger: Ledger, cabling: Cabling, machine: int, files: Mapping[str, bytes], options: Options
) -> list[Configured]:
    wanted = [("NetDev", "Name", "node0"), ("NetDev", "Kind", options.node_device)]
    _compare(ledger, f"{NETWORK}50-fnn-node0.netdev", files, wanted, "node0", "")
    file = f"{NETWORK}50-fnn-node0.network"
    wanted = [("Match", "Name", "node0"), ("Link", "RequiredForOnline", "no"), *_BY_HAND]
    wanted.append(("Network", "ConfigureWithoutCarrier", "yes"))
    _compare(ledger, file, files, wanted, "node0", "", ignore=("Network", "Address"))
    return _addresses(ledger, cabling, machine, -1, file, files)


def settings(data: bytes | None) -> list[Setting] | None:
    """All settings of a file with their sections; None when it is missing or cannot be read."""
    found = sections(data) if data is not None else None
    return None if found is None else [(name, key, value) for name, pairs in found for key, value in pairs]


def _compare(
    ledger: Ledger,
    file: str,
    files: Mapping[str, bytes],
    wanted: list[Setting],
    nic: str,
    cable: str,
    ignore: tuple[str, str] = ("", ""),
) -> None:
    """The settings of a file are these, each once; those named ``ignore`` are somebody else's to check."""
    found = settings(files.get(file))
    if found is None:
        if file in files:  # a missing file is told of by `files`
            ledger.fail("links", file, "has a line that systemd does not understand", _AGAIN, nic, cable)
        return
    there = Counter(setting for setting in found if setting[:2] != ignore)
    if there == Counter(wanted):
        ledger.proved("links")
        return
    parts = [f"lacks {key}={value} in [{section}]" for section, key, value in (Counter(wanted) - there).elements()]
    parts += [f"has {key}={value} in [{section}]" for section, key, value in (there - Counter(wanted)).elements()]
    ledger.fail("links", file, ", ".join(parts), _AGAIN, nic, cable)


def _addresses(
    ledger: Ledger, cabling: Cabling, machine: int, slot: int, file: str, files: Mapping[str, bytes]
) -> list[Configured]:
    """The addresses of a NIC (``slot`` -1: of node0), if they are of the kinds that it may have."""
    texts = [
        value for section, key, value in settings(files.get(file)) or [] if (section, key) == ("Network", "Address")
    ]
    nic, cable = (f"fnn{slot}", cabling.cable(machine, slot)) if slot >= 0 else ("node0", "")
    ranges = cabling.cluster.addresses
    found = []
    for text in texts:
        ip, length = prefix(text)
        role = None
        if slot < 0:
            fits = ip >= 0 and _inside(ip, str(ranges.nodes)) and length == 32
            role = Role.NODE if fits else None
        elif ip >= 0 and _inside(ip, str(ranges.outside)) and length == ranges.outside.prefixlen:
            role = Role.OUTSIDE
        elif ip >= 0 and _inside(ip, str(ranges.neighborhoods)) and length < 31:
            role = Role.NEIGHBORHOOD
        rest = ip & ((1 << (32 - length)) - 1) if length >= 0 else 0
        if role is None or (slot >= 0 and rest in (0, (1 << (32 - length)) - 1)):
            ledger.fail("addresses", file, f"{text} is no address for this NIC", _AGAIN, nic, cable)
        else:
            found.append(Configured(machine, slot, role, ip, length, file))
    segment = int(cabling.segment[machine, slot]) if slot >= 0 else UNPLUGGED
    needed = {UPLINK: Role.OUTSIDE, UNPLUGGED: Role.NODE if slot < 0 else None}.get(segment, Role.NEIGHBORHOOD)
    roles = [entry.role for entry in found]
    if needed is None:
        ledger.expect("addresses", not texts, file, "a NIC that is not plugged in has an address", _AGAIN, nic, cable)
    elif file in files and (len(set(roles)) < len(roles) or needed not in roles):
        told = ", ".join(f"{dotted(entry.ip)}/{entry.length}" for entry in found) or "no address"
        message = f"has {told}: it needs one {needed.name.lower()} address, and no second one of a kind"
        ledger.fail("addresses", file, message, _AGAIN, nic, cable)
    return found


def _inside(ip: int, network: str) -> bool:
    base, length = prefix(network)
    return ip >> (32 - length) == base >> (32 - length)
