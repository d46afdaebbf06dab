# SPDX-License-Identifier: Apache-2.0
"""The front of moves against gain: for each number of cable moves the best wiring found that takes no more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydantic import JsonValue

from flathood.cabling.adopt import adopt
from flathood.cabling.picture import Nic
from flathood.design import tradeoff
from flathood.design.designer import NotFound, search
from flathood.design.engine import Budget
from flathood.design.objective import Evaluation, evaluate
from flathood.design.request import Design, Request, design_of
from flathood.design.slots import slots_of
from flathood.design.tradeoff import Measure
from flathood.errors import FlathoodError
from flathood.rewiring.least import distance, nearest_slots
from flathood.rewiring.plugged import plugged
from flathood.spec.model import Cluster
from flathood.spec.rules import DesignRules
from flathood.wiring.model import Wiring


@dataclass(frozen=True)
class Point:
    """One wiring of the front.

    Attributes:
        moves: the least moves from what is plugged to this wiring.
        wiring: it, with what stays in its slot and port.
        value: what it is worth by the front's measure.
        gain: its part of what the last point of the front gains over the first, 0 … 1.
        evaluation: all its figures.

    """

    moves: int
    wiring: Wiring
    value: float
    gain: float
    evaluation: Evaluation


@dataclass(frozen=True)
class Front:
    """The wirings worth choosing from, those with the fewest moves first; each is better than all before it.

    Attributes:
        points: at least one. The first takes no moves, unless what is plugged breaks a rule.
        measure: what `Point.value` is: "throughput", "shared" or "quality" (see `design.objective`).
        profile: the traffic that it is about.
        plugged: the wiring that is plugged, completed.
        fewest: no wiring that keeps the rules takes fewer moves, by proof; 0 where what is plugged keeps them.

    """

    points: tuple[Point, ...]
    measure: Measure
    profile: str
    plugged: Wiring
    fewest: int

    def within(self, moves: int) -> Point:
        """The best point that takes no more moves; raises FlathoodError where there is none."""
        best = [point for point in self.points if point.moves <= moves]
        if not best:
            least = self.points[0].moves
            raise FlathoodError(
                f"{moves} moves are too few: what is plugged breaks a rule, which takes {least} to mend"
            )
        return best[-1]

    def reaching(self, share: float) -> Point:
        """The point with the fewest moves that has this share of the gain, 0 … 1."""
        return next(point for point in self.points if point.gain >= share - 1e-9)


@dataclass(frozen=True)
class Wish:
    """What to rewire for.

    Attributes:
        profile: the traffic; None: cluster.yml's.
        directory: where files of the profile are looked for.
        rules: others than cluster.yml's, such as ones without a switch that died; None: cluster.yml's.
        broken: NICs that are dead and not to be used.
        measure: what is wanted.
        budget: seed, rounds or seconds of the search.

    """

    profile: object = None
    directory: Path | None = None
    rules: DesignRules | None = None
    broken: frozenset[Nic] = frozenset()
    measure: Measure = "throughput"
    budget: Budget = field(default_factory=Budget)


def front(
    cluster: Cluster, old: Wiring, wish: Wish | None = None, tell: Callable[[int], None] = lambda _: None
) -> Front:
    """The front from what is plugged.

    Args:
        cluster: as it is to be; it may have more or fewer nodes and switches than the old wiring.
        old: what is plugged.
        wish: what to rewire for; default: cluster.yml's profile.
        tell: called with the number of wirings on the front, now and then.

    Raises:
        InvalidInput: the profile is wrong.
        Impossible, NotFound: what is plugged breaks a rule, and no wiring that keeps it is known.

    """
    wish = wish or Wish()
    rules = wish.rules or cluster.design
    request = Request.of(cluster, wish.directory, wish.profile, rules)
    dead = np.array([sum(nic.machine == name for nic in wish.broken) for name in cluster.node_names])
    request = replace(request, nics=np.maximum(request.nics - dead, 0))
    whole = plugged(cluster, old, rules.without, wish.broken)
    there = design_of(whole, cluster)
    found = tradeoff.Front(request, there, lambda design: distance(there, design), wish.measure)
    start, fewest = _start(cluster, found, whole, rules, wish)
    with suppress(NotFound):
        # What one would design without regard to what is plugged: no front should end below it.
        anew = search(request, Budget(wish.budget.seed, wish.budget.seconds, 1)).best.design
        tradeoff.lead_back(found, (~there).astype(np.float64), anew)
    tradeoff.explore(found, start, (~there).astype(np.float64), wish.budget, tell)
    spots = found.spots()
    first, last = spots[0].worth[0], spots[-1].worth[0]
    points = []
    for spot in spots:
        evaluation = evaluate(request, spot.design)
        wiring = whole
        if spot.cost:
            block: dict[str, JsonValue] = {"mode": rules.mode, "profile": request.profile, "engine": "rewiring"}
            block |= {"seed": wish.budget.seed, "moves": int(spot.cost)}
            block |= {"without": list(rules.without)} if rules.without else {}
            like = Wiring(cluster=cluster.cluster, nodes=whole.nodes, design={**block, **evaluation.report()})
            wiring = nearest_slots(cluster, whole, spot.design, like)
        gain = (spot.worth[0] - first) / (last - first) if last > first else 1.0
        points.append(Point(int(spot.cost), wiring, spot.worth[0], gain, evaluation))
    return Front(tuple(points), wish.measure, request.profile, whole, fewest)


def _start(
    cluster: Cluster, found: tradeoff.Front, whole: Wiring, rules: DesignRules, wish: Wish
) -> tuple[Design, int]:
    """A design that keeps the rules, near to what is plugged, and the fewest moves that are proved to be needed.

    One is mended by annealing or, if that fails, designed; in universal mode an integer program (see `cabling.adopt`)
    then looks for the nearest of all.
    """
    there, request = found.home, found.request
    if request.fits(there) and tradeoff.covers(request, there):
        return there, 0
    mended = tradeoff.mended(found, (~there).astype(np.float64), wish.budget.seed)
    if mended is None:
        mended = search(request, replace(wish.budget, seconds=None, rounds=1)).best.design
    if rules.mode != "universal" or rules.keep:
        return mended, 1
    block: dict[str, JsonValue] = {"mode": rules.mode, "without": list(rules.without)}
    valid = Wiring(cluster=cluster.cluster, nodes=slots_of(mended, cluster, whole), design=block)
    # Without the slots of dead NICs a node has none to put a cable in.
    rows, plan = (
        {
            node: tuple(switch for slot, switch in enumerate(row) if Nic(node, slot) not in wish.broken)
            for node, row in wiring.nodes.items()
        }
        for wiring in (whole, valid)
    )
    adoption = adopt(_usable(cluster, request), valid.model_copy(update={"nodes": plan}), rows, frozenset())
    near = Wiring(cluster=cluster.cluster, nodes={node: adoption.rows[node] or (None,) for node in rows})
    design = design_of(near, cluster)
    return (design if distance(there, design) < distance(there, mended) else mended), max(adoption.bound, 1)


def _usable(cluster: Cluster, request: Request) -> Cluster:
    """The cluster with no free port on the switches that are not to be used."""
    switches = tuple(
        switch if ports else switch.model_copy(update={"taken": switch.ports})
        for switch, ports in zip(cluster.switches, request.ports, strict=True)
    )
    return cluster.model_copy(update={"switches": switches})
