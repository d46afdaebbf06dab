# SPDX-License-Identifier: GPL-3.0-or-later
"""The NICs by their MAC addresses: names, aliases, MTUs, and addresses taken over from a lease."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .command import MachineError, run
from .files import on
from .live import Json, addresses, ask

#: Devices that share the MAC address of the NIC below them are not that NIC.
STACKED = frozenset({"vlan", "macvlan", "macvtap", "ipvlan", "bridge", "bond", "team", "dummy", "ifb"})
_LINK = re.compile(r"(?P<name>\S+) (?P<mac>\S+) mtu (?P<mtu>\d+)(?: alias (?P<alias>\S+))?")


def nics_by_mac(devices: Json) -> dict[str, str]:
    """MAC address → name of the machine's own NICs (by the address burnt in, where it differs from the one in use)."""
    return {
        link.get("permaddr", link["address"]): link["ifname"]
        for link in devices
        if link.get("link_type") == "ether" and link.get("linkinfo", {}).get("info_kind") not in STACKED
    }


def renames(names: dict[str, str], wanted: dict[str, str]) -> list[tuple[str, str]]:
    """List the steps (old, new) that give each MAC its wanted name; a name in use is first set free.

    >>> renames({"m0": "fnn1", "m1": "fnn0"}, {"m0": "fnn0", "m1": "fnn1"})
    [('fnn1', 'fnn-0'), ('fnn0', 'fnn-1'), ('fnn-0', 'fnn0'), ('fnn-1', 'fnn1')]
    """
    moving = [(names[mac], name) for mac, name in wanted.items() if mac in names and names[mac] != name]
    targets = {name for _, name in moving}
    in_use = set(names.values()) & targets
    first, last = [], []
    for index, (old, new) in enumerate(moving):
        if in_use:
            first.append((old, f"fnn-{index}"))
            last.append((f"fnn-{index}", new))
        else:
            last.append((old, new))
    strangers = in_use - {old for old, _ in moving}
    return [(name, f"old-{name}") for name in sorted(strangers)] + first + last


def own_addresses(lines: Iterable[str]) -> None:
    """Take the addresses that a lease gave us over as our own: with no metric, as they are after a boot.

    systemd-networkd keeps an address that its new configuration has as well, and remembers it with the metric of the
    lease. It forgets it when it is gone for a moment: too short a one for a connection to notice.
    """
    wanted = set(lines)
    leased = (line.split() for line in addresses(ask("address", "show")) if " metric " in line)
    _add_anew([(nic, ip) for nic, ip, *_ in leased if f"{nic} {ip}" in wanted])


def misplaced(configured: list[str], shown: list[str]) -> list[str]:
    """The addresses to add anew, in order, so that a NIC has its addresses in the order of its .network file.

    Programs that look at one address of a NIC take the first; at boot that is the first of the file.

    >>> misplaced(["10.80.0.1/24", "10.78.0.1/24"], ["10.78.0.1/24", "10.80.0.1/24"])
    ['10.78.0.1/24']
    """
    kept = [ip for ip in shown if ip in configured]
    place = 0
    for ip in kept:
        place += ip == configured[place]
    return configured[place:] if sorted(kept) == sorted(configured) else []


def order_addresses(root: Path, devices: Iterable[str]) -> bool:
    """Put the addresses of these NICs into the order of their files; whether any was out of it."""
    shown = {link["ifname"]: link.get("addr_info", []) for link in ask("-4", "address", "show")}
    moved = []
    for nic in devices:
        file = on(root, f"/etc/systemd/network/50-{nic}.network")
        lines = file.read_text().splitlines() if file.is_file() else []
        configured = [line.partition("=")[2] for line in lines if line.startswith("Address=")]
        present = [f"{one['local']}/{one['prefixlen']}" for one in shown.get(nic, [])]
        moved += [(nic, ip) for ip in misplaced(configured, present)]
    _add_anew(moved)
    return bool(moved)


def _add_anew(places: list[tuple[str, str]]) -> None:
    """Take addresses (NIC, address) away and add them again, each within microseconds."""
    batch = [f"address {step} dev {nic}" for nic, ip in places for step in (f"delete {ip}", f"add {ip} broadcast +")]
    if batch:
        run("ip", "-batch", "-", stdin="\n".join(batch) + "\n")


def link(lines: Iterable[str]) -> str:
    """Give the NICs the names, aliases and MTUs of the facet `links` now; at boot udev does it from the .link files."""
    parts = [match for match in map(_LINK.fullmatch, lines) if match]
    steps = renames(nics_by_mac(ask("-details", "link", "show")), {part["mac"]: part["name"] for part in parts})
    for old, new in steps:
        _rename(old, new)
    present = {device["ifname"]: device for device in ask("link", "show")}
    batch = []
    for part in parts:
        device = present.get(part["name"])
        if device is None:
            continue
        if device["mtu"] != int(part["mtu"]):
            batch.append(f"link set dev {part['name']} mtu {part['mtu']}")
        if device.get("ifalias") != part["alias"]:
            alias = part["alias"] or ""
            batch.append(f'link set dev {part["name"]} alias "{alias}"')
    if batch:
        run("ip", "-batch", "-", stdin="\n".join(batch) + "\n")
    words = [f"{old} is {new}" for old, new in steps] + [line.removeprefix("link set dev ") for line in batch]
    return f"links: {', '.join(words)}" if words else ""


def _rename(old: str, new: str) -> None:
    """Rename a NIC; kernels before 6.2 refuse while it is up, so it goes down for the moment that it takes."""
    try:
        run("ip", "link", "set", "dev", old, "name", new)
    except MachineError as error:
        if "busy" not in str(error).lower():
            raise
        steps = (f"link set dev {old} down", f"link set dev {old} name {new}", f"link set dev {new} up")
        run("ip", "-batch", "-", stdin="\n".join(steps) + "\n")
