# SPDX-License-Identifier: Apache-2.0
"""The BRIDGE-MIB of Linux bridges for net-snmp's snmpd, which has none of its own: a `pass_persist` program.

    bridge_mib_agent.py sw0               one bridge: a switch without VLANs, dot1dTpFdbTable
    bridge_mib_agent.py 10=sw0 20=sw1     bridges as the VLANs of one switch: dot1qTpFdbTable

What it tells is what the kernel shows at that moment (`bridge -j fdb`); names of interfaces are snmpd's own.
Runs in the switches' namespace with the standard library alone.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

BRIDGE = (1, 3, 6, 1, 2, 1, 17)
BASE_PORT_IF_INDEX = (*BRIDGE, 1, 4, 1, 2)
TP_FDB = (*BRIDGE, 4, 3, 1)
Q_FDB = (*BRIDGE, 7, 1, 2, 2, 1)
VLAN_FDB_ID = (*BRIDGE, 7, 1, 4, 2, 1, 3)
LEARNED, OWN = 3, 4
#: The databases' numbers, other than the VLANs'.
DATABASES = 100
#: Seconds that one look at the kernel is good for: a walk asks for row after row.
FRESH = 0.5


def rows(bridges: list[tuple[int, str]]) -> dict[tuple[int, ...], int]:
    """Every row by its name."""
    found: dict[tuple[int, ...], int] = {}
    shown = subprocess.run(["bridge", "-j", "fdb", "show"], capture_output=True, check=True, timeout=10)
    entries = json.loads(shown.stdout or b"[]")
    for number, (vlan, bridge) in enumerate(bridges):
        if vlan:
            found[(*VLAN_FDB_ID, 0, vlan)] = DATABASES + number
        ports = {}
        for port in sorted(Path(f"/sys/class/net/{bridge}/brif").iterdir()):
            ports[port.name] = int((port / "port_no").read_text(), 16) + 256 * number
            index = int(Path(f"/sys/class/net/{port.name}/ifindex").read_text())
            found[(*BASE_PORT_IF_INDEX, ports[port.name])] = index
        for entry in entries:
            if entry.get("master") == bridge and entry["ifname"] in ports:
                mac = tuple(bytes.fromhex(entry["mac"].replace(":", "")))
                status = OWN if entry.get("state") == "permanent" else LEARNED
                table, row = (Q_FDB, (DATABASES + number, *mac)) if vlan else (TP_FDB, mac)
                found[(*table, 2, *row)] = ports[entry["ifname"]]
                found[(*table, 3, *row)] = status
    return found


def main() -> None:
    """Answer PING, get and getnext as snmpd.conf(5) has it, until standard input ends."""
    bridges = []
    for word in sys.argv[1:]:
        vlan, _, bridge = word.rpartition("=")
        bridges.append((int(vlan or 0), bridge))
    known: dict[tuple[int, ...], int] = {}
    order: list[tuple[int, ...]] = []
    looked = 0.0
    while line := sys.stdin.readline():
        verb = line.strip()
        if verb == "PING":
            print("PONG", flush=True)
            continue
        asked = tuple(int(part) for part in sys.stdin.readline().strip().strip(".").split("."))
        if time.monotonic() - looked > FRESH:
            known = rows(bridges)
            order, looked = sorted(known), time.monotonic()
        name = next((each for each in order if each > asked), None) if verb == "getnext" else asked
        if name in known:
            print("." + ".".join(map(str, name)), "integer", known[name], sep="\n", flush=True)
        else:
            print("NONE", flush=True)


if __name__ == "__main__":
    main()
