# SPDX-License-Identifier: Apache-2.0
"""Small clusters in the lab, for the tests that need real machines."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flathood.lab import Lab
from flathood.playbook import CHECKOUT
from flathood.registry import Nic, Registry, save_registry

#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 400.0
#: Has Ansible print what it did as JSON, see `told`.
AS_JSON = {"ANSIBLE_STDOUT_CALLBACK": "ansible.posix.json"}


def copied(parent: Path, name: str, original: str = "hexa") -> Path:
    """A folder with the cluster and the wiring of a shipped inventory under another name; no MAC is known."""
    folder = parent / name
    folder.mkdir()
    for file in ("cluster.yml", "wiring.yml"):
        text = (CHECKOUT / "inventories" / original / file).read_text()
        (folder / file).write_text(text.replace(f"cluster: {original}", f"cluster: {name}"))
    return folder


@contextmanager
def running(folder: Path) -> Iterator[Lab]:
    """The lab of the cluster in a folder: whatever an earlier run left is gone first, and everything at the end."""
    lab = Lab.open(folder)
    lab.down()
    try:
        lab.up()
        yield lab
    finally:
        lab.down()


def know_macs(lab: Lab, folder: Path) -> None:
    """Write down all MACs that the lab dealt out, as a vendor's list would have them."""
    nics: dict[str, tuple[Nic | None, ...]] = {}
    for machine, _, mac in sorted(lab.macs()):
        nics[machine] = (*nics.get(machine, ()), Nic(mac=mac))
    save_registry(folder / "macs.yml", Registry(cluster=folder.name, nodes=nics))


def told(text: str) -> dict[str, Any]:
    """The JSON in what Ansible printed: "plays" and "stats". Warnings may stand before it."""
    found: dict[str, Any] = json.JSONDecoder().raw_decode(text[text.index("{\n") :])[0]
    return found


def until(true: Callable[[], bool], what: str) -> None:
    """Wait until something is true, however slow the machine is."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, f"not within {PATIENCE:.0f} s: {what}"
        time.sleep(0.05)
