# SPDX-License-Identifier: Apache-2.0
"""The front of good against costly designs: for each cost the best design that costs no more, as far as one is found.

A cost is a sum over cables: 1 for each that has to be plugged anew, or its metres. The search is the designer's
annealing with a price on each cable's cost, from so high that cost alone counts to nothing (Lagrange). Each design is
then taken back towards the start, one change after another, the least useful first, which fills the front between. And
from the start one change after another is made, each where the load is largest: nothing is better for a few moves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from flathood.design.engine import Budget
from flathood.design.evolve import Task, anneal, polish
from flathood.design.objective import cable_loads, even_rate, shared_switches
from flathood.design.request import Design, Request

_Floats = npt.NDArray[np.float64]

#: What is wanted of a design: the rate of all nodes at once, the shared switches of the traffic, or both multiplied.
Measure = Literal["throughput", "shared", "quality"]
MEASURES: tuple[str, ...] = get_args(Measure)

_PRICES = 10  # from the highest price of a cable's cost to the lowest, then none
_RANGE = 300.0  # the highest is so many times the lowest
_ROUNDS = 3
_MOST_ROUNDS = 1000  # also with seconds to spare, the loop is bounded
_NODES = 256  # with more, taking designs back would cost more than it brings
_TRIED = 24  # changes that are tried in full at each step back
_POWER = 16  # of the power mean that stands for the largest load while designs are taken back
_MILD = (0.03, 0.1, 0.3)  # heats that leave most of a design standing
_HOT = (0.1, 0.5, 2.0, 10.0)  # heats from which a design that breaks rules is mended
_MENDS = 12
_PEERS = 8  # nodes at the far side of the most loaded cable that are looked at
_ONWARD = 40  # changes that are made one after another from the start
_SAME = 1e-9

#: Cables to be unplugged and plugged: node and switch.
_Step = tuple[list[tuple[int, int]], list[tuple[int, int]]]


@dataclass(frozen=True, eq=False)
class Spot:
    """One design of a front: its cost, and its worth by the measure with the other one to break ties."""

    cost: float
    worth: tuple[float, float]
    design: Design


@dataclass
class Front:
    """The best design known for each cost; those that no other beats at less or the same cost are `spots`.

    Attributes:
        request: what designs are made of.
        home: bool[n, switches], what is there: designs are taken back towards it. It keeps to NICs and ports, but
            pairs that should share a switch need not.
        cost: of a design.
        measure: what is wanted.

    """

    request: Request
    home: Design
    cost: Callable[[Design], float]
    measure: Measure
    _best: dict[float, Spot] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What to look for: what is best by both figures is mostly on the way to what is best by one."""
        return (self.measure,) if self.measure == "quality" else (self.measure, "quality")

    def offer(self, design: Design) -> None:
        """Take in a design that fits, if every required pair shares a switch and it beats those of its cost."""
        if not covers(self.request, design) or not self.request.fits(design):
            return
        shared = shared_switches(design)
        cost = round(self.cost(design), 6)
        spot = Spot(cost, worth(self.request, design, shared, self.measure), design.copy())
        if cost not in self._best or _above(spot.worth, self._best[cost].worth):
            self._best[cost] = spot

    def spots(self) -> list[Spot]:
        """The front, the cheapest first; each is better than all that cost less."""
        kept: list[Spot] = []
        for cost in sorted(self._best):
            if not kept or _above(self._best[cost].worth, kept[-1].worth):
                kept.append(self._best[cost])
        return kept


def worth(request: Request, design: Design, shared: npt.NDArray[np.int64], measure: Measure) -> tuple[float, float]:
    """A design by a measure, and what breaks ties; traffic is split evenly over the switches that a pair shares."""
    total = float(request.weights.sum()) or 1.0
    mean = float((request.weights * shared).sum()) / total
    rate = even_rate(request.weights, design, shared)
    return {"throughput": (rate, mean), "shared": (mean, rate), "quality": (mean * rate, rate)}[measure]


