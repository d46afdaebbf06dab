# SPDX-License-Identifier: Apache-2.0
"""A cluster of virtual machines as a rehearsal uses it: bring up, recable, look, take down."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from flathood.errors import Conflict
from flathood.inventory import load
from flathood.lab import access, host
from flathood.lab.errors import LabError
from flathood.lab.lock import hold
from flathood.lab.progress import Note, Progress, silent
from flathood.lab.recipe import SUITES
from flathood.lab.run import run
from flathood.plan import addresses
from flathood.playbook import CHECKOUT
from flathood.rehearse.command import run as run_long
from flathood.vms import box as boxes
from flathood.vms.box import Box
from flathood.vms.fabric import VIRSH, Fabric
from flathood.vms.inside import IN_VMS
from flathood.vms.room import ROOMS, Room
from flathood.vms.settings import from_environment
from flathood.vms.site import Site, site

#: Program → the Debian package that has it.
_TOOLS = {
    "vagrant": "vagrant",
    "libvirtd": "libvirt-daemon-system",
    "virsh": "libvirt-clients",
    "qemu-img": "qemu-utils",
    "extlinux": "extlinux",
    "mke2fs": "e2fsprogs",
}
#: What Vagrant is at: "==> k17: Starting domain."
_STEP = re.compile(r"^==> (\S+: [^-].*)$")


class Vms:
    """The virtual machines of one cluster, up or not. What cannot be done raises LabError."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.cluster = load(directory, need_macs=False).cluster
        self.name = self.cluster.cluster
        self.room = Room(self.name)

    @classmethod
    def open(cls, where: str | Path) -> Self:
        """The virtual machines of a cluster's folder or of an inventory's name."""
        return cls(access.folder(where))

    def up(self, progress: Progress = silent, suite: str = SUITES[0]) -> bool:
        """Bring all machines up, as wiring.yml plans the cables; False: they were up already.

        `suite` is the Debian release of the box, which is made when there is none.
        """
        check_tools()
        with self._locked("brings virtual machines up"):
            made = boxes.ensure(suite, progress)
            wanted = site(self.directory, from_environment(os.environ | made.variables))
            if self._running(wanted):
                return False
            self._check_memory(wanted)
            if self.room.first is None:
                with progress("a libvirtd of its own"):
                    self.room.open()
            self.room.note.write_text(wanted.model_dump_json(indent=1))
            self._write_access(made)
            with progress(f"{len(wanted.machines)} virtual machines (vagrant up)") as note:
                self._vagrant(made, note)
            with progress(f"{len(wanted.switches) + 1} switches, joined and timed"):
                self.fabric.join()
        return True

    def down(self, progress: Progress = silent) -> bool:
        """Take everything away: machines, disks, networks, libvirtd; False: there was nothing."""
        host.check_root()
        if not self.room.folder.exists():
            return False
        with self._locked("takes virtual machines down"), progress(f"take the machines of {self.name} down"):
            self.room.clear()
        return True

    @property
    def site(self) -> Site:
        """The machines that are up; LabError if none are."""
        if self.room.first is None or not self.room.note.exists():
            raise LabError(f"the virtual machines of {self.name} are not up (bin/rehearse --vagrant {self.name})")
        return Site.model_validate_json(self.room.note.read_bytes())

    @property
    def machines(self) -> tuple[str, ...]:
        """Names of the machines that are up, the head among them."""
        return tuple(machine.name for machine in self.site.machines)

    @property
    def fabric(self) -> Fabric:
        """The switches and cables."""
        return Fabric(self.site, self.cluster.links.rate, self.room.enter)

    def macs(self) -> list[tuple[str, int, str]]:
        """Machine, slot and MAC of every NIC, Vagrant's own management NICs left out."""
        return [
            (machine.name, slot, port.mac) for machine in self.site.machines for slot, port in enumerate(machine.ports)
        ]

    def at_head(self, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` with this machine's files and an address on the uplink switch."""
        return self.room.enter(argv)

    def login(self, machine: str) -> list[str]:
        """The command that logs in to a machine as root; LabError if there is none of this name."""
        if machine not in self.machines:
            raise LabError(f"{machine}: no machine here; there are {', '.join(self.machines)}")
        numbered = (*self.cluster.node_names, *self.cluster.spare_names)
        outside = self.cluster.addresses.outside
        at = addresses.host(outside, numbered.index(machine)) if machine in numbered else addresses.head(self.cluster)
        settings = self.environment
        options = settings["ANSIBLE_SSH_ARGS"].split()
        return self.at_head(("ssh", "-i", settings["ANSIBLE_PRIVATE_KEY_FILE"], *options, f"root@{at}"))

    @property
    def environment(self) -> dict[str, str]:
        """Variables for Ansible and ssh to reach the machines."""
        folder = self.room.folder / "ssh"
        return {IN_VMS: self.name, **access.ssh(folder / "key", folder / "known_hosts", folder / "sockets")}

    @contextmanager
    def _locked(self, what: str) -> Iterator[None]:
        with hold(ROOMS / f"{self.name}.lock", what):
            yield

    def _write_access(self, made: Box) -> None:
        """The key, the machines' common host key, and room for shared connections."""
        folder = self.room.folder / "ssh"
        (folder / "sockets").mkdir(parents=True, exist_ok=True)
        (folder / "key").unlink(missing_ok=True)
        (folder / "key").symlink_to(made.key)
        (folder / "known_hosts").write_text(f"* {made.host_key.read_text()}")

    def _running(self, wanted: Site) -> bool:
        """Whether all of these machines are up; Conflict if they are there in another shape."""
        if self.room.first is None or not self.room.note.exists():
            return False
        if self.site != wanted:
            raise Conflict(
                f"the virtual machines of {self.name} are up, but with other cables, MACs or settings: take them down "
                f"first (bin/rehearse --vagrant --down {self.name})"
            )
        domains = run(self.room.enter((*VIRSH, "list", "--name"))).split()
        return {machine.domain for machine in wanted.machines} <= set(domains)

    def _vagrant(self, made: Box, note: Note) -> None:
        settings = {
            "VAGRANT_CWD": str(CHECKOUT),
            "VAGRANT_HOME": str(made.file.parent / "home"),
            "VAGRANT_DOTFILE_PATH": str(self.room.folder / "vagrant"),
            "VAGRANT_NO_COLOR": "1",
            "VAGRANT_CHECKPOINT_DISABLE": "1",
            "FLATHOOD_INVENTORY": str(self.directory),
            **made.variables,
        }
        log = CHECKOUT / "build" / self.name / "rehearse" / "vagrant.log"
        argv = self.room.enter(("vagrant", "up", "--provider", "libvirt"))
        done = run_long(argv, log, note, settings, _STEP)
        if done.code:
            words = "\n".join(f"  | {line}" for line in done.tail)
            raise LabError(f"{words}\nvagrant up failed (exit code {done.code}). All that it said: {log}")

    def _check_memory(self, wanted: Site) -> None:
        free = host.memory_free() >> 20
        if wanted.memory > free:
            each = wanted.memory // len(wanted.machines)
            raise LabError(
                f"{len(wanted.machines)} virtual machines need {wanted.memory} MiB of memory ({each} each, "
                f"{wanted.settings.driver}), {free} MiB are free: FLATHOOD_NODES={wanted.machines[0].name},… brings up "
                f"fewer, FLATHOOD_MEMORY (now {wanted.settings.memory}) makes them smaller"
            )


def check_tools() -> None:
    """LabError unless this is root on a machine with all the programs."""
    host.check_root()
    missing = sorted({package for tool, package in _TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise LabError(f"programs are missing: bin/setup lab vagrant, or apt-get install {' '.join(missing)}")
