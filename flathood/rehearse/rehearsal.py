# SPDX-License-Identifier: Apache-2.0
"""The stages of a rehearsal, in order. Each finds what an earlier run left and does only what is missing."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from flathood.checks.results import Exit, Report
from flathood.errors import Conflict, FlathoodError
from flathood.inventory import MACS, load
from flathood.lab.lock import hold
from flathood.lab.progress import Note, Progress
from flathood.playbook import CHECKOUT, Head, command, environment
from flathood.rehearse import folder
from flathood.rehearse.command import Outcome, run
from flathood.spec import Cluster

#: Seconds that another process which holds the lab is waited for.
_PATIENCE = 30.0


class Ground(Head, Protocol):
    """Where a cluster can be rehearsed: machines that are brought up, their MACs, and a way to them for Ansible."""

    name: str

    def up(self, progress: Progress, *, suite: str) -> bool:
        """Bring all machines up; False: they were up."""

    @property
    def machines(self) -> Collection[str]:
        """Names of the machines."""

    def macs(self) -> list[tuple[str, int, str]]:
        """Machine, slot and MAC of every NIC that is known; those of bare machines are for discovery to find."""


class VirtualGround(Ground, Protocol):
    """Machines with firmware: some may come without a system, and boot from the network."""

    @property
    def bare(self) -> Sequence[str]:
        """Names of the machines without a system."""

    #: What the playbook `discover` calls those who power these machines.
    power: str

    def netboot(self, progress: Progress, suite: str) -> dict[str, object]:
        """Variables of role head, for it to serve these machines a root image, which is made when there is none."""


class RehearsalFailed(FlathoodError):
    """A stage went wrong; the message has the last words of what ran in it and names the log with the rest."""


@dataclass(frozen=True)
class Audited:
    """What the audit said: how many cables it judged, of how many it cannot tell, and how many faults it found."""

    judged: int
    unjudged: int
    findings: int


@dataclass
class Rehearsal:
    """What a rehearsal found and did; filled in stage by stage.

    `variables` are those that its playbooks are told; `seconds` is by stage, in order.
    """

    cluster: Cluster
    directory: Path
    inventory: Path
    output: Path
    variables: dict[str, object] = field(default_factory=dict)
    lab_was_up: bool = False
    proof: str = ""
    provisioned: Outcome | None = None
    report: Report | None = None
    audited: Audited | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether this run brought up or changed anything."""
        return not self.lab_was_up or self.provisioned is None or self.provisioned.changed > 0

    @property
    def exit(self) -> Exit:
        """What the validation says, and the audit if there was one."""
        if self.report is None:
            return Exit.NOTHING_RAN
        return Exit.FAIL if self.audited and self.audited.findings else self.report.exit

    @property
    def page(self) -> Path:
        """The report of the validation, to open in a browser."""
        return self.output / "validate" / "report.html"


def rehearse(ground: Ground, directory: Path, progress: Progress, suite: str) -> Rehearsal:
    """Bring the machines of the cluster in a folder up, provision them with the playbook `site` and prove them.

    Raises RehearsalFailed, or what the rooms below raise.
    """
    state = _begin(directory)
    with hold(state.output / "rehearse" / "lock", f"rehearses {ground.name}"):
        _bring_up(state, ground, progress, suite)
        _take_macs(state, ground, progress)
        _prove(state, progress)
        _provision(state, ground, progress)
        _validate(state, ground, progress)
    return state


def rehearse_virtual(ground: VirtualGround, directory: Path, progress: Progress, suite: str) -> Rehearsal:
    """The same, with machines that have firmware: bare ones get a system first, and at the end the cabling is audited.

    Raises RehearsalFailed, or what the rooms below raise.
    """
    state = _begin(directory)
    with hold(state.output / "rehearse" / "lock", f"rehearses {ground.name}"):
        _bring_up(state, ground, progress, suite)
        _take_macs(state, ground, progress, ground.bare)
        if ground.bare:
            state.variables = ground.netboot(progress, suite)
            _netboot(state, ground, progress)
        _prove(state, progress)
        _provision(state, ground, progress)
        _validate(state, ground, progress)
        _audit(state, ground, progress)
    return state


def _begin(directory: Path) -> Rehearsal:
    cluster = load(directory, need_macs=False).cluster
    return Rehearsal(cluster, directory, directory, CHECKOUT / "build" / cluster.cluster)


@contextmanager
def _stage(state: Rehearsal, name: str, title: str, progress: Progress) -> Iterator[Note]:
    began = time.monotonic()
    with progress(title) as note:
        yield note
    state.seconds[name] = time.monotonic() - began


def _bring_up(state: Rehearsal, ground: Ground, progress: Progress, suite: str) -> None:
    began = time.monotonic()
    while True:
        try:
            state.lab_was_up = not ground.up(progress, suite=suite)
            break
        except Conflict as error:
            # What clears away after an interrupted rehearsal may still be at it.
            if error.holder is None or time.monotonic() - began > _PATIENCE:
                raise
            time.sleep(0.5)
    state.seconds["lab"] = time.monotonic() - began


