# SPDX-License-Identifier: Apache-2.0
"""What is on the machines' disks before anybody provisions them: keys, and the network as a bare machine has it."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

from flathood.lab import paths
from flathood.lab.hardware import Hardware, Kind, Machine
from flathood.lab.run import run

#: A bare machine asks for an address on every NIC; the last file in order, so any other file for a NIC replaces it.
_BARE = """\
[Match]
Type=ether
Kind=veth

[Link]
RequiredForOnline=no

[Network]
DHCP=ipv4
LinkLocalAddressing=no
IPv6AcceptRA=no

[DHCPv4]
ClientIdentifier=mac
"""
#: The head's way to the cluster, as the operator who set it up would have written it.
_UPLINK = """\
[Match]
Name=eth0

[Network]
Address={address}
LinkLocalAddressing=no
IPv6AcceptRA=no
"""


def write_common(hardware: Hardware) -> None:
    """The layer that all machines of a lab share: one key opens root everywhere, from outside and among themselves."""
    key = paths.key_file(hardware.lab)
    key.parent.mkdir(parents=True, mode=0o700)
    paths.control_sockets(hardware.lab).mkdir(mode=0o700)
    _make_key(key, f"lab {hardware.lab}")
    layer = paths.common_layer(hardware.lab)
    _folder(layer, 0o755)
    for name, mode in (("etc", 0o755), ("etc/ssh", 0o755), ("root", 0o700), ("root/.ssh", 0o700)):
        _folder(layer / name, mode)
    public = key.with_suffix(".pub").read_text()
    _file(layer / "root/.ssh/authorized_keys", public, 0o600)
    shutil.copy(key, layer / "root/.ssh/id_ed25519")
    _make_key(layer / "etc/ssh/ssh_host_ed25519_key", f"hosts of lab {hardware.lab}")
    host_key = (layer / "etc/ssh/ssh_host_ed25519_key.pub").read_text()
    _file(layer / "etc/ssh/ssh_known_hosts", f"* {host_key}")
    _file(paths.lab_run(hardware.lab) / "ssh" / "known_hosts", f"* {host_key}")
    _file(layer / "etc/systemd/network/90-bare.network", _BARE)


def write_disk(hardware: Hardware, machine: Machine) -> None:
    """A new disk: empty but for the machine's identity, and for the head its uplink."""
    disk = paths.disk(hardware.lab, machine.name)
    for name in ("upper", "work", "root"):
        _folder(disk / name, 0o755)
    identity = hashlib.sha256(f"{hardware.lab}/{machine.name}".encode()).hexdigest()[:32]
    _file(disk / "upper/etc/machine-id", f"{identity}\n", 0o444)
    if machine.kind is Kind.HEAD:
        uplink = _UPLINK.format(address=hardware.head_address)
        _file(disk / "upper/etc/systemd/network/80-uplink.network", uplink)


def _make_key(file: Path, comment: str) -> None:
    run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", str(file)))


def _folder(folder: Path, mode: int) -> None:
    """Make a folder with this mode, whatever the umask: on an overlay the upper folder's mode is what counts."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(mode)


def _file(file: Path, content: str, mode: int = 0o644) -> None:
    for parent in reversed(file.parents):
        if not parent.exists():
            _folder(parent, 0o755)
    file.write_text(content)
    file.chmod(mode)
