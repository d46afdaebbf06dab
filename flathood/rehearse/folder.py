# SPDX-License-Identifier: Apache-2.0
"""The folder that a rehearsal provisions from: the cluster's own, or a copy with the MACs of the lab's machines."""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable
from pathlib import Path

from flathood.inventory import MACS
from flathood.registry import State, load_registry, macs_of, save_registry
from flathood.spec import Cluster


def knows(folder: Path, cluster: Cluster, macs: Iterable[tuple[str, int, str]]) -> bool:
    """Whether macs.yml in the folder has exactly these MACs (machine, slot, MAC) for the machines' slots."""
    if not (folder / MACS).exists():
        return False
    registry = load_registry(folder / MACS, cluster)
    return all(dict(enumerate(macs_of(registry, name))).get(slot) == mac for name, slot, mac in macs)


def copy(folder: Path, into: Path) -> bool:
    """Make `into` a copy of the cluster's folder with the macs.yml that `into` had, if any; whether anything changed.

    The MACs of a rehearsal are made up: in the cluster's own folder they would pass for those of the real machines.
    """
    fresh = {file.relative_to(folder): file.read_bytes() for file in _files(folder) if file != folder / MACS}
    present = {file.relative_to(into): file.read_bytes() for file in _files(into)}
    kept = {Path(MACS): present[Path(MACS)]} if Path(MACS) in present else {}
    if present == fresh | kept:
        return False
    shutil.rmtree(into, ignore_errors=True)
    for path, content in (fresh | kept).items():
        (into / path).parent.mkdir(parents=True, exist_ok=True)
        (into / path).write_bytes(content)
    return True


def write_list(macs: Iterable[tuple[str, int, str]], file: Path) -> None:
    """Write the list as a vendor would deliver it, for `flathood macs import`."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(("node", "slot", "mac"))
        writer.writerows(macs)


def vouch(folder: Path, cluster: Cluster) -> None:
    """Have macs.yml in the folder say of all its NICs that they were seen: who made the machines knows them.

    Discovery takes a NIC that is only expected, and comes up beside the machine whose turn it is, for a contradiction.
    """
    known = load_registry(folder / MACS, cluster)
    nodes = {
        name: tuple(nic and nic.model_copy(update={"state": State.SEEN}) for nic in nics)
        for name, nics in known.nodes.items()
    }
    save_registry(folder / MACS, known.model_copy(update={"nodes": nodes}))


def _files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]
