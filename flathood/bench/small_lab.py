# SPDX-License-Identifier: Apache-2.0
"""A small cluster in the lab for a benchmark: up under a name of its own, its MACs known, gone at the end."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.playbook import CHECKOUT, command, play
from flathood.registry import Nic, Registry, save_registry

#: Seconds that site.yml may take.
_LIMIT = 900.0


@contextmanager
def small_lab(
    name: str, files: dict[str, str], rate: int | None = None, packages: tuple[str, ...] = ()
) -> Iterator[tuple[Lab, Path]]:
    """The lab of a cluster with these files (cluster.yml, wiring.yml), and its folder; needs root.

    Raises FlathoodError.
    """
    with tempfile.TemporaryDirectory(prefix="flathood-bench-") as place:
        folder = Path(place) / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        lab = Lab.open(folder)
        try:
            lab.up(rate=rate, packages=packages)
            nics: dict[str, tuple[Nic | None, ...]] = {}
            for machine, _, mac in sorted(lab.macs()):
                nics[machine] = (*nics.get(machine, ()), Nic(mac=mac))
            save_registry(folder / "macs.yml", Registry(cluster=name, nodes=nics))
            yield lab, folder
        finally:
            lab.down()


def copied(original: str, name: str) -> dict[str, str]:
    """The files of a shipped inventory under another name."""
    folder = CHECKOUT / "inventories" / original
    texts = {file: (folder / file).read_text(encoding="utf-8") for file in ("cluster.yml", "wiring.yml")}
    return {file: text.replace(f"cluster: {original}", f"cluster: {name}") for file, text in texts.items()}


def site(lab: Lab, folder: Path, **variables: object) -> None:
    """Have site.yml make the lab what the folder says; FlathoodError with the end of what it printed."""
    done = play(command("site", folder, **variables), lab, limit=_LIMIT)
    if done.returncode:
        raise FlathoodError(f"bench: site.yml failed in lab {lab.name}:\n{done.stdout[-2000:]}")
