# SPDX-License-Identifier: GPL-3.0-or-later
"""The DHCP server of discovery on the head: dnsmasq with the hook, in the place of the cluster's own while it runs.

The unit is in /run, so that a head which reboots in between comes up as it was; the journal and the leases are on
disk. It conflicts with dnsmasq.service: starting the one stops the other.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from ipaddress import IPv4Network
from pathlib import Path

from ..machine.command import MachineError, run
from . import hook

CONF = Path("/run/flathood-discovery.conf")
#: More settings for dnsmasq while it discovers: role head puts there what firmware is to boot meanwhile.
MORE = Path("/etc/flathood/discovery.d")
UNIT_FILE = Path("/run/systemd/system") / hook.UNIT
NORMAL = "dnsmasq.service"
#: Seconds that a client waits for this server's answer to a renewal before it asks all servers.
_REBIND = 4


@dataclass(frozen=True)
class Settings:
    """`device` is the head's NIC on the uplink; `pool` the addresses that machines get while they are discovered."""

    device: str
    pool: IPv4Network
    lease: int
    most: int

    @property
    def address(self) -> str:
        """The head's own address in the pool, with the prefix length."""
        return f"{self.pool.network_address + 1}/{self.pool.prefixlen}"


def nic_with(address: str) -> tuple[str, str]:
    """Name and MAC of the head's NIC that has an address; MachineError when none has."""
    for link in json.loads(run("ip", "-json", "-4", "address", "show")):
        if any(each.get("local") == address for each in link["addr_info"]):
            details = json.loads(run("ip", "-json", "link", "show", "dev", link["ifname"]))[0]
            return link["ifname"], details["address"]
    raise MachineError(
        f"no NIC of the head has the address {address}: set up its NIC on the uplink switch by hand first"
    )


def configuration(settings: Settings) -> str:
    """dnsmasq(8): lease an address to whoever asks, at once, and tell the hook of each lease and each renewal."""
    first = settings.pool.network_address + 16
    last = settings.pool.broadcast_address - 1
    more = f"conf-dir={MORE},*.conf\n" if MORE.is_dir() else ""
    return (
        "# Written by flathood for power-on discovery; gone when that ends.\n"
        "port=0\n"
        f"interface={settings.device}\n"
        "except-interface=lo\n"
        "bind-dynamic\n"
        "dhcp-authoritative\n"
        "dhcp-broadcast\n"
        f"dhcp-range={first},{last},{settings.pool.netmask},{settings.lease}s\n"
        "dhcp-option=option:router\n"
        # At half of the lease a client asks this server for more, which may have gone by then; only at T2 it asks all
        # servers (RFC 2131 section 4.4.5). T2 comes soon, so that the cluster's own dnsmasq takes the machine over.
        f"dhcp-option=option:T2,{settings.lease // 2 + _REBIND}\n"
        f"dhcp-lease-max={settings.most}\n"
        f"dhcp-leasefile={hook.HOME}/leases\n"
        # What machines call themselves is nothing to serve; a ping before each lease would cost seconds.
        "dhcp-ignore-names\n"
        "no-ping\n"
        f"dhcp-script={hook.HOOK}\n"
        "script-on-renewal\n"
        f"{more}"
    )


def unit(settings: Settings) -> str:
    """systemd.service(5): killed or crashed, it comes back at once and knows its leases."""
    change = f"dev {settings.device}"
    return (
        "[Unit]\n"
        "Description=DHCP for power-on discovery (flathood)\n"
        f"Conflicts={NORMAL}\n"
        f"After={NORMAL}\n"
        "StartLimitIntervalSec=0\n\n"
        "[Service]\n"
        f"ExecStartPre=ip address replace {settings.address} {change}\n"
        f"ExecStartPre={hook.HOOK} begin {settings.lease}\n"
        f"ExecStart=dnsmasq --keep-in-foreground --conf-file={CONF}\n"
        f"ExecStopPost=-ip address del {settings.address} {change}\n"
        "Restart=always\n"
        "RestartSec=0.2\n"
    )


def start(settings: Settings) -> bool:
    """Have the service run with these settings; whether anything had to change."""
    files = ((Path(hook.HOOK), hook.SCRIPT), (CONF, configuration(settings)), (UNIT_FILE, unit(settings)))
    stale = [(path, text) for path, text in files if not path.is_file() or path.read_text() != text]
    if not stale and active(hook.UNIT):
        return False
    Path(hook.HOME).mkdir(parents=True, exist_ok=True)
    Path(hook.JOURNAL).touch()
    for path, text in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    Path(hook.HOOK).chmod(0o755)
    run("dnsmasq", "--test", f"--conf-file={CONF}")
    run("systemctl", "daemon-reload")
    run("systemctl", "restart", hook.UNIT)
    return True


def stop() -> bool:
    """End the service and leave journal and leases; the head's own dnsmasq runs again if it is enabled."""
    there = [path for path in (UNIT_FILE, CONF, Path(hook.HOOK)) if path.exists()]
    if not there:
        return False
    run("systemctl", "stop", hook.UNIT)
    for path in there:
        path.unlink()
    run("systemctl", "daemon-reload")
    if enabled(NORMAL):
        run("systemctl", "start", NORMAL)
    return True


def active(name: str) -> bool:
    """Whether a service runs."""
    return "ActiveState=active" in run("systemctl", "show", name, "--property=ActiveState")


def enabled(name: str) -> bool:
    """Whether a service starts at boot."""
    return "UnitFileState=enabled" in run("systemctl", "show", name, "--property=UnitFileState")
