# SPDX-License-Identifier: Apache-2.0
"""A head that serves a root image: firmware on a bare node gets what it asks for; without the image nothing is left.

The tests go on from one another, in order.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from flathood.lab import Lab
from flathood.playbook import command, play
from tests.labs import AS_JSON, know_macs, running, told

pytestmark = [pytest.mark.lab, pytest.mark.skipif(os.geteuid() != 0, reason="needs root")]

NAME = "netboottest"
CLUSTER = f"""
plugin: flathood.cluster.inventory
cluster: {NAME}
nodes: {{names: [a, b], nics: 1}}
switches: [{{name: red, colour: "#c62828", ports: 2}}]
uplink: {{name: white, ports: 4}}
links: {{rate: 100M}}
"""
PATIENCE = 400
HEAD = "10.78.0.254"
#: What iPXE does: ask for an address and say that it is iPXE (option 175); the boot file by TFTP; another by HTTP.
FIRMWARE = f"""
import os, socket, struct, subprocess, urllib.request
nic = next(name for name in os.listdir("/sys/class/net") if name.startswith("eth"))
mac = bytes.fromhex(open(f"/sys/class/net/{{nic}}/address").read().strip().replace(":", ""))
line = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
line.bind((nic, 0x0800))
line.settimeout({PATIENCE})
ask = struct.pack("!BBBBIHH16x16s192x", 1, 1, 6, 0, 0xF1A7, 0, 0x8000, mac) + bytes.fromhex("63825363")
ask += bytes([53, 1, 1, 55, 2, 66, 67, 175, 1, 1, 255])
udp = struct.pack("!HHHH", 68, 67, 8 + len(ask), 0) + ask
head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(udp), 0, 0, 64, 17, 0, b"\\0" * 4, b"\\xff" * 4)
total = sum(struct.unpack("!10H", head))
total = (total & 0xFFFF) + (total >> 16)
head = head[:10] + struct.pack("!H", ~total & 0xFFFF) + head[12:]
line.sendto(head + udp, (nic, 0x0800, 0, 0, b"\\xff" * 6))
while True:
    answer = line.recv(4096)
    bootp = answer[28:]
    if answer[9] == 17 and answer[20:24] == b"\\0\\x43\\0\\x44" and bootp[4:8] == struct.pack("!I", 0xF1A7):
        break
server = socket.inet_ntoa(bootp[20:24])
name = bootp[108:236].split(b"\\0")[0].decode()
if not name:
    options = bootp[240:]
    while options and options[0] not in (67, 255):
        options = options[2 + options[1]:] if options[0] else options[1:]
    name = options[2:2 + options[1]].split(b"\\0")[0].decode()
print(server, name)
mine = socket.inet_ntoa(bootp[16:20])
subprocess.run(["ip", "address", "replace", f"{{mine}}/24", "dev", nic], check=True)
tftp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
tftp.settimeout({PATIENCE})
tftp.sendto(b"\\0\\1" + name.encode() + b"\\0octet\\0", (server, 69))
print(tftp.recv(4096)[4:].decode().splitlines()[0])
print(urllib.request.urlopen(f"http://{{server}}:8080/vmlinuz", timeout={PATIENCE}).read().decode())
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("netboot") / NAME
    found.mkdir()
    (found / "cluster.yml").write_text(CLUSTER)
    (found / "wiring.yml").write_text(f"cluster: {NAME}\nnodes:\n  a: [red]\n  b: [red]\n")
    return found


@pytest.fixture(scope="module")
def image(folder: Path) -> Path:
    found = folder.parent / "image"
    found.mkdir()
    for name in ("vmlinuz", "initrd.img", "root.tar.lz4", "root.sha256"):
        (found / name).write_text(f"this is {name}")
    return found


@pytest.fixture(scope="module")
def lab(folder: Path) -> Iterator[Lab]:
    with running(folder) as found:
        know_macs(found, folder)
        # Of a package that a machine without a way out cannot install.
        made = "mkdir -p /usr/lib/ipxe && echo ipxe >/usr/lib/ipxe/ipxe.pxe && echo ipxe >/usr/lib/ipxe/ipxe.efi"
        subprocess.run(found.command("head", ["sh", "-c", made]), check=True, timeout=PATIENCE)
        yield found


def head(lab: Lab, folder: Path, **variables: object) -> int:
    """Set the head up; how many tasks changed something."""
    argv = command("site", folder, "--limit", "head", **variables)
    done = play(argv, lab, limit=PATIENCE, settings=AS_JSON)
    assert done.returncode == 0, done.stdout
    changed: int = told(done.stdout)["stats"]["head"]["changed"]
    return changed


def on(lab: Lab, machine: str, *argv: str) -> str:
    return subprocess.run(
        lab.command(machine, [*argv]), capture_output=True, text=True, check=True, timeout=PATIENCE
    ).stdout


def test_firmware_gets_its_script_and_its_kernel(lab: Lab, folder: Path, image: Path) -> None:
    assert head(lab, folder, head_netboot=str(image)) > 0
    told_name, first, kernel = on(lab, "a", "python3", "-c", FIRMWARE).splitlines()
    assert told_name == f"{HEAD} boot.ipxe"
    assert first == "#!ipxe"
    assert kernel == "this is vmlinuz"


def test_the_second_run_changes_nothing(lab: Lab, folder: Path, image: Path) -> None:
    assert head(lab, folder, head_netboot=str(image)) == 0


def test_without_an_image_nothing_is_left_of_it(lab: Lab, folder: Path) -> None:
    assert head(lab, folder) > 0
    left = (
        "ls /etc/dnsmasq.d /etc/flathood/discovery.d /etc/systemd/system /var/lib/flathood; systemctl is-active dnsmasq"
    )
    said = on(lab, "head", "sh", "-c", left)
    assert "netboot" not in said
    assert said.splitlines()[-1] == "active"
    assert head(lab, folder) == 0
