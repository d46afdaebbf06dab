# SPDX-License-Identifier: GPL-3.0-or-later
"""The NICs of this machine as its kernel shows them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

_SYS = Path("/sys/class/net")
#: Kinds of virtual device that stand for a real NIC: the lab's NICs are ends of veth pairs.
_REAL = frozenset({"", "veth"})
#: A device on a PCI bus, as it is in a path of sysfs.
_STEP = re.compile(r"/([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]+)(?=/|$)")


def nics() -> list[dict[str, Any]]:
    """Each NIC with ``device``, ``mac``, ``path`` (None: the kernel shows none) and ``carrier``.

    They are in the order of the bus, then of the ports of one card, then of the kernel's numbers: in that order labels
    are counted, whatever the devices are called now.
    """
    shown = subprocess.run(["ip", "-j", "-d", "link", "show"], capture_output=True, check=True, timeout=30)
    links = [
        link
        for link in json.loads(shown.stdout)
        if link["link_type"] == "ether" and link.get("linkinfo", {}).get("info_kind", "") in _REAL
    ]
    return [
        {
            "device": link["ifname"],
            "mac": link["address"],
            "path": _path(link["ifname"]),
            "carrier": "LOWER_UP" in link["flags"],
        }
        for link in sorted(links, key=_order)
    ]


def switch_on(device: str) -> None:
    """Bring a NIC up: without that it has no carrier, whatever is plugged in."""
    subprocess.run(["ip", "link", "set", "dev", device, "up"], capture_output=True, check=False, timeout=30)


def _order(link: dict[str, Any]) -> tuple[list[list[int]], int, int]:
    """Bus by bus the hexadecimal numbers of the device's place, the port on its card, the kernel's number."""
    steps = _STEP.findall(os.path.realpath(_SYS / link["ifname"] / "device")) if _path(link["ifname"]) else []
    port = _SYS / link["ifname"] / "dev_port"
    number = int(port.read_text()) if port.exists() else 0
    return [[int(part, 16) for part in re.findall("[0-9a-f]+", step)] for step in steps], number, link["ifindex"]


def _path(device: str) -> str | None:
    link = _SYS / device / "device"
    return link.resolve().name if link.exists() else None
