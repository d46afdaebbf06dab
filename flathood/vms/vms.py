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
from flathood.lab.paths import CACHE
from flathood.lab.progress import Note, Progress, silent
from flathood.lab.recipe import SUITES
from flathood.lab.run import run
from flathood.netboot import image as images
from flathood.plan import addresses
from flathood.playbook import CHECKOUT
from flathood.rehearse.command import run as run_long
from flathood.vms import box as boxes
from flathood.vms.box import Box
from flathood.vms.fabric import VIRSH, Fabric
from flathood.vms.inside import IN_VMS
from flathood.vms.recipe import virtual
from flathood.vms.room import ROOMS
from flathood.vms.settings import KERNEL, Settings, from_environment, virtualizes
from flathood.vms.site import Site, site
from flathood.vms.system import System, room_of

#: Program → the Debian package that has it.
_TOOLS = {
    "vagrant": "vagrant",
    "libvirtd": "libvirt-daemon-system",
    "virsh": "libvirt-clients",
    "qemu-img": "qemu-utils",
    "extlinux": "extlinux",
    "mke2fs": "e2fsprogs",
}
#: Bytes of disk that a machine writes, and that making a box takes (measured, with some to spare).
_MACHINE_DISK = 512 << 20
_BOX_DISK = 4 << 30
#: Where libvirt keeps disks by default.
_POOL = "/var/lib/libvirt/images"
#: ssh_config(5): emulated machines are slow, so silence is borne for some minutes.
_SSH = """\
Host *
  IdentityFile {key}
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known_hosts
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  ControlMaster auto
  ControlPersist 300
  ServerAliveInterval 15
  ServerAliveCountMax 12
Host {head}
  ControlPath {folder}/sockets/head
Host * !{head}
  ProxyCommand ssh -F {config} -W %h:%p root@{head}
"""
#: What Vagrant is at: "==> k17: Starting domain."
_STEP = re.compile(r"^==> (\S+: [^-].*)$")


