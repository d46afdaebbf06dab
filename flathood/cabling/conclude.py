# SPDX-License-Identifier: Apache-2.0
"""The end of an audit on a running cluster: evidence and report in files, and wiring.yml when it is adopted."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from flathood.cabling.audit import Report, adopted, adoption, audit
from flathood.cabling.evidence import Evidence, save_evidence
from flathood.cabling.moves import Move
from flathood.cabling.slots import Learnt, write
from flathood.inventory import WIRING, Inventory
from flathood.wiring import save_wiring
from flathood.writing import locked, save


@dataclass(frozen=True)
class Conclusion:
    """What came of an audit; ``moves`` restore the plan, or complete what was adopted."""

    report: Report
    moves: tuple[Move, ...]
    evidence: Path
    adopt: bool
    written: bool
    learnt: Learnt | None = None

    @property
    def failed(self) -> bool:
        """Whether somebody has to do something, or nothing is known."""
        if self.report.exit_code == 2:
            return True
        return bool(self.moves) if self.adopt else self.report.exit_code == 1

    @property
    def message(self) -> str:
        """What came out, in a few lines."""
        report = self.report
        lines = [str(self.learnt), *self.learnt.notes] if self.learnt else []
        lines += [f"{report.judged} of {report.judged + len(report.unjudged)} cables judged."]
        lines += [str(finding) for finding in report.findings]
        lines += [*report.disagreements, *report.warnings, *report.picture.notes]
        if self.adopt:
            lines.append(f"The wiring is adopted, {len(self.moves)} moves make it valid.")
        elif report.findings:
            lines.append(f"{len(self.moves)} moves restore the plan, {report.now.uncovered} pairs share no switch now.")
        lines += [move.sentence() for move in self.moves]
        if not report.findings and report.exit_code == 0:
            lines.append("Everything is as planned.")
        return "\n".join(lines)


@dataclass(frozen=True)
class Wish:
    """What an audit is to change: ``macs``: macs.yml, first; ``adopt``: wiring.yml; ``dry``: neither, only say so."""

    adopt: bool = False
    macs: bool = False
    dry: bool = False


def conclude(inventory: Inventory, evidence: Evidence, output: Path, wish: Wish) -> Conclusion:
    """Audit, and write evidence.json and audit.json into `output`, and what is wished into the cluster's files.

    Raises CannotAdopt when the evidence is too thin to adopt by.
    """
    output.mkdir(parents=True, exist_ok=True)
    path = output / "evidence.json"
    save_evidence(path, evidence)
    learnt, written = None, False
    if wish.macs:
        inventory, learnt, written = write(inventory, {str(path): evidence}, dry=wish.dry)
    report = audit(inventory, {str(path): evidence})
    save(output / "audit.json", json.dumps(report.data(), indent=1) + "\n")
    moves = report.moves
    if wish.adopt:
        nearest = adoption(inventory, report)
        moves = nearest.moves
        if nearest.rows != inventory.wiring.nodes and not wish.dry:
            with locked(inventory.directory / WIRING):
                written |= save_wiring(
                    inventory.directory / WIRING, adopted(inventory.cluster, inventory.wiring, nearest)
                )
    return Conclusion(report, moves, path, wish.adopt, written, learnt)
