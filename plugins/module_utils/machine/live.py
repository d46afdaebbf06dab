# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's state as sorted text lines, one list per facet: the same lines that the plan says it expects.

Every facet is a pure function of what ``ip -json`` printed or /proc holds, so that a recorded machine is a test.
"""

from __future__ import annotations

import hashlib
import json
import re
import subprocess
from collections.abc import Iterable
from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

from .files import on

#: The devices that belong to flathood: the NICs by slot, and the device that carries the node address.
OURS = re.compile(r"fnn\d+|node0")
NIC = re.compile(r"fnn\d+")
MULTICAST = IPv4Network("224.0.0.0/4")
SYSCTL_FILES = "/etc/sysctl.d/60-fnn-{role}.conf"
#: Nothing here waits for the network; an ``ip`` that needs longer than this is stuck.
SECONDS = 30

Json = list[dict[str, Any]]


def digest(lines: Iterable[str]) -> str:
    """SHA-256 of a facet: what the controller and a machine compare instead of the lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def ask(*arguments: str) -> Json:
    """Ask ``ip -json``; an empty list when it prints nothing."""
    answer = subprocess.run(["ip", "-json", *arguments], capture_output=True, text=True, timeout=SECONDS, check=True)
    return [entry for entry in json.loads(answer.stdout or "[]") if entry]


def links(devices: Json) -> list[str]:
    """`fnn0 02:00:00:00:00:01 mtu 1500 alias red`: each NIC's name, address, MTU and neighborhood."""
    return sorted(
        f"{link['ifname']} {link.get('address', '')} mtu {link['mtu']}"
        + (f" alias {link['ifalias']}" if link.get("ifalias") else "")
        for link in devices
        if NIC.fullmatch(link["ifname"])
    )


def without_carrier(devices: Json) -> list[str]:
    """`fnn1 (blue)`: each NIC that is up and has nothing living at the other end of its cable."""
    return sorted(
        f"{link['ifname']} ({link.get('ifalias', 'no alias')})"
        for link in devices
        if NIC.fullmatch(link["ifname"]) and "UP" in link["flags"] and "LOWER_UP" not in link["flags"]
    )


def addresses(devices: Json) -> list[str]:
    """`fnn0 10.80.0.1/24`: each IPv4 address of a NIC or of `node0`, with the metric that only a lease gives it."""
    return sorted(
        f"{link['ifname']} {one['local']}/{one['prefixlen']}"
        + (f" metric {one['metric']}" if one.get("metric") else "")
        for link in devices
        if OURS.fullmatch(link["ifname"])
        for one in link.get("addr_info", [])
        if one["family"] == "inet"
    )


def arp(devices: Json) -> list[str]:
    """`fnn0 off`: the NICs that neither ask nor answer for addresses."""
    return sorted(
        f"{link['ifname']} off" for link in devices if NIC.fullmatch(link["ifname"]) and "NOARP" in link["flags"]
    )


def neighbors(entries: Json) -> list[str]:
    """`fnn0 10.80.0.2 02:00:00:00:00:02`: the permanent IPv4 entries of each NIC."""
    return sorted(
        f"{entry['dev']} {entry['dst']} {entry['lladdr']}"
        for entry in entries
        if "PERMANENT" in entry["state"] and NIC.fullmatch(entry["dev"]) and ":" not in entry["dst"]
    )


def routes(entries: Json) -> list[str]:
    """`10.80.2.3 via 10.80.0.3 dev fnn0`, each further hop in the same words, by NIC: unicast routes of the fabric."""
    found = []
    for route in entries:
        hops = route.get("nexthops", [route])
        if _is_multicast(route["dst"]) or not all(NIC.fullmatch(hop.get("dev", "")) for hop in hops):
            continue
        words = [f"via {hop['gateway']} dev {hop['dev']}" if "gateway" in hop else f"dev {hop['dev']}" for hop in hops]
        words.sort(key=lambda text: text.rpartition(" ")[2])
        found.append(f"{route['dst']} {' '.join(words)}")
    return sorted(found)


def multicast(entries: Json) -> list[str]:
    """`224.0.0.0/4 dev fnn0`: by which NIC multicast leaves."""
    return sorted(f"{route['dst']} dev {route['dev']}" for route in entries if _is_multicast(route["dst"]))


def mptcp(entries: Json) -> list[str]:
    """`fnn0 10.80.0.1 subflow`: the MPTCP endpoints on our NICs."""
    return sorted(
        f"{one['dev']} {one['address']} {' '.join(key for key in sorted(one) if one[key] is True)}"
        for one in entries
        if NIC.fullmatch(one.get("dev", ""))
    )


def endpoints() -> Json:
    """Ask for the MPTCP endpoints; none on a kernel, or by an ``ip``, that knows nothing of them."""
    command = ["ip", "-json", "mptcp", "endpoint", "show"]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    found: Json = json.loads(answer.stdout or "[]") if answer.returncode == 0 else []
    return found


def sysctl(root: Path, keys: Iterable[str]) -> list[str]:
    """`net.ipv4.conf.all.arp_ignore 1`: the kernel's value of each key; a key that it does not have is left out."""
    found = []
    for key in keys:
        path = setting(root, key)
        if path.exists():
            found.append(f"{key} {' '.join(path.read_text().split())}")
    return sorted(found)


def setting(root: Path, key: str) -> Path:
    """File below /proc/sys of a sysctl key; all its separators are dots, as our NICs' names hold none."""
    return on(root, "/proc/sys") / key.replace(".", "/")


def settings(root: Path, role: str) -> list[tuple[str, str, bool]]:
    """Key, value and whether it must be there, of the role's own sysctl file on this machine (sysctl.d(5))."""
    path = on(root, SYSCTL_FILES.format(role=role))
    if not path.is_file():
        return []
    lines = (line.split("#", 1)[0].partition("=") for line in path.read_text().splitlines())
    parts = [(key.strip(), value.strip()) for key, equals, value in lines if equals]
    return [(key.removeprefix("-"), value, not key.startswith("-")) for key, value in parts]


def sysctl_keys(root: Path, role: str) -> list[str]:
    """Keys that the role's own sysctl file on this machine must be able to set."""
    return [key for key, _, needed in settings(root, role) if needed]


def hostname(root: Path) -> list[str]:
    """`k17`: the name that the kernel goes by."""
    return [on(root, "/proc/sys/kernel/hostname").read_text().strip()]


def facets(root: Path = Path("/")) -> dict[str, list[str]]:
    """All facets but ``sysctl``, which each role asks for its own keys."""
    devices = ask("-details", "address", "show")
    static = ask("-4", "route", "show", "table", "main", "proto", "static", "type", "unicast")
    return {
        "links": links(devices),
        "addresses": addresses(devices),
        "arp": arp(devices),
        "neighbors": neighbors(ask("-4", "neighbor", "show", "nud", "permanent")),
        "routes": routes(static),
        "multicast": multicast(static),
        "mptcp": mptcp(endpoints()),
        "hostname": hostname(root),
    }


def _is_multicast(destination: str) -> bool:
    return destination != "default" and IPv4Network(destination, strict=False).subnet_of(MULTICAST)
