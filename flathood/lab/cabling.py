# SPDX-License-Identifier: Apache-2.0
"""Makes namespaces, switches and cables, in as few calls as there are namespaces."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from flathood.lab import fabric, paths
from flathood.lab.errors import LabError
from flathood.lab.run import run
from flathood.lab.state import State


def add_namespaces(lab: str, spaces: Iterable[str]) -> None:
    """One network namespace for each machine and the fabric, loopback not yet up."""
    _ip("".join(f"netns add {paths.namespace(lab, space)}\n" for space in spaces))


def remove_namespaces(names: Iterable[str]) -> None:
    """Delete namespaces (their full names) with all that is in them; those that are gone already do not matter."""
    for name in names:
        with suppress(LabError):
            run(("ip", "netns", "delete", name))


def namespaces_of(lab: str, others: Iterable[str]) -> list[str]:
    """Namespaces that are the lab's by name, without `others`: lab ``a``, machine ``b-c`` is not lab ``a-b``'s."""
    if not paths.NETNS.is_dir():
        return []
    taken = set(others)
    return sorted(file.name for file in paths.NETNS.glob(paths.namespace(lab, "*")) if file.name not in taken)


def add_switches(state: State) -> None:
    """The switches, dark, in a fabric that never speaks by itself: no IPv6 on any port."""
    space = paths.namespace(state.planned.lab, paths.FABRIC)
    if Path("/proc/sys/net/ipv6").is_dir():
        names = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        run(("ip", "netns", "exec", space, "sysctl", "-q", "-w", *names))
    _ip("\n".join(fabric.bridge_lines(state)), space)


def apply(old: State | None, new: State) -> None:
    """Change what is plugged where, from one state to the next."""
    batch = fabric.change(old, new)
    for space, lines in batch.ip.items():
        _ip("\n".join(lines), paths.namespace(new.planned.lab, space))
    for space, lines in batch.tc.items():
        run(("tc", "-n", paths.namespace(new.planned.lab, space), "-batch", "-"), "\n".join(lines) + "\n")
    words = ("sysctl", "-q", "-w", f"net.ipv4.tcp_limit_output_bytes={fabric.queued(new.planned.rate)}")
    for machine in sorted(batch.tc.keys() - {paths.FABRIC}):
        run(("ip", "netns", "exec", paths.namespace(new.planned.lab, machine), *words))


def node_device() -> str:
    """The kind of device that can carry a node address on this kernel: dummy, else ifb, else a portless bridge."""
    for kind in ("dummy", "ifb"):
        with suppress(LabError):
            run(("unshare", "--net", "ip", "link", "add", "name", "probe", "type", kind))
            return kind
    return "bridge"


def _ip(lines: str, space: str | None = None) -> None:
    run(("ip", *(("-n", space) if space else ()), "-batch", "-"), lines + "\n")
