# SPDX-License-Identifier: Apache-2.0
"""What a machine that has an operating system says of its own NICs: their MACs in the order of its kernel.

The order is that of the devices on the bus (PCI path), then of ports on one card, then that in which the kernel found
them: the order in which labels are counted. Only sh and sysfs are needed on the machine.
"""

from __future__ import annotations

import re

from flathood.registry.model import normal_mac

#: Prints a line for each NIC that is no bridge, bond, tunnel or the like: number, port, name, MAC, path of its device.
SCRIPT = r"""
for nic in /sys/class/net/*; do
  [ "$(cat "$nic/type")" = 1 ] || continue
  for kind in bridge bonding tun_flags; do [ ! -e "$nic/$kind" ] || continue 2; done
  ! grep -qE '^DEVTYPE=(vlan|vxlan|macvlan|wlan|bond|bridge)' "$nic/uevent" || continue
  case ${nic##*/} in dummy* | ifb* | node0) continue ;; esac
  mac=$(cat "$nic/address")
  port=$(cat "$nic/dev_port" 2> /dev/null) || port=0
  device=$(readlink -f "$nic/device" 2> /dev/null) || device=
  echo "nic $(cat "$nic/ifindex") $port ${nic##*/} $mac $device"
done
"""
_LINE = re.compile(r"nic (\d{1,9}) (\d{1,5}) (\S{1,15}) ([0-9a-f:]{17})(?: (/sys/devices/\S{1,400}))?")
_NUMBER = re.compile(r"[0-9a-f]+")
#: Lines that are read of one machine.
_MAX_LINES = 256


def read_report(text: str) -> tuple[str, ...]:
    """The MACs that a machine's answer to `SCRIPT` has, in the kernel's order; other lines are left."""
    found = []
    for line in text.splitlines()[:_MAX_LINES]:
        match = _LINE.fullmatch(line.strip())
        if match is None:
            continue
        number, port, _, mac, device = match.groups()
        try:
            found.append((_bus_order(device or ""), int(port), int(number), normal_mac(mac)))
        except ValueError:
            continue
    return tuple(mac for *_, mac in sorted(found))


def _bus_order(device: str) -> tuple[tuple[int, ...], ...]:
    """A path such as /sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0 as its hexadecimal numbers, step by step."""
    steps = [step for step in device.split("/") if re.match(r"[0-9a-f]{4}:[0-9a-f]{2}:", step)]
    return tuple(tuple(int(number, 16) for number in _NUMBER.findall(step)) for step in steps)
