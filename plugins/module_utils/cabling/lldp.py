# SPDX-License-Identifier: GPL-3.0-or-later
"""What this machine's lldpd, where it has one, says of the far ends of its cables."""

from __future__ import annotations

import json
import subprocess
from typing import Any

#: Neighbors that are told: more are no cabling.
_MOST = 256
_TEXT = 128


def neighbors() -> list[list[str]]:
    """Each neighbor as device, the names that it has (system name, chassis number) and its port; [] without lldpd."""
    try:
        # json0 is the one form whose lists are lists however long they are: lldpcli(8).
        shown = subprocess.run(
            ["lldpcli", "-f", "json0", "show", "neighbors"], capture_output=True, check=True, timeout=20
        )
        heard = json.loads(shown.stdout or b"{}")
    except (OSError, subprocess.SubprocessError, ValueError):
        return []
    return read(heard)


def read(heard: Any) -> list[list[str]]:  # noqa: ANN401 - foreign JSON
    """The neighbors that `lldpcli -f json0` tells of."""
    found = []
    for one in _list(heard, "lldp"):
        for interface in _list(one, "interface"):
            for chassis in _list(interface, "chassis"):
                names = [_value(chassis, "name"), _value(chassis, "id")]
                port = next((_value(port, "id") for port in _list(interface, "port")), "")
                device = str(interface.get("name", ""))[:_TEXT]
                if device and any(names):
                    found.append([device, *names, port])
    return found[:_MOST]


def _list(of: Any, key: str) -> list[dict[str, Any]]:  # noqa: ANN401 - foreign JSON
    found = of.get(key) if isinstance(of, dict) else None
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _value(of: dict[str, Any], key: str) -> str:
    """The first text of a key, without what a terminal would take for more than text."""
    text = next((str(each.get("value", "")) for each in _list(of, key)), "")
    return "".join(letter for letter in text if letter.isprintable())[:_TEXT]