def explore(
    front: Front,
    start: Design,
    prices: _Floats,
    budget: Budget,
    tell: Callable[[int], None] = lambda _: None,
) -> None:
    """Fill a front.

    Args:
        front: what is to be filled; its request rules what fits, and its `home` is what designs are taken back to.
        start: bool[n, switches], a design that fits; designs are searched from here.
        prices: float64[n, switches], the cost of each cable, which `front.cost` sums up in some way.
        budget: seed, seconds and rounds; default: three rounds.
        tell: called with the number of designs on the front, now and then.

    """
    began = time.monotonic()
    request = front.request
    heats = _MILD if covers(request, front.home) else _HOT
    front.offer(start)
    if request.nodes <= _NODES:
        for measure in front.measures:
            for design in (*back(front, measure, start), *onward(front, measure, start)):
                front.offer(design)
    cheap = prices.max() - prices  # never below 0: an idle NIC is not to be had for its cost
    plain = Task(request)
    top = float(plain.weights.sum(axis=1).max(initial=1.0)) / (float(cheap.max(initial=0.0)) or 1.0)
    rates = (*(top * _RANGE ** (-step / (_PRICES - 1)) for step in range(_PRICES)), 0.0)
    for number in range(budget.rounds or (_ROUNDS if budget.seconds is None else _MOST_ROUNDS)):
        rng = np.random.default_rng([budget.seed, number])
        here = front.home
        for rate in rates:
            if budget.seconds is not None and time.monotonic() - began >= budget.seconds:
                return
            task = Task(request, cheap * rate)
            # Where the last price ended, or anywhere on the front: the one goes deep, the other wide.
            known = front.spots()
            begin = here if not known or rng.random() < 0.5 else known[int(rng.integers(len(known)))].design
            smooth = anneal(task, begin, rng, min(number, 4), float(rng.choice(heats)))
            here = polish(task, smooth, rng)
            here = renamed(request, prices, here)
            front.offer(renamed(request, prices, smooth))
            lead_back(front, prices, here)
            tell(len(front.spots()))
        if request.nodes <= _NODES:
            for spot in front.spots()[:_ONWARD]:
                for step in _reliefs(request, spot.design):
                    front.offer(_done(spot.design, step))


def lead_back(front: Front, prices: _Floats, design: Design) -> None:
    """Take in a design of any origin, by the names that cost least, and what lies between it and home."""
    design = renamed(front.request, prices, design)
    front.offer(design)
    if front.request.nodes <= _NODES:
        for measure in front.measures:
            for between in back(front, measure, design):
                front.offer(between)


def covers(request: Request, design: Design) -> bool:
    """Whether every pair that must share a switch does."""
    return not (request.required & (shared_switches(design) == 0)).any()


def mended(front: Front, prices: _Floats, seed: int) -> Design | None:
    """A design near home in which every required pair shares a switch: the cheapest of some annealings; None: none."""
    cheap = prices.max() - prices
    for number in range(_MENDS):
        rng = np.random.default_rng([seed, number])
        rate = 10.0 ** (2 - number % 3) / (float(cheap.max(initial=0.0)) or 1.0)
        design = anneal(Task(front.request, cheap * rate), front.home, rng, 3, _HOT[1 + number % 3])
        for each in (design, *(back(front, front.measure, design) if front.request.nodes <= _NODES else ())):
            front.offer(each)
    spots = front.spots()
    return spots[0].design if spots else None


def renamed(request: Request, prices: _Floats, design: Design) -> Design:
    """The same wiring with its parts given to the switches where its cables cost least: an assignment problem."""
    if request.keep is not None:
        return design
    cost = prices.T @ design
    wide = request.ports[:, None] >= design.sum(axis=0)[None, :]
    barred = 1 + float(np.abs(cost).max(initial=0.0)) * (len(cost) + 1)
    real, part = linear_sum_assignment(np.where(wide, cost, barred))
    if not wide[real, part].all() or cost[real, part].sum() >= np.trace(cost) - _SAME:
        return design
    return np.asarray(design[:, part])


def onward(front: Front, measure: Measure, start: Design) -> Iterator[Design]:
    """Designs from the start on, each with one more node's cable moved, or two exchanged: what relieves the most."""
    here, best = start, _smooth(front.request, start, measure)
    for _ in range(_ONWARD):
        choices = [_done(here, step) for step in _reliefs(front.request, here)]
        if not choices:
            return
        worths = [_smooth(front.request, each, measure) for each in choices]
        top = max(range(len(choices)), key=worths.__getitem__)
        if worths[top] <= best:
            return
        here, best = choices[top], worths[top]
        yield here


