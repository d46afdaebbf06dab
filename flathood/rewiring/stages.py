# SPDX-License-Identifier: Apache-2.0
"""The wirings between two wirings: what is plugged before each batch, with the cables of that batch idle."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from flathood.cabling.picture import Nic
from flathood.rewiring.batches import Batch, applied
from flathood.wiring.model import Idle, Wiring


def stage(wiring: Wiring, made: Iterable[Batch], ahead: Batch | None) -> Wiring:
    """What is plugged once the batches in ``made`` are, with the cables of the one ``ahead`` idle.

    Cables that were idle stay so until they are moved: what is dead at their old ends does not concern the new ones.
    """
    rows, moved = dict(wiring.nodes), set[Nic]()
    for batch in made:
        rows = applied(rows, batch)
        moved |= set(batch.nics)
    idle = {Nic(one.node, one.slot): one for one in wiring.idle if Nic(one.node, one.slot) not in moved}
    if ahead is not None:
        idle |= {nic: Idle(node=nic.machine, slot=nic.slot, to=to) for nic, to in ahead.places().items()}
    # Pairs may share no switch for a while, and the ports that cables are in are known again when all are there.
    design: dict[str, JsonValue] = {"mode": "fractional", "engine": "rewiring"}
    if without := wiring.design.get("without"):
        design["without"] = without
    return wiring.model_copy(
        update={"nodes": rows, "ports": {}, "idle": tuple(idle[nic] for nic in sorted(idle)), "design": design}
    )
