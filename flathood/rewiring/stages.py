# SPDX-License-Identifier: Apache-2.0
"""The wirings between two wirings: what is plugged before each batch, with the cables of that batch idle."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import JsonValue

from flathood.cabling.picture import Nic
from flathood.rewiring.batches import Batch, applied
from flathood.wiring.model import Idle, Wiring


def stage(wiring: Wiring, made: Iterable[Batch], ahead: Batch | None, uplink: str) -> Wiring:
    """What is plugged once the batches in ``made`` are, with the cables of the one ``ahead`` idle.

    Cables that were idle stay so until they are moved: what is dead at their old ends does not concern the new ones. A
    node whose fnn0 has gone to the ``uplink`` switch is as one that is still to come (see `Wiring.coming`).
    """
    rows, moved, gone = dict(wiring.nodes), set[Nic](), set[Nic]()
    for batch in made:
        rows = applied(rows, batch, uplink)
        moved |= set(batch.nics)
        places = batch.places()
        gone = {nic for nic in gone | places.keys() if places.get(nic, uplink) == uplink}
    idle = {Nic(one.node, one.slot): one for one in wiring.idle if Nic(one.node, one.slot) not in moved}
    idle |= {nic: Idle(node=nic.machine, slot=nic.slot, to=rows[nic.machine][nic.slot]) for nic in gone}
    if ahead is not None:
        coming = {nic: None if to == uplink else to for nic, to in ahead.places().items()}
        idle |= {nic: Idle(node=nic.machine, slot=nic.slot, to=to) for nic, to in coming.items()}
    # Pairs may share no switch for a while, and the ports that cables are in are known again when all are there.
    design: dict[str, JsonValue] = {"mode": "fractional", "engine": "rewiring"}
    if without := wiring.design.get("without"):
        design["without"] = without
    return wiring.model_copy(
        update={"nodes": rows, "ports": {}, "idle": tuple(idle[nic] for nic in sorted(idle)), "design": design}
    )
