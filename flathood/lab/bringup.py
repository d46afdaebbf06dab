# SPDX-License-Identifier: Apache-2.0
"""Builds a lab: disks, namespaces, switches, cables, then power. The caller holds the lock and guards the whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from flathood.errors import Conflict
from flathood.lab import cabling, guard, host, layers, machines, paths, rootfs, state, teardown
from flathood.lab.errors import LabError
from flathood.lab.hardware import Hardware
from flathood.lab.progress import Note, Progress
from flathood.lab.recipe import Recipe
from flathood.lab.state import Phase, State

#: Seconds that one machine may take to boot alone; processor seconds that each costs, with much in reserve.
_BOOT = 30.0
_BOOT_CPU = 2.0


def bring_up(hardware: Hardware, directory: Path, recipe: Recipe, progress: Progress) -> State:
    """A whole lab that is up, or nothing: whatever goes wrong, even a kill of this process, all is cleared away."""
    lab = hardware.lab
    if teardown.remains(lab):
        with progress("clear away what an earlier lab left"):
            teardown.clear(lab)
    _check_namespaces(hardware)
    host.check_room(len(hardware.machines), building=not rootfs.folder(recipe).is_dir())
    root = rootfs.ensure(recipe, progress)
    current = State(
        directory=directory,
        nonce=secrets.token_hex(8),
        phase=Phase.STARTING,
        root=root,
        node_device=cabling.node_device(),
        planned=hardware,
        cables=hardware.cables,
    )
    with guard.guarded(lab, current.nonce):
        state.save(current)
        host.borrow(lab)
        with progress(f"{len(hardware.all_switches)} switches, {_cable_count(hardware)} cables"):
            layers.write_common(hardware)
            for machine in hardware.machines:
                layers.write_disk(hardware, machine)
            cabling.add_namespaces(lab, (paths.FABRIC, *hardware.by_name))
            cabling.add_switches(current)
            cabling.apply(None, current)
        with progress(f"boot {len(hardware.machines)} machines") as note:
            boot(current, hardware.by_name, note)
        current = current.but(phase=Phase.UP)
        state.save(current)
    return current


def boot(current: State, names: Iterable[str], note: Note) -> None:
    """Switch machines on and wait for all; LabError names those that did not come up, with their last words."""
    names = tuple(names)
    patience = _BOOT + _BOOT_CPU * len(names) / (os.cpu_count() or 1)
    failures = machines.boot(current, names, patience, note)
    if failures:
        told = "\n".join(str(failure) for failure in failures)
        raise LabError(f"{len(failures)} of {len(names)} machines did not come up:\n{told}")


def _check_namespaces(hardware: Hardware) -> None:
    """Names can meet: machine ``c`` of lab ``a-b`` and machine ``b-c`` of lab ``a``."""
    wanted = {paths.namespace(hardware.lab, name) for name in (paths.FABRIC, *hardware.by_name)}
    taken = sorted(name for name in wanted if (paths.NETNS / name).exists())
    if taken:
        raise Conflict(f"network namespaces of these names are there already: {', '.join(taken)} (of another lab?)")


def _cable_count(hardware: Hardware) -> int:
    return len(hardware.cables) + len(hardware.switches)
