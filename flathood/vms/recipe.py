# SPDX-License-Identifier: Apache-2.0
"""What a virtual machine's disk is made of: the lab's root file system, with a kernel and a way in for Vagrant."""

from __future__ import annotations

import platform

from flathood.lab.errors import LabError
from flathood.lab.recipe import BARE, DISABLED, DPKG, ENABLED, MASKED, PACKAGES, SUITES, Recipe, check_suite

#: Debian's kernel for machines that have no hardware of their own, by processor.
_KERNELS = {"x86_64": "linux-image-cloud-amd64", "aarch64": "linux-image-cloud-arm64"}
_FILES = {
    "etc/fstab": "/dev/vda / ext4 defaults,noatime 0 1\n",
    # A bare machine asks for an address on every NIC; the last file in order, so any other file for a NIC replaces it.
    "etc/systemd/network/90-bare.network": (
        "[Match]\nType=ether\nName=eth*\n\n[Link]\nRequiredForOnline=no\n\n"
        "[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n\n[DHCPv4]\nClientIdentifier=mac\n"
    ),
    "etc/sudoers.d/vagrant": "vagrant ALL=(ALL) NOPASSWD: ALL\n",
    # Only what such a machine boots from: loading drivers of hardware that is not there costs seconds.
    "etc/initramfs-tools/conf.d/flathood": "MODULES=list\nCOMPRESS=lz4\n",
    "etc/initramfs-tools/modules": "virtio_pci\nvirtio_blk\next4\n",
}
#: Nobody logs in at a console, and every second of a boot counts six times here.
_MASKED = ("systemd-logind.service", "getty@tty1.service", "serial-getty@ttyS0.service")


def virtual(suite: str = SUITES[0]) -> Recipe:
    """The recipe for a Debian release, of machines with a kernel of their own."""
    check_suite(suite)
    machine = platform.machine()
    if machine not in _KERNELS:
        raise LabError(f"no virtual machines on {machine}: there is a kernel for {' and '.join(_KERNELS)}")
    return Recipe(
        suite=suite,
        arch=machine,
        packages=(*PACKAGES, _KERNELS[machine], "lz4", "sudo"),
        dpkg=DPKG,
        files=BARE | _FILES,
        masked=(*MASKED, *_MASKED),
        enabled=ENABLED,
        disabled=DISABLED,
    )
