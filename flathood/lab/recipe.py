# SPDX-License-Identifier: Apache-2.0
"""What the machines' root file system is made of: packages, and what is changed in it. Its digest names the result."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass

from flathood.lab.errors import LabError

#: Debian releases that machines can run, the default first.
SUITES = ("bookworm", "trixie")

PACKAGES = (
    *("systemd", "systemd-sysv", "dbus", "udev"),
    *("iproute2", "iputils-ping", "ethtool", "tcpdump"),
    *("openssh-server", "openssh-client", "python3", "dnsmasq"),
    *("openmpi-bin", "python3-mpi4py", "iperf3", "mptcpize"),
    # Switches that can be asked are rehearsed with the real daemons; none of them runs unless a test starts it.
    *("snmpd", "lldpd"),
)
#: Documentation is half of such a system, and syncing every file is slow; neither matters in a lab.
DPKG = """\
force-unsafe-io
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
"""
#: What every machine of a rehearsal has, of whatever kind.
BARE = {
    "etc/hostname": "bare\n",
    "etc/hosts": "127.0.0.1 localhost\n",
    # A name server that is not there would hold up every login.
    "etc/ssh/sshd_config.d/lab.conf": "UseDNS no\n",
}
#: For machines that share the kernel of the one they run on.
_SHARED_KERNEL = {
    # The kernel's own settings belong to the machine that the lab runs on: only the network's are the node's.
    "etc/systemd/system/systemd-sysctl.service.d/lab.conf": (
        "[Service]\nExecStart=\nExecStart=/lib/systemd/systemd-sysctl --prefix=/net\n"
    ),
    # The devices of the machine that the lab runs on are visible: look at the network's only.
    "etc/systemd/system/systemd-udev-trigger.service.d/lab.conf": (
        "[Service]\nExecStart=\nExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=net\n"
    ),
    # Logs are small, in memory, and gone with the power: 64 journals on one disk are 64 times 8 MiB.
    "etc/systemd/journald.conf.d/lab.conf": ("[Journal]\nStorage=volatile\nRuntimeMaxUse=4M\nRuntimeMaxFileSize=1M\n"),
}
#: Consoles nobody looks at, and upkeep that would run on every machine at once.
MASKED = (
    *("apt-daily.timer", "apt-daily-upgrade.timer", "dpkg-db-backup.timer", "e2scrub_all.timer", "fstrim.timer"),
    *("console-getty.service", "getty.target", "e2scrub_reap.service", "systemd-pstore.service"),
)
ENABLED = ("systemd-networkd.service",)
DISABLED = ("dnsmasq.service", "lldpd.service", "snmpd.service")


@dataclass(frozen=True)
class Recipe:
    """Everything that decides what is in a root file system."""

    suite: str
    arch: str
    packages: tuple[str, ...]
    dpkg: str
    files: dict[str, str]
    masked: tuple[str, ...]
    enabled: tuple[str, ...]
    disabled: tuple[str, ...]

    @property
    def name(self) -> str:
        """The folder in the cache: another recipe is another folder."""
        digest = hashlib.sha256(repr(sorted(asdict(self).items())).encode()).hexdigest()
        return f"rootfs-{self.suite}-{digest[:12]}"


def check_suite(suite: str) -> None:
    """LabError unless machines can run this Debian release."""
    if suite not in SUITES:
        raise LabError(f"no recipe for {suite!r}: the lab's machines run {' or '.join(SUITES)}")


def recipe(suite: str = SUITES[0], more: Iterable[str] = ()) -> Recipe:
    """The recipe for a Debian release, of machines that share the kernel of the one they run on.

    ``more``: packages beside those that every lab has.
    """
    check_suite(suite)
    return Recipe(
        suite=suite,
        arch=platform.machine(),
        packages=(*PACKAGES, *sorted({*more} - {*PACKAGES})),
        dpkg=DPKG,
        files=BARE | _SHARED_KERNEL,
        masked=MASKED,
        enabled=ENABLED,
        disabled=DISABLED,
    )
