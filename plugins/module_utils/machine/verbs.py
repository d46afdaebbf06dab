# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs that turn written files into live state. Each says in one line what it did; nothing when all was right."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from . import live
from .command import MachineError, run
from .files import on
from .live import OURS, ask, setting, settings

#: What sets the MPTCP endpoints at boot.
MPTCP = "/etc/systemd/system/fnn-mptcp.service"
#: Words of a line of the live state that names one NIC at most.
_WORDS = 5


def networkd(devices: Iterable[str], files_changed: bool) -> str:
    """Let systemd-networkd take up changed files; where only the live state differs, set these devices up anew."""
    run("networkctl", "reload")
    if files_changed:
        return "systemd-networkd: files read again"
    names = [name for name in sorted(set(devices)) if Path("/sys/class/net", name).exists()]
    if names:
        run("networkctl", "reconfigure", *names)
    return f"systemd-networkd: {', '.join(names)} set up anew" if names else "systemd-networkd: files read again"


def drop_other_kind(device: str, kind: str) -> str:
    """Remove a virtual device whose kind is not the wanted one any more: systemd-networkd makes it again.

    An empty ``kind``: none is wanted, as a spare has no such device.
    """
    for one in ask("-details", "link", "show"):
        if one["ifname"] == device and one.get("linkinfo", {}).get("info_kind") != kind:
            run("ip", "link", "delete", "dev", device)
            return f"{device}: removed{f', as its kind changes to {kind}' if kind else ''}"
    return ""


def sysctl(root: Path, role: str) -> str:
    """Write each key of the role's file that the kernel shows differently; one that is needed and missing is named."""
    written = []
    for key, value, needed in _with_existing(settings(root, role)):
        path = setting(root, key)
        if not path.exists() and needed:
            raise MachineError(f"this kernel has no sysctl {key}")
        if path.exists() and " ".join(path.read_text().split()) != value:
            with nullcontext() if needed else suppress(OSError):
                path.write_text(value)
                written.append(key)
    return f"sysctl: {len(written)} set ({', '.join(written[:4])}{' …' if len(written) > 4 else ''})" if written else ""


def _with_existing(wanted: list[tuple[str, str, bool]]) -> list[tuple[str, str, bool]]:
    """The settings, and those for `default` for our devices that are there already: the next boot gives them so."""
    devices = [link["ifname"] for link in ask("link", "show") if OURS.fullmatch(link["ifname"])]
    told = {key for key, _, _ in wanted}
    inherited = [
        (key.replace(".default.", f".{device}."), value, False)
        for key, value, _ in wanted
        for device in devices
        if key.startswith("net.ipv4.conf.default.")
    ]
    return wanted + [one for one in inherited if one[0] not in told]


def routes(wanted: Iterable[str]) -> str:
    """Remove old routes with several next hops to places that the plan has another route to.

    systemd-networkd 252 forgets such a route when it is not in its files any more, and leaves it in the kernel.
    """
    lines = set(wanted)
    places = {line.split()[0] for line in lines}
    old = [line for line in several_hops() if line not in lines and line.split()[0] in places]
    if not old:
        return ""
    # One that is gone by now, as a later systemd-networkd removed it, is no fault.
    _batch(f"route del {line.replace(' via ', ' nexthop via ')}" for line in old)
    return f"routes: {len(old)} with several next hops removed"


def several_hops() -> list[str]:
    """The routes with several next hops, as facet `routes` has them."""
    shown = live.routes(ask("-4", "route", "show", "table", "main", "proto", "static", "type", "unicast"))
    return [line for line in shown if line.count(" via ") > 1]


def put_back(kept: Iterable[str]) -> str:
    """Set those of these routes with several next hops again that are not there any more.

    When systemd-networkd sets a NIC up anew it loses those that are in another NIC's files, and does not miss them.
    """
    lost = sorted(set(kept) - set(several_hops()))
    if not lost:
        return ""
    _batch(f"route replace {line.replace(' via ', ' nexthop via ').replace(' ', ' proto static ', 1)}" for line in lost)
    return f"routes: {len(lost)} with several next hops put back"


def _batch(lines: Iterable[str]) -> None:
    """Run lines by `ip -batch`, each whatever becomes of the others."""
    text = "".join(f"{line}\n" for line in lines)
    subprocess.run(["ip", "-force", "-batch", "-"], input=text, text=True, capture_output=True, check=False)


def ahead(drift: Mapping[str, tuple[list[str], list[str]]]) -> str:
    """Add the neighbor entries and routes that are new before systemd-networkd takes the old ones away.

    It sets up one NIC after the other, and removes what a NIC has no more before it adds what the next one gets: a peer
    whose route goes to another NIC would be out of reach meanwhile. What is there already it keeps. ``drift``: for each
    facet what the kernel shows and what it is to show.
    """
    orders = []
    for facet, order in (
        ("neighbors", "neighbor replace {1} lladdr {2} dev {0} nud permanent"),
        ("routes", "route replace {0} via {2} dev {4} proto static"),
    ):
        shown, wanted = drift.get(facet, ([], []))
        fresh = (line.split() for line in wanted if line not in set(shown))
        orders += [order.format(*words) for words in fresh if len(words) <= _WORDS]
    if not orders:
        return ""
    # What cannot be added yet, as a NIC is still down or has no address there, is systemd-networkd's to do.
    _batch(orders)
    return f"kernel: {len(orders)} neighbors and routes added ahead"


def mptcp(root: Path) -> str:
    """Have the endpoints of the service's file, or none where it has no file any more."""
    service = MPTCP.rpartition("/")[2]
    shown = run("systemctl", "show", service, "--property=ActiveState")
    if active := shown.strip() == "ActiveState=active":
        run("systemctl", "stop", service)  # by the file before, which knows what it set
    wanted = on(root, MPTCP).is_file()
    if active or wanted:
        run("systemctl", "daemon-reload")
    if not wanted:
        return "mptcp: no endpoints any more" if active else ""
    run("systemctl", "start", "--no-block", service)
    return "mptcp: endpoints set"


def hostname(name: str) -> str:
    """Let the kernel go by the name that /etc/hostname has for the next boot."""
    if socket.gethostname() == name:
        return ""
    socket.sethostname(name)
    return f"hostname: {name}"


def dnsmasq() -> str:
    """Check the configuration, then start the service with it: it reads its configuration once."""
    run("dnsmasq", "--test", "--conf-dir=/etc/dnsmasq.d,.dpkg-dist,.dpkg-old,.dpkg-new")
    run("systemctl", "restart", "dnsmasq.service")
    return "dnsmasq: started with the new configuration"


def leasing_for() -> int:
    """Seconds since dnsmasq began to lease addresses; 0 when it does not run."""
    shown = run("systemctl", "show", "dnsmasq.service", "--property=ActiveState,ActiveEnterTimestampMonotonic")
    answer = dict(line.split("=", 1) for line in shown.splitlines())
    if answer.get("ActiveState") != "active":
        return 0
    return int(time.monotonic() - int(answer["ActiveEnterTimestampMonotonic"]) / 1e6)


def configured(devices: Iterable[str]) -> bool:
    """Whether systemd-networkd has finished with every one of these devices that is there."""
    listed = json.loads(run("networkctl", "list", "--json=short"))["Interfaces"]
    states = {one["Name"]: one["AdministrativeState"] for one in listed}
    return all(states.get(name, "configured") == "configured" for name in devices)
