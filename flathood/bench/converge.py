# SPDX-License-Identifier: Apache-2.0
"""How long Ansible takes to provision a cluster, and to find that nothing is to do, against one `ansible all -m ping`.

The ratios say more than the seconds: nodes, head and Ansible share this machine's processors.
"""

from __future__ import annotations

import re
import statistics
import tempfile
import time
from pathlib import Path

from flathood.bench.measure import Row
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.playbook import CHECKOUT, command, play, program
from flathood.registry import Registry, save_registry
from flathood.registry.model import Nic
from flathood.spec import load_cluster

#: What is measured unless told otherwise: six nodes, and 64 with two spares.
INVENTORIES = ("hexa", "klat2")
#: Seconds that one run may take, and that bare machines have to get their first addresses.
_LIMIT = 900
_PATIENCE = 240


def work(inventory: str) -> Row:
    """Provision a lab of the inventory, named `bench-…`, from bare machines; again; pings before, between and after.

    Machines wait for their first addresses before anything is timed: that takes what their DHCP clients make of it.
    Raises FlathoodError when a run fails.
    """
    with tempfile.TemporaryDirectory(prefix="flathood-bench-") as place:
        folder = _copy(CHECKOUT / "inventories" / inventory, Path(place) / inventory)
        lab = Lab.open(folder)
        try:
            lab.up()
            return _timed(lab, folder)
        finally:
            lab.down()


def _timed(lab: Lab, folder: Path) -> Row:
    cluster = load_cluster(folder / "cluster.yml")
    nics: dict[str, tuple[Nic | None, ...]] = {}
    for name, _, mac in sorted(lab.macs()):
        nics[name] = (*nics.get(name, ()), Nic(mac=mac))
    save_registry(folder / "macs.yml", Registry(cluster=cluster.cluster, nodes=nics))
    site = command("site", folder)
    ping = [program("ansible"), "all", "-m", "ansible.builtin.ping", "--one-line", "-i", str(folder)]
    _run(lab, [*site, "--limit", "head"])
    end = time.monotonic() + _PATIENCE
    while _seconds(lab, ping) is None:
        if time.monotonic() > end:
            raise FlathoodError(f"bench: not all machines of {lab.name} can be reached after {_PATIENCE} s")
    pings = [_run(lab, ping)]
    full = _run(lab, site)
    pings.append(_run(lab, ping))
    again = _run(lab, site)
    pings.append(_run(lab, ping))
    once = statistics.median(pings)
    return {
        "nodes": len(cluster.node_names),
        "machines": len(cluster.node_names) + len(cluster.spare_names) + 1,
        "ping_seconds": round(once, 2),
        "full_seconds": round(full, 2),
        "full_per_ping": round(full / once, 2),
        "again_seconds": round(again, 2),
        "again_per_ping": round(again / once, 2),
    }


def _copy(source: Path, target: Path) -> Path:
    """The inventory under a cluster name of its own, so that its lab meets no other one."""
    target.mkdir()
    for name in ("cluster.yml", "wiring.yml"):
        text = (source / name).read_text(encoding="utf-8")
        (target / name).write_text(re.sub(r"(?m)^cluster: ", "cluster: bench-", text), encoding="utf-8")
    return target


def _run(lab: Lab, argv: list[str]) -> float:
    seconds = _seconds(lab, argv)
    if seconds is None:
        raise FlathoodError(f"bench: `{' '.join(argv)}` failed in lab {lab.name}")
    return seconds


def _seconds(lab: Lab, argv: list[str]) -> float | None:
    """How long a program of Ansible takes at the lab's head; None when it fails."""
    began = time.monotonic()
    done = play(argv, lab, limit=_LIMIT)
    return None if done.returncode else time.monotonic() - began