def _take_macs(state: Rehearsal, ground: Ground, progress: Progress, bare: Sequence[str] = ()) -> None:
    """Provision from the cluster's own folder where it knows the lab's NICs, else from a copy that does.

    What is to be discovered of ``bare`` machines is never for the cluster's own folder.
    """
    macs = ground.macs()
    with _stage(state, "MACs", f"take in the MACs of {len(macs)} NICs", progress) as note:
        if not bare and folder.knows(state.directory, state.cluster, macs):
            return
        state.inventory = state.output / "rehearse" / state.directory.name
        folder.copy(state.directory, state.inventory)
        if folder.knows(state.inventory, state.cluster, macs):
            return
        (state.inventory / MACS).unlink(missing_ok=True)
        listing = state.output / "rehearse" / "macs.csv"
        folder.write_list(macs, listing)
        argv = [*_flathood(), "macs", "import", str(listing), "--into", str(state.inventory)]
        _succeeded("macs", _run(state, "macs", argv, note))
        if bare:
            folder.vouch(state.inventory, state.cluster)


def _netboot(state: Rehearsal, ground: VirtualGround, progress: Progress) -> None:
    """Have bare machines show their MACs, and give them a system; those that have one by now are left alone."""
    names = ", ".join(ground.bare)
    told = state.variables | {"netboot_nodes": list(ground.bare), "discover_power": ground.power}
    with _stage(
        state, "netboot", f"discover {names} and boot from the network (playbooks/netboot.yml)", progress
    ) as note:
        done = _run(state, "netboot", command("netboot", state.inventory, **told), note, ground)
        _succeeded("netboot", done)


def _prove(state: Rehearsal, progress: Progress) -> None:
    with _stage(state, "proof", "prove the plan offline, every ordered pair", progress) as note:
        done = _succeeded("check", _run(state, "check", [*_flathood(), "check", str(state.inventory)], note))
    state.proof = next((line.strip() for line in reversed(done.tail) if line.strip()), "")


def _provision(state: Rehearsal, ground: Ground, progress: Progress) -> None:
    count = len(ground.machines)
    with _stage(state, "provision", f"provision {count} machines (playbooks/site.yml)", progress) as note:
        done = _run(state, "provision", command("site", state.inventory, **state.variables), note, ground)
        state.provisioned = _succeeded("provision", done)


def _validate(state: Rehearsal, ground: Ground, progress: Progress) -> None:
    """Prove over real traffic; a check that fails is no failure of the stage, the report has it."""
    result = state.page.with_name("report.json")
    result.unlink(missing_ok=True)
    argv = command("validate", state.inventory, validate_directory=str(result.parent))
    with _stage(state, "validate", "validate over real traffic (playbooks/validate.yml)", progress) as note:
        done = _run(state, "validate", argv, note, ground)
        if not result.exists():
            raise _failed("validate", done)
        state.report = Report.model_validate_json(result.read_bytes())


def _audit(state: Rehearsal, ground: Ground, progress: Progress) -> None:
    """Hold the cabling against the plan; a cable in the wrong place is no failure of the stage, the report has it."""
    report = state.output / "audit" / "audit.json"
    report.unlink(missing_ok=True)
    argv = command("audit", state.inventory, audit_directory=str(report.parent))
    with _stage(state, "audit", "audit the cabling (playbooks/audit.yml)", progress) as note:
        done = _run(state, "audit", argv, note, ground)
        if not report.exists():
            raise _failed("audit", done)
        said = json.loads(report.read_bytes())
        state.audited = Audited(said["judged"], len(said["unjudged"]), len(said["findings"]))


def _flathood() -> list[str]:
    return [sys.executable, "-m", "flathood"]


def _run(state: Rehearsal, name: str, argv: list[str], note: Note, ground: Ground | None = None) -> Outcome:
    """Run a command of the checkout to its end, at the head of `ground` if one is given."""
    settings = {"NO_COLOR": "1", "ANSIBLE_NOCOLOR": "1", "ANSIBLE_FORCE_COLOR": "0", "PYTHONUNBUFFERED": "1"}
    log = state.output / "rehearse" / f"{name}.log"
    return run(ground.at_head(argv) if ground else argv, log, note, environment(ground) | settings)


def _succeeded(name: str, done: Outcome) -> Outcome:
    if done.code:
        raise _failed(name, done)
    return done


def _failed(name: str, done: Outcome) -> RehearsalFailed:
    words = [*(f"  | {line}" for line in done.last_words), f"The stage `{name}` failed (exit code {done.code})."]
    if done.lost:
        words.append(f"Machines that failed or were not reached: {', '.join(done.lost)}.")
    words.append(f"All that it said: {done.log}")
    return RehearsalFailed("\n".join(words))