class Vms:
    """The virtual machines of one cluster, up or not. What cannot be done raises LabError."""

    power = "vms"

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.cluster = load(directory, need_macs=False).cluster
        self.name = self.cluster.cluster
        self.room = room_of(self.name)

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
            wanted = site(self.directory, from_environment(os.environ | boxes.box(suite).variables))
            if self._running(wanted):
                return False
            check_driver(wanted.settings)
            self.check_space(wanted)
            made = boxes.ensure(suite, progress)
            if isinstance(self.room, System):
                if not self.room.note.exists():
                    self.room.check(wanted)
                self.room.open()
            elif not self.room.is_open:
                with progress("a libvirtd of its own"):
                    self.room.open()
            self.room.note.write_text(wanted.model_dump_json(indent=1))
            self.write_access(made)
            self._ensure_pool()
            how = "" if wanted.settings.driver == "kvm" else ", emulated"
            with progress(f"{len(wanted.machines)} virtual machines (vagrant up{how})") as note:
                self._vagrant(made, note)
            with progress(f"{len(wanted.switches) + 1} switches, joined and timed"):
                self.fabric.join()
                self.fabric.unplug_vagrant()
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
        if not (self.room.is_open and self.room.note.exists()):
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
        """Machine, slot and MAC of every NIC, Vagrant's own and those of bare machines left out."""
        return [
            (machine.name, slot, port.mac)
            for machine in self.site.machines
            if machine.boot == "disk"
            for slot, port in enumerate(machine.ports)
        ]

    @property
    def bare(self) -> tuple[str, ...]:
        """Names of the machines that have no disk image: they boot from the network."""
        return tuple(machine.name for machine in self.site.machines if machine.boot == "network")

    def netboot(self, progress: Progress, suite: str = SUITES[0]) -> dict[str, object]:
        """Variables of role head that have it serve bare machines their root image, which is made if there is none."""
        made = boxes.ensure(suite, progress)
        key = run(("ssh-keygen", "-y", "-f", str(made.key)))
        folder = images.ensure(virtual(suite), key, _shared(made), progress)
        return {"head_netboot": str(folder), "head_netboot_kernel": KERNEL}

    def at_head(self, argv: Sequence[str]) -> list[str]:
        """The command that runs `argv` with this machine's files and an address on the uplink switch."""
        return self.room.enter(argv)

    def login(self, machine: str) -> list[str]:
        """The command that logs in to a machine as root; LabError if there is none of this name."""
        if machine not in self.machines:
            raise LabError(f"{machine}: no machine here; there are {', '.join(self.machines)}")
        numbered = (*self.cluster.node_names, *self.cluster.spare_names)
        outside, head = self.cluster.addresses.outside, addresses.head(self.cluster)
        at = addresses.host(outside, numbered.index(machine)) if machine in numbered else head
        return self.at_head(("ssh", "-F", str(self._ssh / "config"), f"root@{at}"))

    @property
    def environment(self) -> dict[str, str]:
        """Variables for Ansible and ssh to reach the machines; emulated ones get more time."""
        patience = {} if self.site.settings.driver == "kvm" else {"ANSIBLE_TIMEOUT": "120", "ANSIBLE_FORKS": "4"}
        return {
            IN_VMS: self.name,
            "ANSIBLE_REMOTE_USER": "root",
            "ANSIBLE_SSH_ARGS": f"-F {self._ssh / 'config'}",
            "ANSIBLE_SSH_CONTROL_PATH_DIR": str(self._ssh / "sockets"),
            "ANSIBLE_HOST_KEY_CHECKING": "True",
            **patience,
        }

    @property
    def _ssh(self) -> Path:
        return self.room.folder / "ssh"

    @contextmanager
    def _locked(self, what: str) -> Iterator[None]:
        with hold(ROOMS / f"{self.name}.lock", what):
            yield

    def write_access(self, made: Box) -> None:
        """The key, the machines' common host key, and the way: nodes know no neighbor but those of the plan.

        So everything but the head is reached through the head, as from an operator's own machine.
        """
        (self._ssh / "sockets").mkdir(parents=True, exist_ok=True)
        (self._ssh / "known_hosts").write_text(f"* {made.host_key.read_text()}")
        head = addresses.head(self.cluster)
        config = self._ssh / "config"
        config.write_text(_SSH.format(folder=self._ssh, key=made.key, head=head, config=config))

    def _running(self, wanted: Site) -> bool:
        """Whether all of these machines are up; Conflict if they are there in another shape."""
        if not (self.room.is_open and self.room.note.exists()):
            return False
        if self.site != wanted:
            raise Conflict(
                f"the virtual machines of {self.name} are up, but with other cables, MACs or settings: take them down "
                f"first (bin/rehearse --vagrant --down {self.name})"
            )
        domains = run(self.room.enter((*VIRSH, "list", "--name"))).split()
        return {machine.domain for machine in wanted.machines} <= set(domains)

    def _ensure_pool(self) -> None:
        """Have the pool for disks that Vagrant takes for granted where a machine has no box."""
        pool = (*VIRSH, "pool-define-as", "default", "dir", "--target", _POOL)
        if "default" not in run(self.room.enter((*VIRSH, "pool-list", "--all", "--name"))).split():
            run(self.room.enter(pool))
            run(self.room.enter((*VIRSH, "pool-build", "default")))
        if "default" not in run(self.room.enter((*VIRSH, "pool-list", "--name"))).split():
            run(self.room.enter((*VIRSH, "pool-start", "default")))

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

    def check_space(self, wanted: Site) -> None:
        """LabError unless memory and disk suffice for these machines."""
        free = host.memory_free() >> 20
        if wanted.memory > free:
            each = wanted.memory // len(wanted.machines)
            raise LabError(
                f"{len(wanted.machines)} virtual machines need {wanted.memory} MiB of memory ({each} each, "
                f"{wanted.settings.driver}), {free} MiB are free: FLATHOOD_NODES={wanted.machines[0].name},… brings up "
                f"fewer, FLATHOOD_MEMORY (now {wanted.settings.memory}) makes them smaller"
            )
        need = len(wanted.machines) * _MACHINE_DISK + (0 if Path(wanted.settings.box_file).is_file() else _BOX_DISK)
        for folder in {ROOMS, CACHE}:
            folder.mkdir(parents=True, exist_ok=True)
            free = shutil.disk_usage(folder).free
            if need > free:
                raise LabError(f"{folder}: virtual machines need about {need >> 20} MiB, {free >> 20} MiB are free")


def _shared(made: Box) -> dict[str, str]:
    """What all machines of a box have in common: its host key, and the key by which they log in to each other."""
    host = made.host_key.with_suffix("")
    return {
        "etc/ssh/ssh_host_ecdsa_key": host.read_text(),
        "etc/ssh/ssh_host_ecdsa_key.pub": made.host_key.read_text(),
        "root/.ssh/id_rsa": made.key.read_text(),
        "root/.ssh/known_hosts": f"* {made.host_key.read_text()}",
    }


def check_driver(settings: Settings) -> None:
    """LabError where KVM is asked for and this machine has none for us."""
    if settings.driver == "kvm" and not virtualizes():
        raise LabError(
            "FLATHOOD_DRIVER=kvm: this machine's processor runs no virtual machines, or /dev/kvm is not there or not "
            "for you: switch virtualization on in its firmware (or in the machine that runs this one), or leave the "
            "variable out: machines are emulated then, some ten times slower"
        )


def check_tools() -> None:
    """LabError unless this is root on a machine with all the programs."""
    host.check_root()
    missing = sorted({package for tool, package in _TOOLS.items() if shutil.which(tool) is None})
    if missing:
        raise LabError(f"programs are missing: bin/setup lab vagrant, or apt-get install {' '.join(missing)}")
