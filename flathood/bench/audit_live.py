# SPDX-License-Identifier: Apache-2.0
"""The audit on a lab: break it at random, run playbooks/audit.yml, do what it says, and audit again until all is clean.

The first audit is held against the truth. A machine that a fault cuts off from the head cannot be asked, so NICs may
stay unjudged: the report has to name them, and what is wrong with them has to come out once the machine is back.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flathood import inventory
from flathood.bench.audit import facts_of
from flathood.bench.breaking import Breaker
from flathood.bench.measure import Row
from flathood.bench.miswired import WHOLE, Fact, Fault, World
from flathood.cabling.audit import Report, audit
from flathood.cabling.evidence import load_evidence
from flathood.cabling.moves import Move
from flathood.errors import FlathoodError
from flathood.inventory import Inventory
from flathood.lab import Lab
from flathood.lab.faults import FaultKind, mac_of_another
from flathood.lab.hardware import nic
from flathood.playbook import command, play

#: What a lab can have wrong: all that a world can, but for machines of which no file knows.
KINDS = (
    "swap", "slots", "nodes", "wrong-switch", "dead-cable", "dead-nic", "duplicate-mac", "other-mac",
    "dead-switch", "switches", "joined", "cut",
)  # fmt: skip
#: Numbers of faults of the trials, one after another.
FAULTS = (1, 2, 5, 20)
TRIALS = 12
FINE = "all found, nothing invented, clean again"
_BROKEN = {
    "dead-cable": FaultKind.DEAD_CABLE,
    "dead-nic": FaultKind.DEAD_NIC,
    "duplicate-mac": FaultKind.DUPLICATE_MAC,
    "other-mac": FaultKind.OTHER_MAC,
    "dead-switch": FaultKind.DEAD_SWITCH,
    "joined": FaultKind.JOINED,
    "cut": FaultKind.DEAD_CABLE,
}
#: Seconds that one run of the playbook may take.
_LIMIT = 1800
#: Audits after the first: one is enough where every NIC was judged, one more finds what was out of reach.
_AGAIN = 2


def trials(counts: tuple[int, ...], number: int, seed: int) -> list[tuple[int, int]]:
    """Faults and seed of so many trials."""
    return [(counts[trial % len(counts)], seed + trial) for trial in range(number)]


def first_kind(seed: int) -> str:
    """The kind of a trial's first fault: it goes round with the seed, faults of whole switches first."""
    return KINDS[-1 - seed % len(KINDS)]


def work(directory: Path, faults: int, seed: int) -> Row:
    """One trial on a lab that is up and provisioned, which is as planned again in the end.

    `missed`, `invented` and `left` should be empty: the lab was as planned when what the audits said was done.

    Raises FlathoodError when the playbook brings no evidence.
    """
    loaded = inventory.load(directory, need_macs=True)
    trial = _Trial(loaded, Lab.open(directory), World.of(loaded, seed))
    # The first NIC has the address by which the head reaches a node: without it nothing can be asked of the node.
    breaker = Breaker(trial.world, KINDS, keep=frozenset((node, 0) for node in loaded.wiring.nodes))
    breaker.add(1, [first_kind(seed)])
    breaker.add(faults - 1)
    try:
        trial.break_()
        began = time.monotonic()
        report = trial.audit()
        seconds = time.monotonic() - began
        moves, audits, left = trial.restore(report)
    finally:
        trial.clear()
    true, told = _known(trial.world, report), facts_of(report)
    return {
        "faults": faults,
        "kinds": " ".join(sorted({fault.kind for fault in trial.world.faults})),
        "seed": seed,
        "facts": len(true),
        "found": len(true & told),
        "missed": sorted(map(str, true - told)),
        "invented": sorted(map(str, told - true)),
        "out_of_reach": len(trial.world.facts()) - len(true),
        "judged": report.judged,
        "unjudged": len(report.unjudged),
        "moves": moves,
        "audits": audits,
        "left": left,
        "seconds": round(seconds, 1),
    }


