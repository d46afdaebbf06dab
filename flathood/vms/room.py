# SPDX-License-Identifier: Apache-2.0
"""A room of its own for libvirt: network, mount and process namespaces without any link to the machine's network.

A libvirtd in the room serves all that runs in it. Ending the room's first process ends everything in it: domains,
bridges, mounts. What is left is the room's folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from flathood.lab import paths
from flathood.lab.errors import LabError
from flathood.lab.run import run

ROOMS = paths.DISKS.parent / "vms"
#: Seconds until libvirtd answers in a new room, and until a room's last process has gone.
_PATIENCE = 60.0

# libvirtd finds in the room what it would find on a machine of its own. The first process stays and reaps: what the
# room's programs leave behind has no other parent.
_FIRST = """\
set -e
mount --make-rprivate /
ip link set lo up
mount -t sysfs sysfs /sys
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /etc/libvirt /var/lib/libvirt /var/cache/libvirt /var/log/libvirt
mount --bind "$ROOM/etc" /etc/libvirt
mount --bind "$ROOM/lib" /var/lib/libvirt
mount --bind "$ROOM/cache" /var/cache/libvirt
mount --bind "$ROOM/log" /var/log/libvirt
libvirtd -d
echo ready
while :; do sleep 3600 & wait $! || true; done
"""
#: No security driver, no control groups, no namespaces of QEMU's own: the room is all of these.
_QEMU = """\
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
security_driver = "none"
cgroup_controllers = []
namespaces = []
seccomp_sandbox = 0
stdio_handler = "file"
"""
_LIBVIRTD = """\
unix_sock_group = "root"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_outputs = "3:file:/var/log/libvirt/libvirtd.log"
"""


@dataclass(frozen=True)
class Room:
    """The room of one cluster, open or not."""

    cluster: str

    @property
    def folder(self) -> Path:
        """All that the room keeps on the disk."""
        return ROOMS / self.cluster

    @property
    def note(self) -> Path:
        """The file with the machines that are in the room."""
        return self.folder / "site.json"

    @property
    def first(self) -> int | None:
        """The room's first process, by its number outside; None: it is not open."""
        with suppress(OSError, ValueError):
            pid, began = (self.folder / "first").read_text().split()
            if _began(int(pid)) == began:
                return int(pid)
        return None

    @property
    def is_open(self) -> bool:
        """Whether a libvirtd is at work in it."""
        return self.first is not None

    def open(self) -> bool:
        """Open the room with a libvirtd that answers; False: it was open. LabError with libvirt's words if it fails."""
        if self.first is not None:
            return False
        self.clear()
        for name in ("etc", "lib", "cache", "log", "vagrant"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "etc/qemu.conf").write_text(_QEMU)
        (self.folder / "etc/libvirtd.conf").write_text(_LIBVIRTD)
        log = self.folder / "log/room.log"
        with log.open("wb") as record:
            outer = subprocess.Popen(
                ("setsid", "unshare", "--net", "--mount", "--pid", "--fork", "--mount-proc", "bash", "-c", _FIRST),
                stdin=subprocess.DEVNULL,
                stdout=record,
                stderr=subprocess.STDOUT,
                env=os.environ | {"ROOM": str(self.folder), "LC_ALL": "C.UTF-8"},
                cwd="/",
            )
        deadline = time.monotonic() + _PATIENCE
        while not self._answers(outer.pid):
            if outer.poll() is not None or time.monotonic() > deadline:
                words = log.read_text(errors="replace").strip()
                outer.kill()
                self.clear()
                raise LabError(f"libvirtd does not answer in a room of its own:\n{words}")
            time.sleep(0.1)
        return True

    def clear(self) -> None:
        """Close the room and delete its folder; any number of times."""
        first = self.first
        if first is not None:
            os.kill(first, signal.SIGKILL)
            deadline = time.monotonic() + _PATIENCE
            while self.first is not None and time.monotonic() < deadline:
                time.sleep(0.05)
        shutil.rmtree(self.folder, ignore_errors=True)
        for each in (ROOMS, ROOMS.parent):
            with suppress(OSError):  # not empty, or not there
                each.rmdir()

    def enter(self, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` in the room."""
        first = self.first
        if first is None:
            raise LabError(f"the virtual machines of {self.cluster} are not up")
        return ["nsenter", f"--target={first}", "--net", "--mount", "--pid", f"--wdns={Path.cwd()}", "--", *argv]

    def _answers(self, outer: int) -> bool:
        """Whether the room is open and its libvirtd answers; its first process is noted as soon as there is one."""
        if self.first is None:
            children = Path(f"/proc/{outer}/task/{outer}/children")
            with suppress(OSError):
                if pids := children.read_text().split():
                    (self.folder / "first").write_text(f"{pids[0]} {_began(int(pids[0]))}")
            return False
        if "ready" not in (self.folder / "log/room.log").read_text(errors="replace"):
            return False
        with suppress(LabError):
            run(self.enter(("virsh", "--connect", "qemu:///system", "version")))
            return True
        return False


def _began(pid: int) -> str:
    """When a process began, in clock ticks since the boot, see proc_pid_stat(5): no other of its number has that."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
