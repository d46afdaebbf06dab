# SPDX-License-Identifier: Apache-2.0
"""What a root image is made of: Debian with a kernel for real hardware, and a bare machine's network."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from flathood.lab.errors import LabError
from flathood.lab.recipe import BARE, DISABLED, DPKG, ENABLED, MASKED, PACKAGES, SUITES, Recipe, check_suite

#: Debian's kernel with drivers for all hardware, by processor.
_KERNELS = {"x86_64": "linux-image-amd64"}
#: What the boot script and its hook need, see `flathood.netboot.initramfs`.
TOOLS = ("busybox", "lz4", "zstd")
#: A bare machine asks for an address on every NIC; the last file in order, so any other file for a NIC replaces it.
NETWORK = {
    "etc/systemd/network/90-bare.network": (
        "[Match]\nType=ether\nName=eth*\n\n[Link]\nRequiredForOnline=no\n\n"
        "[Network]\nDHCP=ipv4\nLinkLocalAddressing=no\nIPv6AcceptRA=no\n\n[DHCPv4]\nClientIdentifier=mac\n"
    )
}


def metal(suite: str = SUITES[0], more: Iterable[str] = ()) -> Recipe:
    """The recipe for a Debian release, of machines that are real; ``more``: packages beside."""
    check_suite(suite)
    machine = platform.machine()
    if machine not in _KERNELS:
        raise LabError(f"no root images for {machine}: there is a kernel for {' and '.join(_KERNELS)}")
    return Recipe(
        suite=suite,
        arch=machine,
        packages=(*PACKAGES, _KERNELS[machine], *TOOLS, *sorted({*more})),
        dpkg=DPKG,
        files=BARE | NETWORK | {"etc/initramfs-tools/conf.d/flathood": "MODULES=most\nCOMPRESS=zstd\n"},
        # Real machines have consoles, and somebody who looks at them.
        masked=tuple(unit for unit in MASKED if "getty" not in unit),
        enabled=ENABLED,
        disabled=DISABLED,
    )
