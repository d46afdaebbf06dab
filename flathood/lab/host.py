# SPDX-License-Identifier: Apache-2.0
"""What the lab needs of the machine that it runs on: checked before, borrowed for the time of the labs, given back."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from flathood.lab import cgroups, paths
from flathood.lab.errors import LabError
from flathood.lab.lock import hold
from flathood.lab.run import run

#: Program → the Debian package that has it.
TOOLS = {
    "ip": "iproute2",
    "tc": "iproute2",
    "bridge": "iproute2",
    "systemd-nspawn": "systemd-container",
    "debootstrap": "debootstrap",
    "ssh-keygen": "openssh-client",
    "nsenter": "util-linux",
    "unshare": "util-linux",
    "setsid": "util-linux",
    "setpriv": "util-linux",
    "sysctl": "procps",
    "mount": "mount",
}
#: Bytes of memory that one idle machine needs, and the lab besides (measured: 1.4 GiB for 64, 0.18 GiB for 6).
MACHINE_MEMORY = 32 << 20
LAB_MEMORY = 64 << 20
#: Bytes of disk: what one machine writes when it boots and is provisioned; a root file system while it is built.
MACHINE_DISK = 8 << 20
ROOT_DISK = 1 << 30

_INOTIFY = Path("/proc/sys/fs/inotify/max_user_instances")
#: systemd takes some 20 instances a machine: at Debian's 128 about 30 machines boot, the rest hang without a word.
_INOTIFY_NEEDED = 8192
#: What network namespaces may choose for TCP (Linux: networking/ip-sysctl). Role routes has nodes choose this one; the
#: list has it unless this machine itself chooses another.
_CONTROLS = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")
_CONTROL = "cubic"
#: What was in each setting before the first lab.
_BEFORE = {_INOTIFY: paths.RUN / "inotify.before", _CONTROLS: paths.RUN / "controls.before"}
_LOCK = paths.RUN / "lock"


def check_root() -> None:
    """LabError unless this is root."""
    if os.geteuid():
        raise LabError("the lab makes network namespaces and mounts: run it as root (sudo)")


def check_tools() -> None:
    """LabError unless this is root on a machine with all the tools and a kernel with all the devices."""
    check_root()
    missing = sorted({package for tool, package in TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise LabError(f"programs are missing: apt-get install {' '.join(missing)}")
    lacking = [kind for kind in ("bridge", "veth") if not _kernel_makes(kind)]
    if not _filesystem("overlay"):
        lacking.append("overlay")
    if not _filesystem("cgroup2"):
        lacking.append("cgroup2")
    if lacking:
        raise LabError(f"this kernel has no {', '.join(lacking)} (try modprobe, or another kernel)")


def check_room(machines: int, building: bool) -> None:
    """LabError unless memory and disk suffice for so many machines (and for building a root file system)."""
    need = machines * MACHINE_MEMORY + LAB_MEMORY
    free = memory_free()
    if need > free:
        raise LabError(f"{machines} machines need about {need >> 20} MiB of memory, {free >> 20} MiB are free")
    need = machines * MACHINE_DISK + (ROOT_DISK if building else 0)
    for folder in {paths.DISKS, paths.CACHE}:
        folder.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if need > free:
            raise LabError(f"{folder}: the lab needs about {need >> 20} MiB, {free >> 20} MiB are free")


def memory_free() -> int:
    """Bytes of memory that can be had without swapping."""
    for line in Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) << 10
    raise LabError("/proc/meminfo: no MemAvailable")


def borrow(lab: str) -> None:
    """Take what all labs share, and note that `lab` uses it (its control group is the note)."""
    with hold(_LOCK, "prepares this machine for a lab", patience=30):
        cgroups.mount()
        cgroups.end(paths.lab_cgroup(lab))  # left by a lab whose mount of the hierarchy was lost before its processes
        paths.command_cgroup(lab).mkdir(parents=True, exist_ok=True)
        if int(_INOTIFY.read_text()) < _INOTIFY_NEEDED:
            _set(_INOTIFY, str(_INOTIFY_NEEDED))
        controls = _CONTROLS.read_text().split()
        if _CONTROL not in controls:
            with suppress(LabError):  # built in, most often
                run(("modprobe", f"tcp_{_CONTROL}"))
            _set(_CONTROLS, " ".join([*controls, _CONTROL]))


def give_back() -> None:
    """Undo `borrow` when no lab is left."""
    with hold(_LOCK, "gives back what the labs borrowed of this machine", patience=30):
        if paths.CGROUP_MOUNT.is_mount() and any(entry.is_dir() for entry in paths.CGROUPS.glob("*")):
            return
        cgroups.unmount()
        for setting, before in _BEFORE.items():
            if before.exists():
                setting.write_text(before.read_text())
                before.unlink()


def _set(setting: Path, value: str) -> None:
    _BEFORE[setting].write_text(setting.read_text())
    try:
        setting.write_text(value)
    except OSError as error:
        raise LabError(f"{setting}: cannot be set to {value!r}, as a lab needs it: {error.strerror}") from error


def _kernel_makes(kind: str) -> bool:
    try:
        run(("unshare", "--net", "ip", "link", "add", "name", "probe", "type", kind))
    except LabError:
        return False
    return True


def _filesystem(kind: str) -> bool:
    if kind in Path("/proc/filesystems").read_text().split():
        return True
    with suppress(LabError):
        run(("modprobe", kind))
    return kind in Path("/proc/filesystems").read_text().split()
