# SPDX-License-Identifier: Apache-2.0
"""What a virtual machine's disk is made of: the lab's root file system, with a kernel and a way in for Vagrant."""

from __future__ import annotations

import platform

from flathood.lab.errors import LabError
from flathood.lab.recipe import BARE, DISABLED, DPKG, ENABLED, MASKED, PACKAGES, SUITES, Recipe, check_suite
from flathood.netboot.recipe import NETWORK, TOOLS

#: Debian's kernel for machines that have no hardware of their own, by processor.
_KERNELS = {"x86_64": "linux-image-cloud-amd64", "aarch64": "linux-image-cloud-arm64"}
#: For Vagrant, and for a head that serves firmware without an apt of its own.
_MORE = ("ipxe", "sudo")
_FILES = {
    "etc/fstab": "/dev/vda / ext4 defaults,noatime 0 1\n",
    "etc/sudoers.d/vagrant": "vagrant ALL=(ALL) NOPASSWD: ALL\n",
    # Only what such a machine boots from: loading drivers of hardware that is not there costs seconds.
    "etc/initramfs-tools/conf.d/flathood": "MODULES=list\nCOMPRESS=lz4\n",
    "etc/initramfs-tools/modules": "virtio_pci\nvirtio_blk\nvirtio_net\naf_packet\next4\ncrc32c_generic\n",
}
#: Nobody logs in at a console, and every second of a boot counts six times here.
_MASKED = ("getty@tty1.service", "serial-getty@ttyS0.service")


def virtual(suite: str = SUITES[0]) -> Recipe:
    """The recipe for a Debian release, of machines with a kernel of their own."""
    check_suite(suite)
    machine = platform.machine()
    if machine not in _KERNELS:
        raise LabError(f"no virtual machines on {machine}: there is a kernel for {' and '.join(_KERNELS)}")
    return Recipe(
        suite=suite,
        arch=machine,
        packages=(*PACKAGES, _KERNELS[machine], *TOOLS, *_MORE),
        dpkg=DPKG,
        files=BARE | NETWORK | _FILES,
        masked=(*MASKED, *_MASKED),
        enabled=ENABLED,
        disabled=DISABLED,
    )
