# SPDX-License-Identifier: GPL-3.0-or-later
"""The verbs that turn written files into live state. Each says in one line what it did; nothing when all was right."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import time
from collections.abc import Iterable
from contextlib import nullcontext, suppress
from pathlib import Path

from .live import OURS, Json, addresses, ask, setting, settings

#: A daemon that has not answered by then will not.
SECONDS = 60
#: Devices that share the MAC address of the NIC below them are not that NIC.
STACKED = frozenset({"vlan", "macvlan", "macvtap", "ipvlan", "bridge", "bond", "team", "dummy", "ifb"})
_LINK = re.compile(r"(?P<name>\S+) (?P<mac>\S+) mtu (?P<mtu>\d+)(?: alias (?P<alias>\S+))?")


class MachineError(Exception):
    """Something on this machine refused; the sentence is for the operator."""


def run(*command: str, stdin: str | None = None) -> str:
    """Run a command and return what it printed; MachineError with its own words when it fails."""
    try:
        done = subprocess.run(
            command,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise MachineError(f"`{command[0]}` is not installed here") from error
    except subprocess.TimeoutExpired as error:
        raise MachineError(f"`{' '.join(command)}` has not come to an end in {SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        raise MachineError(f"`{' '.join(command)}` failed: {error.output.strip()}") from error
    return done.stdout


def nics_by_mac(devices: Json) -> dict[str, str]:
    """MAC address → name of the machine's own NICs (by the address burnt in, where it differs from the one in use)."""
    return {
        link.get("permaddr", link["address"]): link["ifname"]
        for link in devices
        if link.get("link_type") == "ether" and link.get("linkinfo", {}).get("info_kind") not in STACKED
    }


def renames(names: dict[str, str], wanted: dict[str, str]) -> list[tuple[str, str]]:
    """List the steps (old, new) that give each MAC its wanted name; a name in use is first set free.

    >>> renames({"m0": "fnn1", "m1": "fnn0"}, {"m0": "fnn0", "m1": "fnn1"})
    [('fnn1', 'fnn-0'), ('fnn0', 'fnn-1'), ('fnn-0', 'fnn0'), ('fnn-1', 'fnn1')]
    """
    moving = [(names[mac], name) for mac, name in wanted.items() if mac in names and names[mac] != name]
    targets = {name for _, name in moving}
    in_use = set(names.values()) & targets
    first, last = [], []
    for index, (old, new) in enumerate(moving):
        if in_use:
            first.append((old, f"fnn-{index}"))
            last.append((f"fnn-{index}", new))
        else:
            last.append((old, new))
    strangers = in_use - {old for old, _ in moving}
    return [(name, f"old-{name}") for name in sorted(strangers)] + first + last


def own_addresses(lines: Iterable[str]) -> None:
    """Take the addresses that a lease gave us over as our own: with no metric, as they are after a boot.

    systemd-networkd keeps an address that its new configuration has as well, and remembers it with the metric of the
    lease. It forgets it when it is gone for a moment: too short a one for a connection to notice.
    """
    wanted = set(lines)
    leased = [line.split() for line in addresses(ask("address", "show")) if " metric " in line]
    batch = [
        f"address {verb} {ip} dev {nic}{' broadcast +' if verb == 'add' else ''}"
        for nic, ip, *_ in leased
        if f"{nic} {ip}" in wanted
        for verb in ("delete", "add")
    ]
    if batch:
        run("ip", "-batch", "-", stdin="\n".join(batch) + "\n")


def link(lines: Iterable[str]) -> str:
    """Give the NICs the names, aliases and MTUs of the facet `links` now; at boot udev does it from the .link files."""
    parts = [match for match in map(_LINK.fullmatch, lines) if match]
    steps = renames(nics_by_mac(ask("-details", "link", "show")), {part["mac"]: part["name"] for part in parts})
    for old, new in steps:
        _rename(old, new)
    present = {device["ifname"]: device for device in ask("link", "show")}
    batch = []
    for part in parts:
        device = present.get(part["name"])
        if device is None:
            continue
        if device["mtu"] != int(part["mtu"]):
            batch.append(f"link set dev {part['name']} mtu {part['mtu']}")
        if device.get("ifalias") != part["alias"]:
            alias = part["alias"] or ""
            batch.append(f'link set dev {part["name"]} alias "{alias}"')
    if batch:
        run("ip", "-batch", "-", stdin="\n".join(batch) + "\n")
    words = [f"{old} is {new}" for old, new in steps] + [line.removeprefix("link set dev ") for line in batch]
    return f"links: {', '.join(words)}" if words else ""


def _rename(old: str, new: str) -> None:
    """Rename a NIC; kernels before 6.2 refuse while it is up, so it goes down for the moment that it takes."""
    try:
        run("ip", "link", "set", "dev", old, "name", new)
    except MachineError as error:
        if "busy" not in str(error).lower():
            raise
        steps = (f"link set dev {old} down", f"link set dev {old} name {new}", f"link set dev {new} up")
        run("ip", "-batch", "-", stdin="\n".join(steps) + "\n")


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
    """Remove a virtual device whose kind is not the wanted one any more: systemd-networkd makes it again."""
    for one in ask("-details", "link", "show"):
        if one["ifname"] == device and one.get("linkinfo", {}).get("info_kind") != kind:
            run("ip", "link", "delete", "dev", device)
            return f"{device}: removed, as its kind changes to {kind}"
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
