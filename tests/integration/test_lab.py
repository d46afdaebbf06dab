# SPDX-License-Identifier: Apache-2.0
"""The lab on the real kernel: up, down, power, cables, faults, and that nothing stays behind however it ends."""

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from flathood.errors import Conflict
from flathood.lab import Lab, LabError, cgroups, paths, state, teardown
from flathood.lab.faults import FaultKind
from flathood.lab.host import memory_free
from flathood.lab.run import run
from flathood.playbook import CHECKOUT
from tests.labs import copied, running, until

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]

FLATHOOD = (sys.executable, "-m", "flathood", "lab")
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 90.0


def traces(name: str) -> dict[str, list[str]]:
    """All that a lab of this name could have left on the machine (not the dead that init has not reaped yet)."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
            words = command + (folder / "cgroup").read_bytes()
        except OSError:
            continue
        if command and name.encode() in words and int(folder.name) != os.getpid():
            processes.append(words.decode(errors="replace"))
    links = run(("ip", "-j", "link", "show"))
    return {
        "processes": processes,
        "namespaces": [file.name for file in paths.NETNS.glob(f"fl-{name}-*")],
        "mounts": [line for line in Path("/proc/mounts").read_text().splitlines() if name in line],
        "files": [str(file) for base in (paths.LABS, paths.DISKS) for file in base.glob(f"{name}*")],
        "groups": [str(file) for file in paths.CGROUPS.glob(name)],
        "links": [link["ifname"] for link in json.loads(links) if link["ifname"].startswith(("sw", "m0.", "u0."))],
    }


def nothing_left(name: str) -> bool:
    return not any(traces(name).values())


def machine_itself() -> dict[str, str]:
    """Settings of the machine that a lab must not change for good."""
    settings = {}
    for line in run(("sysctl", "--all", "--ignore", "--pattern", r"^(kernel|fs|vm|net)\.")).splitlines():
        key, _, value = line.partition(" = ")
        settings[key] = value
    for restless in ("fs.", "kernel.random", "kernel.ns_last_pid", "net.netfilter", "kernel.pty", "kernel.sched"):
        settings = {
            key: value
            for key, value in settings.items()
            if not key.startswith(restless) or key == "fs.inotify.max_user_instances"
        }
    return settings


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("lab"), "labtest")


@pytest.fixture(scope="module")
def shared(folder: Path) -> Iterator[Lab]:
    with running(folder) as lab:
        yield lab


@pytest.fixture
def lab(shared: Lab) -> Iterator[Lab]:
    """The lab that most tests share, with everything on and plugged as planned."""
    yield shared
    shared.mend()
    shared.switch_on(*shared.state.planned.all_switches)
    shared.power_on(*shared.machines)
    for machine in shared.machines.values():
        for slot in range(len(machine.macs)):
            name = f"{machine.name}:{slot}"
            if shared.state.cables.get(name) != shared.state.planned.cables[name]:
                shared.plug(machine.name, slot)


def switch_of(lab: Lab, mac: str) -> list[str]:
    """Switches that have learnt a MAC from a cable of a machine, not through the uplink."""
    report = lab.evidence()
    return [
        name
        for name, switch in report["switches"].items()
        if any(entry["mac"] == mac and entry["port"].startswith("m") for entry in switch["table"])
    ]


def carriers(lab: Lab, machine: str) -> list[bool]:
    links = json.loads(lab.exec(machine, ["ip", "-j", "link", "show"]).stdout)
    nics = sorted((link for link in links if link["ifname"] != "lo"), key=lambda link: str(link["ifname"]))
    return ["LOWER_UP" in link["flags"] for link in nics]


def test_machines_come_bare_and_whole(lab: Lab) -> None:
    assert list(lab.machines) == ["a", "b", "c", "d", "e", "f", "head"]
    for name in lab.machines:
        assert lab.exec(name, ["systemctl", "--failed", "--no-legend"]).stdout == ""
        assert lab.exec(name, ["hostname"]).stdout == "bare\n"
    addresses = json.loads(lab.exec("a", ["ip", "-j", "-4", "address", "show", "scope", "global"]).stdout)
    assert addresses == []
    assert "eth0" in lab.exec("a", ["networkctl", "--no-legend"]).stdout


def test_machines_have_identities_of_their_own(lab: Lab) -> None:
    assert len({lab.exec(name, ["cat", "/etc/machine-id"]).stdout for name in lab.machines}) == len(lab.machines)


def test_head_has_its_outside_address(lab: Lab) -> None:
    assert "10.78.0.254/24" in lab.exec("head", ["ip", "-4", "address", "show", "dev", "eth0"]).stdout


def test_no_machine_sees_a_device_of_the_machine_outside(lab: Lab) -> None:
    assert lab.exec("a", ["ls", "/sys/class/net"]).stdout.split() == ["eth0", "eth1", "lo"]


def test_status_and_macs_for_programs(lab: Lab, folder: Path) -> None:
    report = json.loads(subprocess.check_output((*FLATHOOD, "status", "--json", folder), cwd=CHECKOUT))
    assert report["machines"]["a"]["power"] == "on"
    assert [nic["to"] for nic in report["machines"]["a"]["nics"]] == ["red", "green"]
    listing = subprocess.check_output((*FLATHOOD, "macs", "labtest"), cwd=CHECKOUT, text=True).splitlines()
    assert listing[:2] == ["node,slot,mac", f"a,0,{lab.machines['a'].macs[0]}"]
    assert len(listing) == 1 + 6 * 2 + 1


def test_machines_of_the_lab_reach_each_other_without_a_password(lab: Lab) -> None:
    for name, address in (("a", "192.0.2.1/24"), ("b", "192.0.2.2/24")):
        assert lab.exec(name, ["ip", "address", "add", address, "dev", "eth0"]).returncode == 0
    done = lab.exec("a", ["ssh", "-o", "BatchMode=yes", "192.0.2.2", "cat", "/etc/machine-id"], timeout=20)
    assert done.stdout == lab.exec("b", ["cat", "/etc/machine-id"]).stdout, done.stderr


def test_run_has_the_heads_network_the_keys_and_the_exit_code(lab: Lab) -> None:
    script = 'ssh $ANSIBLE_SSH_ARGS -i "$ANSIBLE_PRIVATE_KEY_FILE" root@10.78.0.254 cat /etc/machine-id; exit 7'
    done = subprocess.run(
        (*FLATHOOD, "run", "labtest", "--", "bash", "-c", script),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == lab.exec("head", ["cat", "/etc/machine-id"]).stdout, done.stderr
    assert done.returncode == 7


def test_what_takes_too_long_is_ended(lab: Lab) -> None:
    with pytest.raises(LabError, match="not done after 1 s"):
        lab.exec("a", ["sleep", "4242"], timeout=1)
    assert lab.exec("a", ["pgrep", "-x", "sleep"]).stdout == ""


def test_a_power_cycle_keeps_the_disk_and_nothing_else(lab: Lab) -> None:
    lab.exec("a", ["sh", "-c", "echo kept > /root/disk; sync"])
    lab.exec("a", ["ip", "address", "add", "192.0.2.9/24", "dev", "eth1"])
    lab.power_off("a")
    with pytest.raises(LabError, match="a is off"):
        lab.exec("a", ["true"])
    lab.power_on("a")
    assert lab.exec("a", ["cat", "/root/disk"]).stdout == "kept\n"
    assert "192.0.2.9" not in lab.exec("a", ["ip", "address"]).stdout
    for slot, mac in enumerate(lab.machines["a"].macs):
        assert lab.exec("a", ["cat", f"/sys/class/net/eth{slot}/address"]).stdout.strip() == mac


def test_a_soft_power_off_lets_services_stop(lab: Lab) -> None:
    unit = "[Service]\nType=oneshot\nRemainAfterExit=yes\nExecStart=true\nExecStop=touch /root/stopped\n"
    lab.exec("b", ["sh", "-c", f"printf '{unit}' > /etc/systemd/system/last.service; systemctl start last"])
    lab.power_off("b", soft=True)
    lab.power_on("b")
    assert lab.exec("b", ["ls", "/root/stopped"]).returncode == 0


def test_a_reboot_from_inside_comes_back(lab: Lab) -> None:
    before = lab.exec("c", ["cat", "/proc/sys/kernel/random/boot_id"])
    assert before.returncode == 0
    lab.exec("c", ["touch", "/run/before"])
    lab.exec("c", ["systemctl", "reboot"])

    def is_back() -> bool:
        try:
            return lab.exec("c", ["ls", "/run/before"]).returncode == 2
        except LabError:
            return False

    until(is_back, "c is back from its reboot")
    assert run(("ip", "-n", lab.namespace("c"), "link", "show", "dev", "eth0"))


def test_recabling_moves_the_mac_to_the_other_switch(lab: Lab) -> None:
    mac = lab.machines["a"].macs[0]
    until(lambda: switch_of(lab, mac) == ["red"], "red learns a's MAC")
    lab.recable("a", 0, "blue")
    until(lambda: switch_of(lab, mac) == ["blue"], "blue learns a's MAC, red forgets it")
    assert lab.evidence()["ports"][lab.port("a", 0)]["switch"] == "blue"


def test_an_unplugged_nic_has_no_carrier(lab: Lab) -> None:
    lab.unplug("a", 1)
    assert carriers(lab, "a") == [True, False]
    lab.plug("a", 1)
    until(lambda: carriers(lab, "a") == [True, True], "carrier is back")


def test_a_dark_switch_takes_the_carrier_from_its_nodes(lab: Lab) -> None:
    lab.switch_off("red")
    assert carriers(lab, "a") == [False, True]
    assert carriers(lab, "e") == [True, True]
    lab.switch_on("red")
    until(lambda: carriers(lab, "a") == [True, True], "carrier is back")


def test_two_machines_can_be_cabled_without_a_switch(lab: Lab) -> None:
    lab.recable("d", 1, "e:1")
    for name, address in (("d", "192.0.2.4/24"), ("e", "192.0.2.5/24")):
        lab.exec(name, ["ip", "address", "add", address, "dev", "eth1"])
    until(lambda: lab.exec("d", ["ping", "-c1", "-W1", "192.0.2.5"]).returncode == 0, "d reaches e")
    assert lab.port("d", 1) not in lab.evidence()["ports"]


def test_faults_are_real_and_can_be_mended(lab: Lab) -> None:
    swap = lab.break_(FaultKind.SWAP, "a:0", "a:1")
    lab.break_(FaultKind.DEAD_CABLE, "b:0")
    lab.break_(FaultKind.DEAD_NIC, "c:0")
    lab.break_(FaultKind.DUPLICATE_MAC, "d:0", "e:0")
    ports = lab.evidence()["ports"]
    assert [ports[lab.port("a", slot)]["switch"] for slot in (0, 1)] == ["green", "red"]
    assert carriers(lab, "b") == [False, True]
    assert "eth0" not in lab.exec("c", ["ls", "/sys/class/net"]).stdout
    assert lab.exec("d", ["cat", "/sys/class/net/eth0/address"]).stdout.strip() == lab.machines["e"].macs[0]
    assert lab.mend(swap.number) == (swap,)
    assert len(lab.mend()) == 3
    assert lab.evidence()["ports"][lab.port("a", 0)]["switch"] == "red"
    until(lambda: all(carriers(lab, name) == [True, True] for name in "abcd"), "all carriers are back")


def test_every_end_of_every_cable_has_the_rate(lab: Lab) -> None:
    fabric = run(("tc", "-n", lab.fabric_namespace, "qdisc", "show"))
    assert fabric.count("qdisc tbf") == fabric.count("rate 100Mbit") == 6 * 2 + 1 + 3 * 2
    for name, machine in lab.machines.items():
        assert run(("tc", "-n", lab.namespace(name), "qdisc", "show")).count("rate 100Mbit") == len(machine.macs)


def test_a_second_up_changes_nothing(lab: Lab, folder: Path) -> None:
    pids = cgroups.processes(paths.machine_cgroup("labtest", "a"))[:1]
    assert not Lab.open(folder).up()
    assert cgroups.processes(paths.machine_cgroup("labtest", "a"))[:1] == pids


def test_up_refuses_a_description_of_other_hardware(lab: Lab, folder: Path) -> None:
    with pytest.raises(LabError, match="other machines, switches or rates"):
        Lab.open(folder).up(rate=10_000_000)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Path]:
    """A cluster whose lab is not up, for tests that begin and end one."""
    folder = copied(tmp_path, "labother")
    yield folder
    Lab.open(folder).down()


#: How often something is tried that only works while a lab comes up.
TRIES = 5


def start(folder: Path) -> subprocess.Popen[str]:
    # Tests that run in the background of a shell ignore the signal, and so would all that they start.
    heeding = ("env", "--default-signal=INT")
    return subprocess.Popen(
        (*heeding, *FLATHOOD, "up", str(folder)),
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def some_machine_runs(name: str) -> bool:
    return any(cgroups.busy(group) for group in paths.lab_cgroup(name).glob("m-*"))


def test_down_leaves_nothing_and_says_so_the_second_time(other: Path) -> None:
    before = machine_itself()
    lab = Lab.open(other)
    assert lab.up()
    with subprocess.Popen(
        (*FLATHOOD, "run", "labother", "--", "sleep", "4243"), cwd=CHECKOUT, start_new_session=True
    ) as command:
        until(lambda: bool(cgroups.processes(paths.command_cgroup("labother"))), "the command runs")
        assert lab.down()
        assert command.wait(PATIENCE) == -signal.SIGKILL
    until(lambda: nothing_left("labother"), f"nothing is left: {traces('labother')}")
    assert not lab.down()
    if not state.labs():
        assert machine_itself() == before
        assert not paths.RUN.exists()


def cut_short(folder: Path, how: signal.Signals) -> int:
    """Send a signal to `up` while it boots machines; its exit code."""
    for _ in range(TRIES):
        with start(folder) as maker:
            until(lambda: some_machine_runs(folder.name) or maker.poll() is not None, "a machine boots")
            maker.send_signal(how)
            code = maker.wait(PATIENCE)
        if code:
            return code
        Lab.open(folder).down()  # it was ready before the signal came
    raise AssertionError(f"{TRIES} times `up` was ready, as if it heeded no signal")


def test_a_killed_up_leaves_nothing(other: Path) -> None:
    cut_short(other, signal.SIGKILL)
    until(lambda: nothing_left("labother"), f"the guard has cleared all away: {traces('labother')}")


def test_an_interrupted_up_leaves_nothing(other: Path) -> None:
    cut_short(other, signal.SIGINT)
    assert nothing_left("labother"), traces("labother")


def test_up_recovers_from_what_a_crash_left(other: Path) -> None:
    lab = Lab.open(other)
    lab.up()
    paths.state_file("labother").unlink()
    assert lab.up()
    assert lab.exec("a", ["true"]).returncode == 0


def test_up_ends_machines_that_only_the_kernel_still_knows(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = Lab.open(other)
    lab.up()
    before = cgroups.processes(paths.lab_cgroup("labother"))
    with monkeypatch.context() as blind:  # as if the control groups had been unmounted before the lab was cleared
        blind.setattr(paths, "CGROUPS", paths.CGROUPS / "not-mounted")
        blind.setattr("flathood.lab.host.give_back", lambda: None)
        teardown.clear("labother")
    with monkeypatch.context() as blind:
        blind.setattr(teardown, "remains", lambda lab: False)
        lab.up()
    assert set(before).isdisjoint(cgroups.processes(paths.lab_cgroup("labother")))


def refusal(lab: Lab) -> str:
    """Why the lab cannot be brought up now; empty: it can, and is up."""
    try:
        lab.up()
    except Conflict as error:
        return str(error)
    return ""


def test_two_ups_at_once_collide_with_a_message(other: Path) -> None:
    for _ in range(TRIES):
        with start(other) as maker:
            until(lambda: some_machine_runs("labother") or maker.poll() is not None, "a machine boots")
            why = refusal(Lab.open(other))
            assert maker.wait(PATIENCE) == 0
        if why:
            break
        Lab.open(other).down()  # the first was ready before the second came
    assert re.search(rf"process {maker.pid} .*lab up", why)


def test_a_machine_that_does_not_boot_is_named_and_all_is_cleared(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flathood.lab.layers.write_disk", lambda hardware, machine: None)
    with pytest.raises(LabError, match=r"7 of 7 machines did not come up:\na: stopped while it booted\n  | .*mount"):
        Lab.open(other).up()
    assert nothing_left("labother"), traces("labother")


def test_too_little_memory_is_told_before_anything_is_made(other: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert memory_free() > 1 << 20
    monkeypatch.setattr("flathood.lab.host.memory_free", lambda: 1 << 20)
    with pytest.raises(LabError, match="7 machines need about 288 MiB of memory, 1 MiB are free"):
        Lab.open(other).up()
    assert nothing_left("labother")
