# SPDX-License-Identifier: Apache-2.0
"""Validation over real traffic: a healthy cluster passes every check, and each fault is found and named."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from flathood.checks.catalogue import Catalogue
from flathood.checks.evidence import IN_LAB, tables
from flathood.checks.results import Exit, Finding, Outcome, Report
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.plan import Plan, load_plan
from flathood.playbook import CHECKOUT, command, play
from tests.labs import copied, know_macs, running, until

pytestmark = [
    pytest.mark.lab,
    pytest.mark.skipif(os.geteuid() != 0, reason="needs root"),
]

FLATHOOD = (sys.executable, "-m", "flathood")
NAME = "valtest"
#: Longest wait for anything, seconds; a test that passes never takes as long.
PATIENCE = 600


@dataclass
class Rig:
    """A provisioned lab of hexa under a name of its own.

    a and b are on red and green, c and d on red and blue, e and f on green and blue.
    """

    lab: Lab
    folder: Path

    @property
    def plan(self) -> Plan:
        return load_plan(self.folder)

    def validate(self, *arguments: str, **settings: str) -> tuple[int, Report]:
        done = subprocess.run(
            (*FLATHOOD, "validate", str(self.folder), "--json", *arguments),
            cwd=CHECKOUT,
            env=os.environ | {"PYTHONPATH": str(CHECKOUT)} | settings,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.stdout.startswith("{"), done.stdout + done.stderr
        return done.returncode, Report.model_validate_json(done.stdout)

    def traffic(self) -> Report:
        """A run without the MPI job, which has to fail."""
        code, report = self.validate("--tags", "state,traffic")
        assert code == Exit.FAIL == report.exit
        assert sum(finding.explains for finding in report.findings) == report.total.failed + report.total.warned
        return report

    def site(self) -> None:
        done = play(command("site", self.folder / "cluster.yml"), self.lab, limit=PATIENCE)
        assert done.returncode == 0, done.stdout[-3000:]

    def on(self, machine: str, *argv: str) -> str:
        done = self.lab.exec(machine, argv)
        assert done.returncode == 0, f"{machine}: {argv}: {done.stderr}"
        return done.stdout

    def restart(self, *machines: str) -> None:
        """Power-cycle: whatever a test did to the kernel's tables is gone, what the roles wrote is in force."""
        self.lab.power_off(*machines)
        self.lab.power_on(*machines)
        until(lambda: all(self.configured(machine) for machine in machines), f"{machines} are configured")

    def configured(self, machine: str) -> bool:
        """Whether a machine has 2 neighbors a NIC and the head on one: the last thing that networkd sets."""
        return self.on(machine, "ip", "-4", "neigh", "show", "nud", "permanent").count("PERMANENT") >= 7


