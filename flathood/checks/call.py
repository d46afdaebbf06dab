# SPDX-License-Identifier: Apache-2.0
"""Call every machine so that the switches learn where it is now.

A node whose cable was moved sends nothing by itself: it asks for no address, and it answers only what reaches it. Until
the switches forget it, after minutes, they send what is meant for it to where it was, and ssh hangs. An ICMP echo
request for the node's own address in a broadcast frame is flooded to wherever the node is; its reply shows the way
(Linux takes such packets unless drop_unicast_in_l2_multicast is set: networking/ip-sysctl).
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import time
from ipaddress import IPv4Address

from flathood.plan import addresses
from flathood.spec import Cluster
from flathood.vms import inside as vms

#: Calls, and the seconds after each in which replies pass the switches.
TIMES, PAUSE = 2, 0.25
_ETH_P_IP = 0x0800
_ECHO = struct.Struct("!BBHHH")
_HEADER = struct.Struct("!BBHHHBBH4s4s")


def call_everyone(cluster: Cluster) -> str:
    """Call all nodes and spares from the NIC that has the head's address; why that was not possible, or "".

    Beside virtual machines it is the bridge of the uplink: what counts is that the answers go to the head.
    """
    own = addresses.head(cluster)
    wires = vms.fabric(cluster)
    name = wires.bridges()[cluster.uplink.name] if wires else _nic_of(own)
    if not name:
        return f"this machine does not have the head's address {own}"
    count = len(cluster.node_names) + len(cluster.spare_names)
    try:
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0) as line:
            line.bind((name, 0))
            mac = line.getsockname()[4]
            for _ in range(TIMES):
                for number in range(count):
                    line.send(frame(mac, own, addresses.host(cluster.addresses.outside, number)))
                time.sleep(PAUSE)
    except OSError as error:
        return f"{name}: {error.strerror}"
    return ""


def frame(mac: bytes, source: IPv4Address, target: IPv4Address) -> bytes:
    """An Ethernet broadcast frame with an ICMP echo request (RFC 792) for one machine."""
    echo = _ECHO.pack(8, 0, _checksum(_ECHO.pack(8, 0, 0, 0, 0)), 0, 0)
    fields = (0x45, 0, _HEADER.size + len(echo), 0, 0, 64, socket.IPPROTO_ICMP)
    header = _HEADER.pack(
        *fields, _checksum(_HEADER.pack(*fields, 0, source.packed, target.packed)), source.packed, target.packed
    )
    return (b"\xff" * 6 + mac + struct.pack("!H", _ETH_P_IP) + header + echo).ljust(60, b"\0")


def _checksum(data: bytes) -> int:
    """The Internet checksum of RFC 1071, of an even number of bytes."""
    total: int = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def _nic_of(address: IPv4Address) -> str:
    """The NIC that has an address, or ""."""
    command = ["ip", "-json", "address", "show", "to", f"{address}/32"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=False)
    return next((link["ifname"] for link in json.loads(done.stdout or "[]") if link.get("ifname")), "")
