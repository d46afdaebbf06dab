# SPDX-License-Identifier: Apache-2.0
"""What names the NICs of one machine and gives them their addresses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from ipaddress import IPv4Network

from flathood.plan.proof.cabling import UNPLUGGED, UPLINK, Cabling
from flathood.plan.proof.findings import Ledger, Place
from flathood.plan.proof.source import NETWORK
from flathood.plan.proof.syntax import colons, dotted, prefix, sections
from flathood.plan.proof.world import Configured, Role
from flathood.plan.views.base import Options

Setting = tuple[str, str, str]
#: Nothing on a NIC is automatic: neither DHCP nor IPv6 would know of the neighborhoods.
_BY_HAND = [("Network", "DHCP", "no"), ("Network", "LinkLocalAddressing", "no"), ("Network", "IPv6AcceptRA", "no")]
_ADDRESS = ("Network", "Address")


def check_links(
    ledger: Ledger, cabling: Cabling, machine: int, files: Mapping[str, bytes], options: Options
) -> list[Configured]:
    """Check the .link, .network and .netdev files of a machine; the addresses that they configure."""
    configured: list[Configured] = []
    slots = [slot for slot, mac in enumerate(cabling.mac[machine]) if mac >= 0]
    if machine == len(cabling.names) - 1:
        slots = [0]  # the head's other NICs are no concern of the fabric
    for slot in slots:
        place = cabling.place(machine, slot, f"{NETWORK}50-fnn{slot}.link")
        match = [("Match", "MACAddress", colons(int(cabling.mac[machine, slot]))), ("Match", "Type", "ether")]
        wanted = [*match, ("Link", "Name", place.nic), ("Link", "Alias", cabling.alias(machine, slot))]
        wanted.append(("Link", "MTUBytes", str(cabling.cluster.links.mtu)))
        _compare(ledger, place, files, wanted)
        place = place._replace(file=f"{NETWORK}50-fnn{slot}.network")
        found = _addresses(ledger, cabling, (machine, slot), place, files)
        outside = any(entry.role == Role.OUTSIDE for entry in found)
        wanted = [*match, ("Link", "RequiredForOnline", "yes" if outside else "no"), *_BY_HAND]
        if cabling.segment[machine, slot] == UNPLUGGED and not cabling.idle[machine, slot]:
            wanted += [("Link", "ActivationPolicy", "always-down"), ("Link", "ARP", "yes")]
        elif cabling.segment[machine, slot] == UNPLUGGED:
            wanted += [("Network", "ConfigureWithoutCarrier", "yes"), ("Link", "ARP", "yes")]
        else:
            wanted.append(("Network", "ConfigureWithoutCarrier", "yes"))
        _compare(ledger, place, files, wanted)
        configured += found
    ways = sum(entry.role == Role.OUTSIDE for entry in configured)
    if ways != 1:
        message = f"{ways} outside addresses; there must be one, or nothing outside reaches the machine"
        ledger.fail("addresses", Place(NETWORK), message)
    if machine < cabling.nodes:
        place = cabling.place(machine, -1, f"{NETWORK}50-fnn-node0.netdev")
        _compare(ledger, place, files, [("NetDev", "Name", "node0"), ("NetDev", "Kind", options.node_device)])
        place = place._replace(file=f"{NETWORK}50-fnn-node0.network")
        wanted = [("Match", "Name", "node0"), ("Link", "RequiredForOnline", "no"), *_BY_HAND]
        _compare(ledger, place, files, [*wanted, ("Network", "ConfigureWithoutCarrier", "yes")])
        configured += _addresses(ledger, cabling, (machine, -1), place, files)
    return configured


def _settings(data: bytes | None) -> list[Setting] | None:
    """All settings of a file with their sections; None when it is missing or cannot be read."""
    found = sections(data) if data is not None else None
    return None if found is None else [(name, key, value) for name, pairs in found for key, value in pairs]


def _compare(ledger: Ledger, place: Place, files: Mapping[str, bytes], wanted: list[Setting]) -> None:
    """The settings of a file, but for addresses, are these, each once."""
    found = _settings(files.get(place.file))
    if found is None:
        if place.file in files:  # a missing file is told of elsewhere
            ledger.fail("links", place, "has a line that systemd does not understand")
        return
    there, right = Counter(setting for setting in found if setting[:2] != _ADDRESS), Counter(wanted)
    parts = [f"lacks {key}={value} in [{section}]" for section, key, value in (right - there).elements()]
    parts += [f"has {key}={value} in [{section}]" for section, key, value in (there - right).elements()]
    ledger.expect("links", not parts, place, ", ".join(parts))


def _addresses(
    ledger: Ledger, cabling: Cabling, owner: tuple[int, int], place: Place, files: Mapping[str, bytes]
) -> list[Configured]:
    """The addresses of ``owner``, a machine and slot (-1: node0), if they are of the kinds that it may have."""
    machine, slot = owner
    texts = [value for *key, value in _settings(files.get(place.file)) or [] if tuple(key) == _ADDRESS]
    found = []
    for text in texts:
        ip, length = prefix(text)
        role = _role(cabling, slot, ip, length)
        if role is None:
            ledger.fail("addresses", place, f"{text} is no address for this NIC")
        else:
            found.append(Configured(machine, slot, role, ip, length, place.file))
    segment = int(cabling.segment[machine, slot]) if slot >= 0 else UNPLUGGED
    needed = {UPLINK: Role.OUTSIDE, UNPLUGGED: Role.NODE if slot < 0 else None}.get(segment, Role.NEIGHBORHOOD)
    roles = [entry.role for entry in found]
    if needed is None:
        ledger.expect("addresses", not texts, place, "a NIC that is not plugged in has an address")
    elif place.file in files and (len(set(roles)) < len(roles) or needed not in roles):
        told = ", ".join(f"{dotted(entry.ip)}/{entry.length}" for entry in found) or "no address"
        message = f"has {told}: it needs one {needed.name.lower()} address, and no second one of a kind"
        ledger.fail("addresses", place, message)
    return found


def _role(cabling: Cabling, slot: int, ip: int, length: int) -> Role | None:
    """What an address of a NIC (slot -1: of node0) is for, by the range that it is in; None: it fits none."""
    ranges = cabling.cluster.addresses
    if ip < 0:
        return None
    if slot < 0:
        return Role.NODE if length == 32 and _inside(ip, ranges.nodes) else None
    hosts = (1 << (32 - length)) - 1
    if length > 30 or ip & hosts in (0, hosts):
        return None
    if _inside(ip, ranges.outside):
        return Role.OUTSIDE if length == ranges.outside.prefixlen else None
    return Role.NEIGHBORHOOD if _inside(ip, ranges.neighborhoods) else None


def _inside(ip: int, network: IPv4Network) -> bool:
    return ip & int(network.netmask) == int(network.network_address)
