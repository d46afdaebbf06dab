# SPDX-License-Identifier: Apache-2.0
"""Builds the root file system that all machines share, once, whole or not at all."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

from flathood.lab import confined, paths
from flathood.lab.errors import LabError
from flathood.lab.lock import hold
from flathood.lab.progress import Note, Progress, silent
from flathood.lab.recipe import Recipe
from flathood.lab.run import run

#: Longest time that another process's build is waited for, seconds.
_PATIENCE = 1800.0
#: Not needed after the build: package archives and lists, host keys (each lab makes its own).
_RUBBISH = ("var/cache/apt", "var/lib/apt/lists", "etc/machine-id", "var/lib/dbus/machine-id", "var/log/journal")


def folder(recipe: Recipe) -> Path:
    """Where the root file system of a recipe is, or will be."""
    return paths.CACHE / recipe.name


def ensure(recipe: Recipe, progress: Progress = silent) -> Path:
    """The root file system of a recipe, built if it is not there yet.

    It is built beside its place and renamed when it is complete, so an interrupted build is never taken for a whole
    one; the next build starts by clearing it away. Builders wait for each other.
    """
    done = folder(recipe)
    if done.is_dir():
        return done
    paths.CACHE.mkdir(parents=True, exist_ok=True)
    with progress(f"root file system (Debian {recipe.suite}, once)") as note:
        note("another process builds it, waiting")
        with hold(paths.CACHE / "rootfs.lock", "builds the lab's root file system", _PATIENCE):
            if not done.is_dir():
                note("starts")
                _build(recipe, done, note)
    return done


def _build(recipe: Recipe, done: Path, note: Note) -> None:
    fresh = paths.CACHE / "rootfs.building"
    log = paths.CACHE / f"{recipe.name}.log"
    shutil.rmtree(fresh, ignore_errors=True)
    dpkg = fresh / "etc/dpkg/dpkg.cfg.d/lab"
    dpkg.parent.mkdir(parents=True)
    dpkg.write_text(recipe.dpkg)
    command = ("debootstrap", "--variant=minbase", f"--include={','.join(recipe.packages)}", recipe.suite, str(fresh))
    confined.build((*command, *mirror()), proxies(), log, note)
    note("settings")
    for name, content in recipe.files.items():
        file = fresh / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    for verb, units in (("mask", recipe.masked), ("disable", recipe.disabled), ("enable", recipe.enabled)):
        run(("chroot", str(fresh), "systemctl", "--quiet", verb, *units))
    run(("chroot", str(fresh), "systemctl", "--quiet", "set-default", "multi-user.target"))
    for name in _RUBBISH:
        shutil.rmtree(fresh / name, ignore_errors=True)
        with suppress(OSError):
            (fresh / name).unlink()
    for key in (fresh / "etc/ssh").glob("ssh_host_*"):
        key.unlink()
    fresh.rename(done)


def mirror() -> tuple[str, ...]:
    """The Debian mirror that FLATHOOD_MIRROR names, else the one that this machine's own apt uses for its release.

    Nothing: debootstrap knows one.
    """
    if named := os.environ.get("FLATHOOD_MIRROR"):
        return (named,)
    lines = Path("/etc/os-release").read_text().splitlines()
    release = dict(line.split("=", 1) for line in lines if "=" in line)
    if release.get("ID", "").strip('"') != "debian":
        return ()
    codename = release.get("VERSION_CODENAME", "").strip('"')
    with suppress(LabError):
        form = "$(RELEASE) $(COMPONENT) $(REPO_URI)"
        for line in run(("apt-get", "indextargets", "--format", form, "Created-By: Packages")).splitlines():
            words = line.split()
            if words[:2] == [codename, "main"] and words[2].rstrip("/").endswith("/debian"):
                return (words[2],)
    return ()


def proxies() -> dict[str, str]:
    """The proxy that this machine's own apt uses, as debootstrap's downloader reads it."""
    with suppress(LabError):
        words = run(("apt-config", "shell", "proxy", "Acquire::http::Proxy")).strip().partition("=")
        if words[2]:
            return {"http_proxy": words[2].strip("'")}
    return {}
