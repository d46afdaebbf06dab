# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's own answers, in the words of the plan: one reader for each kind of check, all as {key: text}."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

#: Nothing here waits for the network; a machine that needs longer than this is in trouble of its own.
SECONDS = 30


def deviations(expected: dict[str, str], seen: dict[str, str]) -> dict[str, str]:
    """What differs from the plan: each key with the text that was seen instead ("" for nothing at all).

    Where the kernel may choose, an expected text has its choices with ` | ` between them.
    """
    return {key: seen.get(key, "") for key, text in expected.items() if seen.get(key, "") not in text.split(" | ")}


def run_ip(*arguments: str, stdin: str | None = None) -> list[Any]:
    """The JSON documents that ``ip`` prints, flattened; a failing line of a batch (-force) is left out."""
    answer = subprocess.run(
        ["ip", "-json", *arguments], input=stdin, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    return documents(answer.stdout)


def documents(text: str) -> list[Any]:
    """The elements of all JSON lists in ``text``, one after the other: a batch of ``ip`` prints one list a line."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while True:
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            return found
        part, at = decoder.raw_decode(text, at)
        found.extend(element for element in part if element)


def links(raw: list[dict[str, Any]]) -> dict[str, str]:
    """``NIC aspect`` → text, of ``ip -json link``: mac, alias, mtu, carrier (up, down) and arp (on, off)."""
    seen = {}
    for link in raw:
        name, flags = link["ifname"], link.get("flags", [])
        seen[f"{name} mac"] = link.get("address", "")
        seen[f"{name} alias"] = link.get("ifalias", "")
        seen[f"{name} mtu"] = str(link.get("mtu", ""))
        seen[f"{name} carrier"] = "up" if "LOWER_UP" in flags else "down"
        seen[f"{name} arp"] = "off" if "NOARP" in flags else "on"
    return seen


def addresses(raw: list[dict[str, Any]]) -> dict[str, str]:
    """Device → its IPv4 addresses with prefix lengths, sorted as text, of ``ip -json -4 address``."""
    return {
        link["ifname"]: " ".join(sorted(f"{one['local']}/{one['prefixlen']}" for one in link.get("addr_info", [])))
        for link in raw
        if link.get("ifname")
    }


def neighbors(raw: list[dict[str, Any]], expected: dict[str, str]) -> dict[str, str]:
    """``NIC address`` → MAC of the permanent entries, of ``ip -json -4 neigh``.

    What is permanent and in no plan is gathered under ``NIC others`` ("none" when there is nothing of the kind).
    """
    devices = {key.split()[0] for key in expected}
    seen: dict[str, str] = {}
    others: dict[str, list[str]] = {device: [] for device in devices}
    for entry in raw:
        if "PERMANENT" not in entry.get("state", []) or entry.get("dev") not in devices:
            continue
        key = f"{entry['dev']} {entry['dst']}"
        if key in expected:
            seen[key] = entry.get("lladdr", "")
        else:
            others[entry["dev"]].append(f"{entry['dst']} {entry.get('lladdr', '')}")
    return seen | {f"{device} others": ", ".join(sorted(found)) or "none" for device, found in others.items()}


def routes(raw: list[dict[str, Any]]) -> dict[str, str]:
    """Address → ``via NEXT dev NIC src OWN`` of ``ip -json route get`` ("via" only when there is a next hop)."""
    seen = {}
    for answer in raw:
        via = f"via {answer['gateway']} " if "gateway" in answer else ""
        seen[answer["dst"]] = f"{via}dev {answer.get('dev', '')} src {answer.get('prefsrc', '')}"
    return seen


def sysctls(names: Iterable[str], root: Path = Path("/proc/sys")) -> dict[str, str]:
    """The values of kernel settings, white space made one blank; a setting that is not there is left out."""
    seen = {}
    for name in names:
        path = root / name.replace(".", "/")
        if path.is_file():
            seen[name] = " ".join(path.read_text(encoding="ascii").split())
    return seen


def static_deviations(expected: dict[str, dict[str, str]]) -> dict[str, dict[str, str]]:
    """Hold the kernel's state against ``expected`` (kind → key → text); the same shape with what differs."""
    targets = "".join(f"route get {address}\n" for address in expected.get("route", {}))
    near = expected.get("neighbor", {})
    seen = {
        "nic": links(run_ip("link", "show")),
        "address": addresses(run_ip("-4", "address", "show")),
        "neighbor": neighbors(run_ip("-4", "neigh", "show"), near) if near else {},
        "route": routes(run_ip("-force", "-batch", "-", stdin=targets)) if targets else {},
        "sysctl": sysctls(expected.get("sysctl", {})),
    }
    found = {kind: deviations(expected[kind], state) for kind, state in seen.items() if kind in expected}
    return {kind: wrong for kind, wrong in found.items() if wrong}
