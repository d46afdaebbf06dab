# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be right on the head before machines are powered; each check says what it found, and what to do."""

from __future__ import annotations

import json
import shutil
import time
from ipaddress import IPv4Network, ip_network
from pathlib import Path

from ..machine.command import run
from . import hook, offers, service

#: Seconds by which the clocks of the head and the controller may differ.
APART = 60
#: Seconds that other DHCP servers get to answer: dnsmasq first tries for three whether an address is in use.
LISTEN = 5.0
#: Nothing that runs this was set up before: 2025-01-01.
_EPOCH = 1735689600
_PORT = 67

Check = dict[str, object]


def all_checks(device: str, pool: IPv4Network, controller: float) -> list[Check]:
    """Run every check; each has `name`, `ok` and `said`."""
    return [server(), port(), rivals(device), clock(controller), wire(device), addresses(device, pool)]


def _check(name: str, wrong: str, right: str) -> Check:
    return {"name": name, "ok": not wrong, "said": wrong or right}


def server() -> Check:
    """Look for dnsmasq, and for a service that has failed."""
    if shutil.which("dnsmasq", path="/usr/sbin:/usr/bin:/sbin:/bin") is None:
        return _check("dnsmasq", "dnsmasq is not installed on the head: install it (the role head does)", "")
    for name in (hook.UNIT, service.NORMAL):
        if "ActiveState=failed" in run("systemctl", "show", name, "--property=ActiveState"):
            return _check("dnsmasq", f"{name} has failed: see `journalctl -u {name}` on the head", "")
    up = "it is up" if service.active(hook.UNIT) else "it starts with discovery"
    return _check("dnsmasq", "", f"dnsmasq is installed; {up}")


def port() -> Check:
    """Look whether the DHCP server's port is free, or dnsmasq's own."""
    holders = [name for name in port_holders(Path("/proc")) if name != "dnsmasq"]
    wrong = f"UDP port 67 is held by {', '.join(holders)}: stop that first" if holders else ""
    return _check("port", wrong, "UDP port 67 is free for dnsmasq")


def port_holders(proc: Path) -> list[str]:
    """Names of the programs that have UDP port 67 open in this network namespace."""
    sockets = set()
    for line in (proc / "net/udp").read_text().splitlines()[1:]:
        words = line.split()
        if int(words[1].rpartition(":")[2], 16) == _PORT:
            sockets.add(f"socket:[{words[9]}]")
    names = set()
    for link in proc.glob("[0-9]*/fd/*") if sockets else ():
        try:
            if str(link.readlink()) in sockets:
                names.add((link.parents[1] / "comm").read_text().strip())
        except OSError:
            continue  # it ended while we looked
    return sorted(names) or ["a program that cannot be seen from here"] * bool(sockets)


def rivals(device: str) -> Check:
    """Ask whether anybody else answers DHCP on the head's wire."""
    found = offers.other_servers(device, LISTEN)
    wrong = f"another DHCP server answers: {', '.join(found)}: unplug or stop it, it takes the machines away"
    return _check("other DHCP servers", wrong if found else "", "no other DHCP server answers")


def clock(controller: float) -> Check:
    """Hold the head's clock against the controller's and against the journal."""
    now = time.time()
    apart = abs(now - controller)
    wrong = ""
    if now < _EPOCH:
        wrong = f"the head's clock says {time.strftime('%Y-%m-%d', time.gmtime(now))}: set it (timedatectl)"
    elif apart > APART:
        wrong = f"the clocks of the head and of this machine are {apart:.0f} s apart: set them (timedatectl)"
    else:
        ahead = last_entry(Path(hook.JOURNAL)) - now
        if ahead > 1:
            wrong = (
                f"the journal's last line is {ahead:.0f} s in the future, the clock was set back since: move "
                f"{hook.JOURNAL} away"
            )
    return _check("clock", wrong, "the clock is sane")


def last_entry(journal: Path) -> float:
    """Find the moment of the journal's last whole line; 0 when there is none."""
    try:
        with journal.open("rb") as stream:
            stream.seek(max(0, journal.stat().st_size - 8192))
            lines = stream.read().splitlines()
    except FileNotFoundError:
        return 0
    for line in reversed(lines):
        try:
            return float(json.loads(line)["at"])
        except (ValueError, KeyError, TypeError):
            continue
    return 0


def wire(device: str) -> Check:
    """Look whether the head's NIC has a carrier."""
    link = json.loads(run("ip", "-json", "link", "show", "dev", device))[0]
    wrong = "" if "LOWER_UP" in link["flags"] else f"{device} has no carrier: check its cable and the uplink switch"
    return _check("cable", wrong, f"{device} has a carrier")


def addresses(device: str, pool: IPv4Network) -> Check:
    """Look whether the pool of addresses is used by a route of the head."""
    for route in json.loads(run("ip", "-json", "-4", "route", "show")):
        if route["dst"] != "default" and ip_network(route["dst"], strict=False).overlaps(pool):
            if route.get("dev") == device and ip_network(route["dst"], strict=False) == pool:
                continue
            wrong = f"the head has a route to {route['dst']}, which overlaps {pool}: choose another discover_pool"
            return _check("addresses", wrong, "")
    return _check("addresses", "", f"{pool} is free")