@pytest.fixture(scope="module")
def rig(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    folder = copied(tmp_path_factory.mktemp("validate"), NAME)
    with running(folder) as lab:
        know_macs(lab, folder)
        rig = Rig(lab, folder)
        rig.site()
        yield rig


@pytest.fixture
def undo() -> Iterator[Callable[[Callable[[], object]], None]]:
    """Register what puts the cluster right again after the test."""
    steps: list[Callable[[], object]] = []
    yield steps.append
    for step in reversed(steps):
        step()


def only(report: Report, **facts: str) -> Finding:
    found = [one for one in report.findings if all(getattr(one, key) == value for key, value in facts.items())]
    assert len(found) == 1, report.findings
    return found[0]


def test_a_healthy_cluster_passes_every_check_and_keeps_nothing(rig: Rig) -> None:
    code, report = rig.validate()
    assert (code, report.findings, report.not_run) == (Exit.PASS, (), ())
    assert {kind: count.passed for kind, count in report.counts.items()} == Catalogue.of(rig.plan).totals()
    assert report.evidence == "the lab's switches"
    assert report.facts["unicast frames between nodes on the uplink"] == 0
    assert report.facts["MPI ranks"] == 6
    assert all(nic.located == nic.switch for host in report.hosts for nic in host.nics)
    for machine in (*rig.plan.names, rig.plan.head):
        assert "python" not in rig.on(machine, "ps", "-A", "-o", "comm=")
        assert "flathood-probe" not in rig.on(machine, "cat", "/proc/net/unix")
    page = (CHECKOUT / "build" / NAME / "validate" / "report.html").read_text()
    assert "everything passed" in page
    assert all(f'id="{name}"' in page for name in rig.plan.names)


def test_a_wrong_mac_in_one_neighbor_table_is_named(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("a"))
    rig.on(
        "a", *["ip", "neigh", "replace", "10.80.0.3", "lladdr", "02:00:00:00:00:99", "dev", "fnn0", "nud", "permanent"]
    )
    report = rig.traffic()
    finding = only(report)
    assert (finding.host, finding.nic, finding.switch) == ("a", "fnn0", "red")
    assert "10.80.0.3 (c) is 02:00:00:00:00:99" in finding.what
    assert "--tags arp --limit a" in finding.do
    assert {one.kind for one in report.deviations} == {"neighbor", "echo"}


def test_a_missing_route_is_named(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("a"))
    rig.on("a", "ip", "route", "del", "10.80.2.3")
    finding = only(rig.traffic())
    assert (finding.host, finding.nic) == ("a", "fnn0")
    assert "10.80.2.3 (c) is missing, not via 10.80.0.3 dev fnn0 src 10.80.0.1" in finding.what
    assert "--tags routes --limit a" in finding.do


def test_arp_left_on_is_named_and_heard(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("a"))
    rig.on("a", "ip", "link", "set", "fnn1", "arp", "on")
    report = rig.traffic()
    finding = only(report)
    assert (finding.host, finding.nic, finding.switch) == ("a", "fnn1", "green")
    assert "ARP is left on" in finding.what
    silence = [one for one in report.deviations if one.kind == "silence"]
    assert [(one.host, one.nic) for one in silence] == [("a", "fnn1")]
    assert "request for 10.80.1." in silence[0].seen


def test_two_swapped_cables_are_named_by_the_switches_though_everything_is_reachable(
    rig: Rig, undo: Callable[..., None]
) -> None:
    undo(lambda: rig.restart("a", "c"))
    undo(rig.lab.mend)
    rig.lab.break_(FaultKind.SWAP, "a:1", "c:1")
    rig.restart("a", "c")
    report = rig.traffic()
    finding = only(report)
    assert finding.what == "two cables are swapped: a fnn1 (green) is in blue, c fnn1 (blue) is in green"
    assert "move the cable of a fnn1 from blue to green, and that of c fnn1 from green to blue" in finding.do
    assert report.counts["echo"].failed == 0, "the uplink makes everything reach everything"
    assert {one.kind for one in report.deviations} == {"cable", "one-switch"}
    located = {(host.name, nic.nic): nic.located for host in report.hosts for nic in host.nics}
    assert (located["a", "fnn1"], located["c", "fnn1"]) == ("blue", "green")


def test_a_node_whose_way_in_was_moved_is_found_again_and_its_cables_are_named(
    rig: Rig, undo: Callable[..., None]
) -> None:
    """After the move the switches send what is meant for the silent node to where it was, for minutes."""
    undo(lambda: rig.restart("a", "e"))
    undo(rig.lab.mend)
    rig.lab.break_(FaultKind.SWAP, "a:0", "e:1")
    mac = rig.plan.mac("a", 0)
    assert tables(rig.lab.evidence(), "white")["white"][mac] == "red"
    program = (
        "import sys; from flathood.checks.call import call_everyone; from flathood.plan import load_plan\n"
        "print(call_everyone(load_plan(sys.argv[1]).cluster))"
    )
    called = subprocess.run(
        rig.lab.at_head([sys.executable, "-c", program, str(rig.folder)]),
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=True,
    )
    assert called.stdout == "\n"
    assert tables(rig.lab.evidence(), "white")["white"][mac] == "blue"
    report = rig.traffic()
    finding = next(one for one in report.findings if "two cables are swapped" in one.what)
    assert finding.what == "two cables are swapped: a fnn0 (red) is in blue, e fnn1 (blue) is in red"
    assert all(host.state == "ran" for host in report.hosts)


def test_a_dead_cable_is_named_with_its_colour(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("e"))
    undo(rig.lab.mend)
    rig.lab.break_(FaultKind.DEAD_CABLE, "e:1")
    report = rig.traffic()
    finding = next(one for one in report.findings if one.what == "fnn1 has no carrier")
    assert (finding.host, finding.nic, finding.switch, finding.colour) == ("e", "fnn1", "blue", "#1565c0")
    assert "check the blue cable of e at fnn1" in finding.do
    assert {one.host for one in report.findings} == {"e"}


def test_a_dead_nic_is_named(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("f"))
    undo(rig.lab.mend)
    rig.lab.break_(FaultKind.DEAD_NIC, "f:1")
    report = rig.traffic()
    finding = next(one for one in report.findings if one.nic == "fnn1")
    assert (finding.host, finding.switch) == ("f", "blue")
    assert "f has no NIC with the MAC" in finding.what
    assert {one.host for one in report.findings} == {"f"}


def test_a_node_without_power_is_named_and_the_others_are_validated(rig: Rig, undo: Callable[..., None]) -> None:
    undo(lambda: rig.restart("d"))
    rig.lab.power_off("d")
    code, report = rig.validate(ANSIBLE_TIMEOUT="10")  # ssh would try for 30 s
    assert code == Exit.FAIL
    finding = only(report)
    assert finding.host == "d"
    assert "check the power of d" in finding.do
    states = {host.name: host.state for host in report.hosts}
    assert states.pop("d") == "unreachable"
    assert set(states.values()) == {"ran"}
    assert {one.peer for one in report.deviations} == {"d"}
    assert any(one.kind == "mpi" and "these do not: d" in one.reason for one in report.not_run)


def test_one_machine_can_be_asked_alone(rig: Rig) -> None:
    code, report = rig.validate("--node", "b", "--tags", "state,traffic")
    assert (code, [host.name for host in report.hosts]) == (Exit.PASS, ["b"])
    assert report.counts["echo"].passed == Catalogue.of(rig.plan).counts("b")["echo"]


def test_without_switch_evidence_the_wiring_is_not_proved_and_that_is_a_warning(rig: Rig) -> None:
    output = rig.folder / "report"
    argv = command("validate", rig.folder / "cluster.yml", validate_directory=str(output))
    done = play(argv, rig.lab, limit=PATIENCE, settings={IN_LAB: ""})
    assert done.returncode == 0, done.stdout[-3000:]
    report = Report.model_validate_json((output / "report.json").read_bytes())
    assert report.exit == Exit.WARNINGS
    assert {one.kind for one in report.not_run} == {"cable", "one-switch"}
    assert report.counts["echo"].passed == Catalogue.of(rig.plan).totals()["echo"]


def test_open_mpi_does_not_work_without_what_the_roles_wrote(rig: Rig, undo: Callable[..., None]) -> None:
    undo(rig.site)
    undo(lambda: rig.restart(*rig.plan.names))
    for node in rig.plan.names:
        rig.on(node, "mv", "/etc/openmpi/openmpi-mca-params.conf", "/root/params.off")
        rig.on(node, "ip", "route", "flush", "proto", "static", "type", "unicast")
    code, report = rig.validate("--tags", "mpi")
    assert code == Exit.FAIL
    job = [one for one in report.deviations if one.kind == "mpi"]
    assert len(job) == 1
    assert job[0].outcome is Outcome.FAIL
    assert "all-to-all" not in job[0].seen
    assert report.seconds["MPI job"] <= 60 + 2 * 6 + 15
