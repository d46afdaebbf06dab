# SPDX-License-Identifier: Apache-2.0
"""The audit on a lab: break it at random, run playbooks/audit.yml, hold what it says against what was broken."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from flathood import inventory
from flathood.bench.audit import facts_of
from flathood.bench.breaking import Breaker
from flathood.bench.measure import Row
from flathood.bench.miswired import World
from flathood.cabling.audit import audit
from flathood.cabling.evidence import load_evidence
from flathood.errors import FlathoodError
from flathood.lab import Lab
from flathood.lab.faults import FaultKind
from flathood.lab.hardware import nic

#: What a lab can have wrong while every node stays within reach and no loop storms it.
KINDS = ("swap", "slots", "nodes", "wrong-switch", "dead-cable", "dead-nic", "duplicate-mac")
_DEAD = {"dead-cable": FaultKind.DEAD_CABLE, "dead-nic": FaultKind.DEAD_NIC, "duplicate-mac": FaultKind.DUPLICATE_MAC}
_ROOT = Path(__file__).resolve().parents[2]
#: Seconds that one run of the playbook may take.
_LIMIT = 900


def work(directory: Path, faults: int, seed: int) -> Row:
    """One trial on a lab that is up and provisioned; in the end the moves are made and everything else is mended.

    Raises FlathoodError when the playbook brings no evidence, or the moves leave a cable that is not as planned.
    """
    loaded = inventory.load(directory, need_macs=True)
    lab = Lab.open(directory)
    world = World.of(loaded, seed)
    # The first NIC has the address by which the head reaches a node: without it nothing can be asked of the node.
    Breaker(world, KINDS, keep=frozenset((node, 0) for node in loaded.wiring.nodes)).add(faults)
    try:
        for (machine, slot), place in world.cable.items():
            if place != world.planned[machine, slot]:
                lab.recable(machine, slot, place)
        for fault in world.faults:
            if fault.kind in _DEAD:
                lab.break_(_DEAD[fault.kind], *(nic(*port) for port in fault.nics))
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="flathood-audit-") as output:
            text = _play(lab, directory, Path(output))
            seconds = time.monotonic() - began
            evidence = Path(output) / "evidence.json"
            if not evidence.exists():
                raise FlathoodError(f"bench: the audit brought no evidence:\n{text[-2000:]}")
            report = audit(loaded, {str(evidence): load_evidence(evidence)})
        for move in report.moves:
            if move.after:
                lab.recable(move.after[0].machine, move.after[0].slot, move.after[1])
        left = {key for key, end in lab.state.planned.cables.items() if lab.state.cables.get(key) != end}
        if left:
            raise FlathoodError(f"bench: after the moves {', '.join(sorted(left))} are not as planned")
    finally:
        lab.mend()
        for machine, slot in world.cable:
            if lab.state.cables.get(nic(machine, slot)) != world.planned[machine, slot]:
                lab.plug(machine, slot)
    true, told = world.facts(), facts_of(report)
    return {
        "faults": faults,
        "seed": seed,
        "facts": len(true),
        "found": len(true & told),
        "invented": len(told - true),
        "judged": report.judged,
        "unjudged": len(report.unjudged),
        "moves": len(report.moves),
        "seconds": round(seconds, 1),
    }


def _play(lab: Lab, directory: Path, output: Path) -> str:
    argv = [str(Path(sys.executable).with_name("ansible-playbook")), str(_ROOT / "playbooks/audit.yml")]
    done = subprocess.run(
        lab.at_head([*argv, "-i", str(directory / "cluster.yml"), "-e", f"audit_directory={output}"]),
        cwd=_ROOT,
        env=os.environ | lab.environment | {"ANSIBLE_CONFIG": str(_ROOT / "ansible.cfg"), "ANSIBLE_NOCOLOR": "1"},
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    return done.stdout + done.stderr
