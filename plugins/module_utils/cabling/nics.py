# SPDX-License-Identifier: GPL-3.0-or-later
"""The NICs of this machine as its kernel shows them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

_SYS = Path("/sys/class/net")
#: Kinds of virtual device that stand for a real NIC: the lab's NICs are ends of veth pairs.
_REAL = frozenset({"", "veth"})


def nics() -> list[dict[str, Any]]:
    """Each NIC with ``device``, ``mac``, ``path`` (None: the kernel shows none) and ``carrier``, ordered by path."""
    shown = subprocess.run(["ip", "-j", "-d", "link", "show"], capture_output=True, check=True, timeout=30)
    found = [
        {
            "device": link["ifname"],
            "mac": link["address"],
            "path": _path(link["ifname"]),
            "carrier": "LOWER_UP" in link["flags"],
        }
        for link in json.loads(shown.stdout)
        if link["link_type"] == "ether" and link.get("linkinfo", {}).get("info_kind", "") in _REAL
    ]
    return sorted(found, key=lambda nic: (nic["path"] or "", nic["device"]))


def switch_on(device: str) -> None:
    """Bring a NIC up: without that it has no carrier, whatever is plugged in."""
    subprocess.run(["ip", "link", "set", "dev", device, "up"], capture_output=True, check=False, timeout=30)


def _path(device: str) -> str | None:
    link = _SYS / device / "device"
    return link.resolve().name if link.exists() else None