def _reliefs(request: Request, here: Design) -> Iterator[_Step]:
    """Changes that may relieve the most loaded cable: of its node, and of those that it talks to over that switch."""
    loads = cable_loads(request.weights, here, shared_switches(here))
    kept = np.zeros_like(here) if request.keep is None else request.keep
    node, switch = np.unravel_index(int(loads.argmax()), loads.shape)
    peers = np.flatnonzero(here[:, switch] & (request.weights[node] > 0))
    peers = peers[np.argsort(-request.weights[node, peers], kind="stable")][:_PEERS]
    traffic, fill = request.weights @ here, here.sum(axis=0)
    for i in (int(node), *peers.tolist()):
        for t in np.flatnonzero(~here[i] & (request.ports > 0)).tolist():
            for s in np.flatnonzero(here[i] & ~kept[i]).tolist():
                if fill[t] < request.ports[t]:
                    yield [(i, s)], [(i, t)]
                    continue
                others = np.flatnonzero(here[:, t] & ~here[:, s] & ~kept[:, t])
                if len(others):
                    j = int(others[np.argmin(traffic[others, t] - traffic[others, s])])
                    yield [(i, s), (j, t)], [(i, t), (j, s)]


def back(front: Front, measure: Measure, design: Design) -> Iterator[Design]:
    """A design on its way back home: at each step the change whose loss is least is undone."""
    here = design.copy()
    while steps := list(_steps(front.request, here, front.home)):
        here = max((_done(here, step) for step in steps), key=lambda each: _smooth(front.request, each, measure))
        yield here


def _done(here: Design, step: _Step) -> Design:
    after = here.copy()
    for node, switch in step[0]:
        after[node, switch] = False
    for node, switch in step[1]:
        after[node, switch] = True
    return after


def _steps(request: Request, here: Design, start: Design) -> Iterator[_Step]:
    """Ways to take one node's cable back, with what else has to go back because a switch is full."""
    shared = request.weights @ here
    come, gone = here & ~start, start & ~here
    single = [
        (float(shared[i, t] - shared[i, s]), i, t, s)
        for i in np.flatnonzero(come.any(axis=1) | gone.any(axis=1)).tolist()
        for t in (np.flatnonzero(come[i]).tolist() or [-1])
        for s in (np.flatnonzero(gone[i]).tolist() or [-1])
    ]
    single.sort()
    for _, i, t, s in single[:_TRIED]:
        yield _chain(request, (here, start), shared, (i, t, s))


def _chain(request: Request, designs: tuple[Design, Design], shared: _Floats, first: tuple[int, int, int]) -> _Step:
    """One cable back, and while a switch has one too many then, one of it that was not there at the start.

    `first`: the node, the switch that it leaves and the one that it goes back to; -1: none.
    """
    (here, start), (node, off, on) = designs, first
    after, unplugged, plugged = here.copy(), list[tuple[int, int]](), list[tuple[int, int]]()
    loads = after.sum(axis=0)
    while True:
        if off >= 0:
            after[node, off] = False
            loads[off] -= 1
            unplugged.append((node, off))
        if on < 0:
            return unplugged, plugged
        after[node, on] = True
        loads[on] += 1
        plugged.append((node, on))
        if loads[on] <= request.ports[on]:
            return unplugged, plugged
        off = on
        others = np.flatnonzero(after[:, off] & ~start[:, off])
        node = int(others[np.argmin(shared[others, off])])
        missing = np.flatnonzero(start[node] & ~after[node])
        on = int(missing[np.argmax(shared[node, missing])]) if len(missing) else -1


def _smooth(request: Request, design: Design, measure: Measure) -> tuple[float, float]:
    """A design's worth without steps: required pairs that it lacks (negated), a power mean for the largest load."""
    shared = shared_switches(design)
    missing = int((request.required & (shared == 0)).sum()) // 2
    mean = float((request.weights * shared).sum()) or _SAME
    loads = cable_loads(request.weights, design, shared)
    top = float(loads.max(initial=0.0)) or 1.0
    peak = top * max(float(((loads / top) ** _POWER).sum()), _SAME) ** (1 / _POWER)
    power = {"throughput": (0.01, 1.0), "shared": (1.0, 0.01), "quality": (1.0, 1.0)}[measure]
    return -missing, power[0] * np.log(mean) - power[1] * np.log(peak)


def _above(one: tuple[float, float], other: tuple[float, float]) -> bool:
    """Whether a worth is above another beyond rounding; the tie-breaker counts only as far as it is seen."""
    if abs(one[0] - other[0]) > _SAME:
        return one[0] > other[0]
    return one[1] > other[1] + 1e-3
