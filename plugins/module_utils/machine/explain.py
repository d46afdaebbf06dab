# SPDX-License-Identifier: GPL-3.0-or-later
"""What still differs, as sentences for the operator: the NIC, what the kernel shows, and what to do about it."""

from __future__ import annotations

import re

from .live import NIC, Json
from .nics import nics_by_mac

#: More sentences than this help nobody.
MOST = 5
_DEVICE = re.compile(r"\bfnn\d+\b|\bnode0\b")

Drift = dict[str, tuple[list[str], list[str]]]


def differences(drift: Drift, devices: Json) -> list[str]:
    """Sentences for all that differs, the causes first; what a named cause explains is not told again."""
    present = {link["ifname"]: link for link in devices}
    sentences, explained = [], set()
    for line in drift.get("links", ([], []))[1]:
        name, mac = line.split()[:2]
        if NIC.fullmatch(name) and name not in present:
            explained.add(name)
            sentences.append(_missing(line, mac, devices))
    for facet, (shown, expected) in drift.items():
        for line in sorted(set(expected) - set(shown)):
            if not explained.intersection(_DEVICE.findall(line)):
                sentences.append(_unlike(facet, line, shown))
        extra = sorted(set(shown) - set(expected))
        if extra and set(shown) > set(expected):
            sentences.append(f"{facet}: the kernel shows `{extra[0]}`, which is not in the plan: remove what adds it")
    if len(sentences) > MOST:
        sentences[MOST:] = [f"and {len(sentences) - MOST} more differences"]
    return sentences or ["systemd-networkd has not come to rest: see `networkctl` and `journalctl -u systemd-networkd`"]


def _missing(line: str, mac: str, devices: Json) -> str:
    found = ", ".join(f"{nic} {address}" for address, nic in nics_by_mac(devices).items())
    name = line.split(maxsplit=1)[0]
    alias = line.rpartition(" alias ")[2] if " alias " in line else "the uplink switch"
    return (
        f"NIC {name} ({alias}) with MAC {mac} is not in this machine, which has {found or 'no NIC at all'}: "
        "if the card was changed, put the new MAC into macs.yml; otherwise it is dead or badly seated"
    )


def _unlike(facet: str, line: str, shown: list[str]) -> str:
    key = line.split()[:2] if facet == "neighbors" else line.split()[:1]
    instead = next((other for other in shown if other.split()[: len(key)] == key), "nothing of the kind")
    device = next(iter(_DEVICE.findall(line)), None)
    look = f"`networkctl status {device}` and `journalctl -u systemd-networkd`" if device else "the machine's journal"
    return f"{facet}: expected `{line}`, the kernel shows `{instead}`: see {look}"
