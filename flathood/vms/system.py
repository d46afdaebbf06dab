# SPDX-License-Identifier: Apache-2.0
"""The libvirtd of this machine itself, where one runs: machines are its domains, switches bridges beside all others.

Nothing of it is ours but what the note lists, so that is looked for before anything is made, and taken away at the end.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from flathood.errors import Conflict
from flathood.lab.errors import LabError
from flathood.lab.run import run
from flathood.vms.fabric import VIRSH, uplink_ends
from flathood.vms.room import ROOMS, Room
from flathood.vms.site import Site

_MARK = "system"
#: Where libvirtd of Debian 12 and 13 listens.
_SOCKETS = (Path("/run/libvirt/libvirt-sock"), Path("/run/libvirt/virtqemud-sock"))


@dataclass(frozen=True)
class System(Room):
    """A cluster's machines under the system's libvirtd."""

    @property
    def is_open(self) -> bool:
        """Whether there is a note of machines, and libvirtd answers."""
        return (self.folder / _MARK).exists() and answers()

    def open(self) -> bool:
        """Make room for notes; False: it was there."""
        if self.is_open:
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / _MARK).touch()
        return True

    def clear(self) -> None:
        """Take all machines, disks, networks and cables of the note away, and the note."""
        if self.note.exists():
            _clear(Site.model_validate_json(self.note.read_bytes()))
        shutil.rmtree(self.folder, ignore_errors=True)
        for each in (ROOMS, ROOMS.parent):
            with suppress(OSError):  # not empty, or not there
                each.rmdir()

    def enter(self, argv: Sequence[str]) -> list[str]:
        """The command as it is: there is nothing to enter."""
        return [*argv]

    def check(self, wanted: Site) -> None:
        """Conflict, which names all of it, when something on this machine has a name or an address that is wanted."""
        domains = {machine.domain for machine in wanted.machines}
        networks = {network.name for network in wanted.networks.values()} | {wanted.management}
        devices = {port.tap for machine in wanted.machines for port in machine.ports}
        devices |= {end for number in range(len(wanted.switches)) for end in uplink_ends(number)}
        links = {link["ifname"] for link in json.loads(run(("ip", "-json", "link")))}
        words = [
            *(f"a domain {name}" for name in sorted(domains & {*run((*VIRSH, "list", "--all", "--name")).split()})),
            *(
                f"a network {name}"
                for name in sorted(networks & {*run((*VIRSH, "net-list", "--all", "--name")).split()})
            ),
            *(f"a device {name}" for name in sorted(devices & links)),
            *_overlaps(wanted),
        ]
        if words:
            raise Conflict(
                f"this machine's libvirt or network has {', '.join(words)} already: another rehearsal of this kind? "
                f"Take it down first, or give cluster {wanted.cluster} another name and other addresses"
            )


def room_of(cluster: str) -> Room:
    """Where the machines of a cluster are, or would be: under this machine's libvirtd if one runs, else in a room."""
    own = Room(cluster)
    if (own.folder / _MARK).exists():
        return System(cluster)
    return System(cluster) if not own.folder.exists() and answers() else own


def answers() -> bool:
    """Whether this machine has a libvirtd that answers; LabError if it does but is not for us."""
    if not any(socket.exists() for socket in _SOCKETS):
        return False
    try:
        run((*VIRSH, "version"))
    except LabError as error:
        if "authentication" in str(error) or "ermission" in str(error):
            raise LabError(
                f"libvirtd runs on this machine, but is not for you: run this as root (sudo), or see auth_unix_rw in "
                f"/etc/libvirt/libvirtd.conf. It says: {error}"
            ) from None
        return False
    return True


def _overlaps(wanted: Site) -> list[str]:
    uplink = wanted.networks[wanted.uplink]
    ours = [IPv4Network(wanted.settings.management), IPv4Network(f"{uplink.address}/{uplink.netmask}")]
    found = []
    for route in json.loads(run(("ip", "-json", "-4", "route"))):
        if route["dst"] != "default":
            there = IPv4Network(route["dst"], strict=False)
            found += [f"a route to {there} ({route.get('dev', 'no device')})" for each in ours if there.overlaps(each)]
    return found


def _clear(site: Site) -> None:
    """Each step may find that there is nothing to take away."""
    for machine in site.machines:
        for verb in (("destroy",), ("undefine", "--remove-all-storage", "--nvram")):
            _try((*VIRSH, verb[0], machine.domain, *verb[1:]))
    for number in range(len(site.switches)):
        _try(("ip", "link", "delete", "dev", uplink_ends(number)[0]))
    for name in [network.name for network in site.networks.values()] + [site.management]:
        _try((*VIRSH, "net-destroy", name))
        _try((*VIRSH, "net-undefine", name))
    with suppress(LabError):
        for line in run((*VIRSH, "vol-list", "default")).splitlines():
            volume = line.split()[0] if line.split() else ""
            if site.settings.box_file and volume.startswith(f"{site.settings.box}_vagrant_box_image"):
                _try((*VIRSH, "vol-delete", volume, "default"))


def _try(argv: Sequence[str]) -> None:
    with suppress(LabError):
        run(argv)
