# SPDX-License-Identifier: GPL-3.0-or-later
"""What the roles wrote for systemd-networkd, read back: the ways to every address of every peer when all is well.

The kernel cannot be asked for them: with a NIC that its machine does not find any more goes all that names it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface
from pathlib import Path

NETWORK = Path("/etc/systemd/network")
#: A gateway, and the NIC that it is reached by.
Hop = tuple[IPv4Address, str]


@dataclass(frozen=True)
class Nic:
    """A NIC on a neighborhood: its own address there, and those of the peers."""

    address: IPv4Interface
    peers: tuple[IPv4Address, ...]


@dataclass(frozen=True)
class View:
    """``nics``: by name. ``ways``: the hops to each address of a peer; one that is on-link is its own gateway."""

    nics: dict[str, Nic] = field(default_factory=dict)
    ways: dict[IPv4Address, tuple[Hop, ...]] = field(default_factory=dict)

    def number(self, address: IPv4Address) -> int:
        """What tells a peer: the last part of its addresses is the same on every neighborhood."""
        nic = next(iter(self.nics.values()))
        return int(address) & int(nic.address.network.hostmask)

    def is_neighbor(self, address: IPv4Address) -> bool:
        """Whether an address is one on a neighborhood of this node."""
        return any(address in nic.address.network for nic in self.nics.values())


def read(folder: Path = NETWORK) -> View:
    """The view of the node whose files these are; one without NICs where there are none. Raises OSError, ValueError."""
    nics: dict[str, Nic] = {}
    ways: dict[IPv4Address, tuple[Hop, ...]] = {}
    for file in sorted(folder.glob("50-fnn[0-9]*.network")):
        device = file.stem.removeprefix("50-")
        told = [value for _, key, value in _settings(file) if key == "Address"]
        if not told:
            continue  # a NIC that is not used
        nic = _nic(IPv4Interface(told[0]), folder / f"{file.name}.d" / "arp.conf")
        if nic.peers:
            nics[device] = nic
            ways |= {peer: ((peer, device),) for peer in nic.peers}
            ways |= _routes(folder / f"{file.name}.d" / "routes.conf", device)
    view = View(nics, ways)
    # A gateway that is no neighbor is reached through the uplink: that way there is but one.
    return View(nics, {to: hops for to, hops in ways.items() if all(view.is_neighbor(gateway) for gateway, _ in hops)})


def _nic(address: IPv4Interface, arp: Path) -> Nic:
    known = [IPv4Address(value) for section, key, value in _settings(arp) if (section, key) == ("Neighbor", "Address")]
    return Nic(address, tuple(peer for peer in known if peer in address.network))


def _routes(file: Path, device: str) -> dict[IPv4Address, tuple[Hop, ...]]:
    ways: dict[IPv4Address, tuple[Hop, ...]] = {}
    to = None
    for _, key, value in _settings(file):
        if key == "Destination":
            to = IPv4Interface(value).ip if value.endswith("/32") else None
        elif key in ("Gateway", "MultiPathRoute") and to is not None:
            gateway, _, named = value.partition("@")
            ways[to] = (*ways.get(to, ()), (IPv4Address(gateway), named or device))
    return ways


def _settings(file: Path) -> Iterator[tuple[str, str, str]]:
    """Section, key and value of each setting (systemd.syntax(7)); none where there is no such file."""
    section = ""
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if line.startswith("["):
            section = line.strip("[]")
        elif "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            yield section, key.strip(), value.strip()
