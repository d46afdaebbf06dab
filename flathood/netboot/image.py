# SPDX-License-Identifier: Apache-2.0
"""Makes a root image of a root file system: what the head serves to machines that boot from the network."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Mapping
from pathlib import Path

from flathood.lab import confined, paths, rootfs
from flathood.lab.lock import hold
from flathood.lab.progress import Note, Progress, silent
from flathood.lab.recipe import Recipe
from flathood.netboot.initramfs import HOOK, LABEL, SCRIPT

#: Longest time that another process's image is waited for, seconds.
_PATIENCE = 1800.0
#: Every machine makes host keys of its own when it boots for the first time, unless the image has some.
_KEYS = """\
[Unit]
Description=Make this machine's ssh host keys
ConditionPathExists=!/etc/ssh/ssh_host_ecdsa_key
Before=ssh.service

[Service]
Type=oneshot
ExecStart=ssh-keygen -A

[Install]
WantedBy=multi-user.target
"""
# All mounts are made in a mount namespace that ends with the shell.
_MAKE = """\
set -e
mount --make-rprivate /
mount -t overlay overlay -o "lowerdir=$BASE,upperdir=$WORK/upper,workdir=$WORK/work" "$WORK/root"
mount -t proc proc "$WORK/root/proc"
mount --bind /dev "$WORK/root/dev"
chmod 755 "$WORK/root/etc/initramfs-tools/hooks/flathood"
chmod 700 "$WORK/root/root/.ssh"
chroot "$WORK/root" systemctl --quiet enable flathood-keys.service
echo "I: initial file system of the kernel"
chroot "$WORK/root" update-initramfs -u
umount "$WORK/root/dev" "$WORK/root/proc"
install -m 644 "$WORK"/root/boot/vmlinuz-* "$WORK/new/vmlinuz"
install -m 644 "$WORK"/root/boot/initrd.img-* "$WORK/new/initrd.img"
echo "I: root image"
tar -C "$WORK/root" --numeric-owner --xattrs --xattrs-include='*' -cf "$WORK/root.tar" .
lz4 -q --rm "$WORK/root.tar" "$WORK/new/root.tar.lz4"
cd "$WORK/new"
sha256sum root.tar.lz4 >root.sha256
"""


def ensure(recipe: Recipe, key: str, secrets: Mapping[str, str] | None = None, progress: Progress = silent) -> Path:
    """The folder with the image of a recipe's root file system, what the variable ``head_netboot`` of role head names.

    It is made if it is not there yet; an interrupted one is begun anew.

    ``key``: who may log in as root, in the form of authorized_keys(5). ``secrets``: files that all machines get, by
    their paths, for root alone; without ssh host keys among them each machine makes its own.
    """
    files = {
        # Empty, it is made up at the first boot; without the file, a root file system that is read-only cannot boot.
        "etc/machine-id": "",
        "etc/fstab": f"LABEL={LABEL} / ext4 defaults,noatime 0 1\n",
        "etc/initramfs-tools/hooks/flathood": HOOK,
        "etc/initramfs-tools/scripts/flathood": SCRIPT,
        "etc/systemd/system/flathood-keys.service": _KEYS,
        "root/.ssh/authorized_keys": key.rstrip() + "\n",
    }
    secrets = dict(secrets or {})
    said = (recipe.name, _MAKE, *(word for file in sorted((files | secrets).items()) for word in file))
    digest = hashlib.sha256("\0".join(said).encode()).hexdigest()
    done = paths.CACHE / "images" / f"{recipe.suite}-{digest[:12]}"
    if done.is_dir():
        return done
    base = rootfs.ensure(recipe, progress)
    with (
        progress(f"root image (Debian {recipe.suite}, once)") as note,
        hold(paths.CACHE / "images.lock", "makes a root image", _PATIENCE),
    ):
        if not done.is_dir():
            _make(base, done, files, secrets, note)
    return done


def _make(base: Path, done: Path, files: dict[str, str], secrets: dict[str, str], note: Note) -> None:
    work = paths.CACHE / "image.building"
    shutil.rmtree(work, ignore_errors=True)
    for name in ("upper", "work", "root", "new"):
        (work / name).mkdir(parents=True)
    for name, content in (files | secrets).items():
        file = work / "upper" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
        if name in secrets:
            file.chmod(0o600)
    log = paths.CACHE / f"{done.name}.log"
    variables = {"WORK": str(work), "BASE": str(base), "LC_ALL": "C.UTF-8"}
    confined.build(("sh", "-c", _MAKE), variables, log, note)
    done.parent.mkdir(exist_ok=True)
    (work / "new").rename(done)
    shutil.rmtree(work)
