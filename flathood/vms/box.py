# SPDX-License-Identifier: Apache-2.0
"""Makes a Vagrant box of a root file system: a disk that boots by itself, once, whole or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path

from flathood.lab import confined, paths, rootfs
from flathood.lab.errors import LabError
from flathood.lab.lock import hold
from flathood.lab.progress import Note, Progress, silent
from flathood.lab.recipe import SUITES
from flathood.lab.run import run
from flathood.vms.recipe import virtual
from flathood.vms.settings import DISK, KERNEL

#: Longest time that another process's box is waited for, seconds.
_PATIENCE = 1800.0
_KERNEL = f"ro root=/dev/vda net.ifnames=0 quiet {KERNEL}"
_BOOT = "DEFAULT linux\nPROMPT 0\nTIMEOUT 0\nLABEL linux\n  LINUX {kernel}\n  INITRD {initrd}\n  APPEND {options}\n"

# All mounts are made in a mount namespace that ends with the shell. The disk has no partition table: SeaBIOS starts
# what extlinux puts into the file system's own first sector. extlinux reads ext4 without these three features only.
_MAKE = """\
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$BASE,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
mount -t proc proc "$WORK/root/proc"
mount --bind /dev "$WORK/root/dev"
echo "I: accounts"
chroot "$WORK/root" useradd --create-home --shell /bin/bash vagrant
install -d -m 700 -o 1000 -g 1000 "$WORK/root/home/vagrant/.ssh"
install -m 600 -o 1000 -g 1000 "$WORK/key.pub" "$WORK/root/home/vagrant/.ssh/authorized_keys"
install -d -m 700 "$WORK/root/root/.ssh"
install -m 600 "$WORK/key.pub" "$WORK/root/root/.ssh/authorized_keys"
install -m 600 "$WORK/key" "$WORK/root/root/.ssh/id_rsa"
chmod 440 "$WORK/root/etc/sudoers.d/vagrant"
ssh-keygen -q -t ecdsa -N '' -C 'a flathood box' -f "$WORK/root/etc/ssh/ssh_host_ecdsa_key"
sed 's/^/* /' "$WORK/root/etc/ssh/ssh_host_ecdsa_key.pub" >"$WORK/root/root/.ssh/known_hosts"
echo "I: initial file system of the kernel"
chroot "$WORK/root" update-initramfs -u
umount "$WORK/root/dev" "$WORK/root/proc"
echo "I: file system"
truncate -s "$SIZE" "$WORK/disk"
mke2fs -q -F -t ext4 -O ^has_journal,^metadata_csum,^64bit -E root_owner=0:0 -d "$WORK/root" "$WORK/disk"
echo "I: boot loader"
mkdir "$WORK/mounted"
mount -o loop "$WORK/disk" "$WORK/mounted"
extlinux --install "$WORK/mounted/boot/extlinux"
umount "$WORK/mounted"
echo "I: disk image"
qemu-img convert -O qcow2 "$WORK/disk" "$WORK/box/box.img"
echo "I: box"
tar -C "$WORK/box" -cf "$WORK/new/flathood.box" metadata.json Vagrantfile box.img
"""


@dataclass(frozen=True)
class Box:
    """A box: the name that Vagrant knows it by, its file, the private key that opens it, and its public host key.

    The private host key is beside the public one, without its ending.
    """

    name: str
    file: Path
    key: Path
    host_key: Path

    @property
    def variables(self) -> dict[str, str]:
        """What the Vagrantfile reads of it in the environment."""
        return {"FLATHOOD_BOX": self.name, "FLATHOOD_BOX_FILE": str(self.file), "FLATHOOD_KEY": str(self.key)}


def box(suite: str = SUITES[0]) -> Box:
    """The box of a Debian release; it may have to be made yet."""
    digest = hashlib.sha256("\0".join((virtual(suite).name, _MAKE, _KERNEL)).encode()).hexdigest()
    name = f"flathood-{suite}-{digest[:12]}"
    folder = paths.CACHE / "boxes" / name
    return Box(name, folder / "flathood.box", folder / "id_rsa", folder / "host.pub")


def ensure(suite: str = SUITES[0], progress: Progress = silent) -> Box:
    """The box of a Debian release, made if it is not there yet; an interrupted one is begun anew."""
    wanted = box(suite)
    if wanted.file.exists():
        return wanted
    base = rootfs.ensure(virtual(suite), progress)
    with (
        progress(f"Vagrant box (Debian {suite}, once)") as note,
        hold(paths.CACHE / "boxes.lock", "makes a Vagrant box", _PATIENCE),
    ):
        if not wanted.file.exists():
            _make(base, wanted, note)
    return wanted


def _make(base: Path, wanted: Box, note: Note) -> None:
    work = paths.CACHE / "box.building"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("upper/boot/extlinux", "work", "root", "box", "new"):
        (work / name).mkdir(parents=True)
    # RSA: Debian 12's Ruby library for ssh reads neither Ed25519 keys nor, with OpenSSL 3, elliptic ones.
    run(("ssh-keygen", "-q", "-t", "rsa", "-m", "PEM", "-N", "", "-C", wanted.name, "-f", str(work / "key")))
    kernel, initrd = (_only(base, f"boot/{name}-*") for name in ("vmlinuz", "initrd.img"))
    settings = _BOOT.format(kernel=f"/{kernel}", initrd=f"/{initrd}", options=_KERNEL)
    (work / "upper/boot/extlinux/extlinux.conf").write_text(settings)
    facts = {"provider": "libvirt", "format": "qcow2", "virtual_size": DISK >> 30}
    (work / "box/metadata.json").write_text(json.dumps(facts))
    (work / "box/Vagrantfile").write_text("Vagrant.configure('2') { |config| config.vm.guest = :debian }\n")
    log = paths.CACHE / f"{wanted.name}.log"
    variables = {"WORK": str(work), "BASE": str(base), "SIZE": str(DISK), "LC_ALL": "C.UTF-8"}
    confined.build(("sh", "-c", _MAKE), variables, log, note)
    for ending in ("", ".pub"):
        shutil.copy(
            work / f"upper/etc/ssh/ssh_host_ecdsa_key{ending}", work / "new" / f"{wanted.host_key.stem}{ending}"
        )
    (work / "key").rename(work / "new" / wanted.key.name)
    wanted.file.parent.parent.mkdir(exist_ok=True)
    shutil.rmtree(wanted.file.parent, ignore_errors=True)
    (work / "new").rename(wanted.file.parent)
    shutil.rmtree(work)


def _only(base: Path, pattern: str) -> Path:
    found = sorted(base.glob(pattern))
    if not found:
        raise LabError(f"{base}: there is no {pattern}: delete the folder, and it is built anew")
    return found[-1].relative_to(base)
