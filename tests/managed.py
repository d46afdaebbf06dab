# SPDX-License-Identifier: Apache-2.0
"""Switches of a lab that can be asked: a real snmpd for each of them, and lldpd that speaks for their ports.

The daemons are those of the machines' root file system; they run in the switches' namespace. All agents are at one
address on the uplink's bridge, each at a port of its own, as the lab's switches have one kernel.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from flathood.lab import Lab

ADDRESS = "10.78.0.250"
FIRST_PORT = 1161
COMMUNITY, USER, AUTH_KEY, PRIV_KEY = "peek-a-boo", "auditor", "authentic-secret", "private-secret"
AGENT = Path(__file__).with_name("bridge_mib_agent.py")
#: Longest wait for a daemon to answer, seconds.
PATIENCE = 90.0

_CONFIG = f"""\
rocommunity {COMMUNITY} default
createUser {USER} SHA-256 "{AUTH_KEY}" AES "{PRIV_KEY}"
rouser {USER} authpriv
"""
# The root file system of the lab's machines, seen from the switches' namespace; what is mounted ends with the process.
_INSIDE = (
    'mount --bind /proc "$0/proc" && mount --rbind /sys "$0/sys" && mount --bind "$1" "$0/mnt" && '
    'mount -t tmpfs tmpfs "$0/run" && mount --rbind /dev "$0/dev" && root=$0 && shift && exec chroot "$root" "$@"'
)


@contextmanager
def daemon(lab: Lab, work: Path, *argv: str) -> Iterator[None]:
    """A daemon of the machines' system in the switches' namespace, with `work` at its /mnt."""
    command = ["ip", "netns", "exec", lab.fabric_namespace, "unshare", "--mount", "--propagation", "private"]
    command += ["sh", "-c", _INSIDE, str(lab.state.root), str(work), *argv]
    with (work / f"{Path(argv[0]).name}.log").open("a") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@contextmanager
def agents(lab: Lab, work: Path, views: dict[str, str]) -> Iterator[dict[str, int]]:
    """An snmpd for each name in `views`: what the MIB agent is to show (`sw0`, or `10=sw0 20=sw1`). Names → ports."""
    space = lab.fabric_namespace
    uplink = lab.bridge(lab.state.planned.uplink)
    subprocess.run(["ip", "-n", space, "address", "replace", f"{ADDRESS}/24", "dev", uplink], check=True)
    ports = {}
    with ExitStack() as running:
        for number, (name, view) in enumerate(views.items()):
            ports[name] = FIRST_PORT + number
            folder = work / name
            folder.mkdir(parents=True)
            shutil.copy(AGENT, folder / AGENT.name)
            settings = f"pass_persist .1.3.6.1.2.1.17 /usr/bin/python3 /mnt/{AGENT.name} {view}\n"
            (folder / "snmpd.conf").write_text(_CONFIG + settings)
            where = f"udp:{ADDRESS}:{ports[name]}"
            argv = ["/usr/bin/env", "SNMP_PERSISTENT_DIR=/mnt", "/usr/sbin/snmpd", "-f", "-Lf", "/mnt/snmpd.log"]
            running.enter_context(daemon(lab, folder, *argv, "-C", "-c", "/mnt/snmpd.conf", where))
        yield ports


def _pass_on(lab: Lab, mask: int) -> None:
    """Let switches pass LLDP's frames on (bit 14), as dumb ones do, or keep them, as those do that speak it."""
    for switch in lab.state.planned.all_switches:
        command = ["ip", "-n", lab.fabric_namespace, "link", "set", lab.bridge(switch), "type", "bridge"]
        subprocess.run([*command, "group_fwd_mask", str(mask)], check=True)


@contextmanager
def talkative(lab: Lab, work: Path) -> Iterator[None]:
    """An lldpd for every switch that tells each of its ports' neighbors the switch's name; the uplink's, too."""
    with ExitStack() as running:
        _pass_on(lab, 0)
        running.callback(_pass_on, lab, 1 << 14)
        for switch, said in lab.evidence()["switches"].items():
            folder = work / f"lldp-{switch}"
            folder.mkdir(parents=True)
            ports = ",".join(port for port, facts in lab.evidence()["ports"].items() if facts["switch"] == switch)
            assert said["on"], switch
            (folder / "lldpd.conf").write_text(f"configure system hostname {switch}\nconfigure lldp tx-interval 1\n")
            argv = ["/usr/sbin/lldpd", "-d", "-u", "/mnt/socket", "-O", "/mnt/lldpd.conf", "-I", ports]
            running.enter_context(daemon(lab, folder, *argv))
        yield


@contextmanager
def stranger(lab: Lab, switch: str, mac: str) -> Iterator[None]:
    """A machine of which no file knows, on a switch: it asks for its neighbors once a second."""
    ip = ["ip", "-n", lab.fabric_namespace]
    made = ["link", "add", "strange", "address", mac, "type", "veth", "peer", "name", "strange.far"]
    joined = ["link", "set", "strange.far", "up", "master", lab.bridge(switch)]
    for command in (made, joined, ["link", "set", "strange", "up"]):
        subprocess.run([*ip, *command], check=True)
    subprocess.run([*ip, "address", "add", "192.0.2.1/24", "dev", "strange"], check=True)
    ask = ["ip", "netns", "exec", lab.fabric_namespace, "ping", "-q", "-I", "strange", "192.0.2.2"]
    process = subprocess.Popen(ask, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.kill()
        process.wait()
        subprocess.run([*ip, "link", "delete", "strange"], check=True)


def neighbors(lab: Lab, machine: str) -> int:
    """How many neighbors a machine's lldpd has heard."""
    said = lab.exec(machine, ["lldpcli", "-f", "json0", "show", "neighbors"]).stdout
    heard = json.loads(said or "{}").get("lldp") or [{}]
    return len(heard[0].get("interface", []))


def hear(lab: Lab, *machines: str) -> None:
    """Start lldpd on machines and wait until each NIC has heard its switch."""
    for machine in machines:
        lab.exec(machine, ["systemctl", "start", "lldpd"])
    deadline = time.monotonic() + PATIENCE
    wanted = {machine: len(lab.machines[machine].macs) for machine in machines}
    while any(neighbors(lab, machine) < count for machine, count in wanted.items()):
        assert time.monotonic() < deadline, {machine: neighbors(lab, machine) for machine in machines}
        time.sleep(0.5)