def verdict(row: Row) -> str:
    """A trial in a few words."""
    wrong = [f"{key}: {', '.join(row[key])}" for key in ("missed", "invented") if row[key]]
    left = [f"not as planned afterwards: {'; '.join(row['left'])}"] if row["left"] else []
    return "; ".join([*wrong, *left]) or FINE


def _known(world: World, report: Report) -> set[Fact]:
    """The facts but for those of NICs that the report says it knows nothing certain of."""
    unjudged = {(nic.machine, nic.slot) for nic in report.unjudged}
    return {fact for fact in world.facts() if not (isinstance(fact[1], tuple) and fact[1] in unjudged)}


def _words(report: Report) -> list[str]:
    """All that keeps a report from saying that everything is as planned."""
    unjudged = [f"{nic} is not judged" for nic in report.unjudged]
    return [*map(str, report.findings), *report.disagreements, *report.warnings, *unjudged]


@dataclass
class _Trial:
    """A world, and the lab that is made to be like it."""

    inventory: Inventory
    lab: Lab
    world: World

    def break_(self) -> None:
        """Plug and break in the lab what is wrong in the world, and nothing that a trial before has left."""
        self.lab.mend()
        for (machine, slot), place in self.world.cable.items():
            self._plug(machine, slot, self.world.label[place])
        for fault in self.world.faults:
            if fault.kind in _BROKEN:
                self.lab.break_(_BROKEN[fault.kind], *self._names(fault))
            if fault.kind == "other-mac":  # the lab deals out its MACs itself
                self.world.mac[fault.nics[0]] = mac_of_another(self.lab.state.planned, nic(*fault.nics[0]))

    def _names(self, fault: Fault) -> tuple[str, ...]:
        """What a fault is on; switches by the labels that they bear, as the lab knows them."""
        if fault.kind in WHOLE:
            return tuple(self.world.label[name] for name in fault.names)
        return tuple(nic(*port) for port in fault.nics)

    def audit(self) -> Report:
        """Run the playbook, and judge the evidence that it brought."""
        with tempfile.TemporaryDirectory(prefix="flathood-audit-") as output:
            text = self._play(Path(output))
            evidence = Path(output) / "evidence.json"
            if not evidence.exists():
                raise FlathoodError(f"bench: the audit brought no evidence:\n{text[-2000:]}")
            return audit(self.inventory, {str(evidence): load_evidence(evidence)})

    def restore(self, report: Report) -> tuple[int, int, list[str]]:
        """Do what the reports say until one has nothing to say: the moves made, all audits, what is still said."""
        self.lab.mend()
        moves, audits = 0, 1
        while report.exit_code and audits <= _AGAIN:
            self._move(report.moves)
            moves += len(report.moves)
            if any(finding.kind == "exchanged-switches" for finding in report.findings):
                self._exchange_labels()
            report, audits = self.audit(), audits + 1
        return moves, audits, _words(report)

    def _move(self, moves: Sequence[Move]) -> None:
        """Pull all plugs that are to be moved, then put them in: one move may end where another one begins."""
        ends = [move.after for move in moves if move.after]
        pulled = {move.before[0] for move in moves if move.before} - {one for one, _ in ends}
        for one in pulled:
            self.lab.unplug(one.machine, one.slot)
        for one, switch in ends:
            self._plug(one.machine, one.slot, switch)

    def _exchange_labels(self) -> None:
        """What bears another's label gets its own: in the lab, where names are labels, its cables change over."""
        label = self.world.label
        for (machine, slot), _ in self.world.planned.items():
            end = self.lab.state.cables.get(nic(machine, slot))
            if end in label:
                self._plug(machine, slot, label[end])

    def clear(self) -> None:
        """Mend and plug everything as planned, whatever happened."""
        self.lab.mend()
        for (machine, slot), place in self.world.planned.items():
            self._plug(machine, slot, place)

    def _plug(self, machine: str, slot: int, switch: str) -> None:
        if self.lab.state.cables.get(nic(machine, slot)) != switch:
            self.lab.recable(machine, slot, switch)

    def _play(self, output: Path) -> str:
        argv = command("audit", self.inventory.directory / "cluster.yml", audit_directory=str(output))
        return play(argv, self.lab, limit=_LIMIT).stdout
