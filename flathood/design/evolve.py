# SPDX-License-Identifier: Apache-2.0
"""The genetic search of the KLAT2 paper (section 2), each child improved by a local search.

A population of designs; parents exchange closed sets of connections, so that all limits always hold; mutations are a
gentle annealing of a child, a hot one of a single parent, and a new design altogether. Nodes that lack a switch with a
node that they need are problem spots, and half of all changes begin at one. It goes in two phases: where many nodes
are alike, a problem shrunk to a fraction of them is given the basic property first, and its nodes are multiplied;
then the whole problem is searched with the full evaluation.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from flathood.design.objective import even_rate, shared_switches
from flathood.design.request import Design, Request

_PARENTS = 4  # designs in a population
_STEPS = 1000  # of the first annealing, for each node; each round doubles them
_MOST_STEPS = 6_000_000
_POLISH = 200_000_000  # steps of polish times cables: what a child may cost
_FALL = 0.125  # each further switch that a pair shares is worth so much less than the one before
_LEAST = 0.0625  # but never less than this
_COLD = 0.02  # the last temperature, in units of the heaviest pair's weight
_EVEN, _UNEVEN = 1.0, 0.02  # what unequal fills cost: with equal weights the mean alone would make them most unequal
_SHRUNK = 128  # nodes that a shrunk problem has at most

#: Required pairs without a switch (negated), covered traffic, and what counts besides: larger is better.
Score = tuple[float, ...]


@dataclass(frozen=True, eq=False)
class Individual:
    """A design and its score."""

    design: Design
    score: Score


@dataclass(frozen=True, eq=False)
class Task:
    """A request with what the search makes of it once."""

    request: Request
    #: float64[n, switches], what each cable is worth by itself beside the traffic of a mean pair; None: nothing.
    cables: npt.NDArray[np.float64] | None = None

    @cached_property
    def scale(self) -> float:
        """The traffic of a mean pair, in links."""
        return float(self.request.weights.sum()) / max(self.request.nodes * (self.request.nodes - 1), 1) or 1.0

    @cached_property
    def weights(self) -> npt.NDArray[np.float64]:
        """The traffic, 1 on average over the pairs."""
        return self.request.weights / self.scale

    @cached_property
    def worth(self) -> npt.NDArray[np.float64]:
        """What each cable is worth by itself, float64[n, switches]."""
        return np.zeros((self.request.nodes, self.request.switches)) if self.cables is None else self.cables

    @cached_property
    def prices(
        self,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """What a pair's traffic, its first switch, each further one, and each cable by itself are worth."""
        # More than any change of anything else.
        first = 2 * self.heaviest + 2 * _EVEN + 2 * float(np.ptp(self.worth) if self.worth.size else 0.0)
        cover = first * (
            self.weights if self.request.mode == "fractional" else self.request.required.astype(np.float64)
        )
        return self.weights, cover, np.maximum(1 - _FALL * np.arange(self.request.switches + 2), _LEAST), self.worth

    @cached_property
    def heaviest(self) -> float:
        """The weight of the heaviest pair."""
        return float(self.weights.max(initial=0)) or 1.0

    @cached_property
    def kept(self) -> npt.NDArray[np.uint8]:
        """Cables that stay, uint8[n, switches]."""
        keep = self.request.keep
        shape = self.request.nodes, self.request.switches
        return np.zeros(shape, np.uint8) if keep is None else keep.astype(np.uint8)

    def individual(self, design: Design) -> Individual:
        """Score a design: by traffic's shared switches and then its rate; by their product where all weigh the same."""
        request = self.request
        shared = shared_switches(design)
        missing = int((request.required & (shared == 0)).sum()) // 2
        served = float(request.weights[shared > 0].sum()) if request.mode == "fractional" else 0.0
        mean, rate = float((request.weights * shared).sum()), even_rate(request.weights, design, shared)
        rest = (mean * rate,) if self.request.even else (mean, rate)
        return Individual(design, tuple(round(part, 9) for part in (-missing, served, *rest)))


def random_design(request: Request, rng: np.random.Generator) -> Design:
    """A design that fits, without any thought of pairs: each node in turn takes the emptiest switches, ties at random.

    Ports run out before NICs do on some hardware; the nodes that come last then have idle NICs.
    """
    design = (
        np.zeros((request.nodes, request.switches), dtype=np.bool_) if request.keep is None else request.keep.copy()
    )
    left = (request.ports - design.sum(axis=0)).astype(np.float64)
    for node in rng.permutation(request.nodes):
        wanted = request.usable_nics[node] - int(design[node].sum())
        order = np.argsort(-np.where(design[node], 0, left + rng.random(request.switches)))[:wanted]
        order = order[(left[order] > 0) & ~design[node, order]]
        design[node, order] = True
        left[order] -= 1
    return design


def begin(task: Task, start: Design | None, rng: np.random.Generator) -> list[Individual]:
    """The first population: the start, a design with the basic property if that comes easily, else one annealed."""
    first = [start] if start is not None else []
    shrunk = _shrunk(task.request, rng)
    first += [shrunk] if shrunk is not None else []
    if not first:
        first.append(anneal(task, random_design(task.request, rng), rng, 0, 1.0))
    return best_of([task.individual(design) for design in first])


def generation(
    task: Task, population: list[Individual], rng: np.random.Generator, number: int, until: float | None = None
) -> list[Individual]:
    """One round: a child for each place in the population, and the best of old and new, all different.

    Args:
        task: what is searched.
        population: from `begin`, or the round before.
        rng: the only source of chance.
        number: of the round, from 0; later ones search longer.
        until: no child is begun after this time (of time.monotonic), in seconds; None: there is no end.

    """
    children: list[Individual] = []
    while len(children) < _PARENTS and (until is None or time.monotonic() < until):
        draw = rng.random()
        if draw < 0.4:
            mother, father = (population[min(rng.integers(len(population), size=2))].design for _ in range(2))
            child = anneal(task, _cross(mother, father, rng), rng, number + 1, 0.2)
        elif draw < 0.6:
            child = anneal(task, population[int(rng.integers(len(population)))].design, rng, number + 1, 0.3)
        else:
            child = anneal(task, random_design(task.request, rng), rng, number + 1, 1.0)
        children.append(task.individual(polish(task, child, rng)))
    return best_of([*population, *children])


def best_of(population: list[Individual]) -> list[Individual]:
    """The best few of different score, best first; the older one of equals."""
    by_score: dict[Score, Individual] = {}
    for individual in population:
        by_score.setdefault(individual.score, individual)
    return [by_score[score] for score in sorted(by_score, reverse=True)[:_PARENTS]]


def anneal(task: Task, design: Design, rng: np.random.Generator, number: int, heat: float) -> Design:
    """A design annealed, the longer the later the round; `heat` 1 forgets it, 0.2 keeps most of it."""
    from flathood.design import kernels  # noqa: PLC0415  # numba takes a while to import, and few commands search

    on = design.astype(np.uint8)
    request = task.request
    steps = max(min((_STEPS * request.nodes) << min(number, 16), _MOST_STEPS), 1)
    fill = _EVEN if task.request.even else _UNEVEN
    plug = task.prices[1].max(initial=0.0) + task.heaviest
    kernels.seed(int(rng.integers(2**32)))
    heats = heat * task.heaviest, _COLD * task.heaviest
    kernels.anneal(on, task.kept, request.ports, request.usable_nics, task.prices, fill, plug, steps, *heats)
    return on.astype(np.bool_)


def polish(task: Task, design: Design, rng: np.random.Generator) -> Design:
    """A design with its most loaded cables relieved, at no cost in shared switches of the traffic."""
    from flathood.design import kernels  # noqa: PLC0415 - as above

    on = design.astype(np.uint8)
    steps = min(200 * design.size, _POLISH // (design.size * max(len(design), 1)))
    kernels.seed(int(rng.integers(2**32)))
    prices = task.request.weights, task.prices[1], task.worth * task.scale
    kernels.polish(on, task.kept, task.request.ports, prices, steps)
    return on.astype(np.bool_)


def _cross(mother: Design, father: Design, rng: np.random.Generator) -> Design:
    from flathood.design import kernels  # noqa: PLC0415 - as above

    on, other = mother.astype(np.uint8), father.astype(np.uint8)
    walks = int((mother & ~father).sum()) // 8 + 1  # a walk takes a few cables: about half of what differs
    kernels.seed(int(rng.integers(2**32)))
    kernels.cross(on, other, walks)
    return on.astype(np.bool_)


def _shrunk(request: Request, rng: np.random.Generator) -> Design | None:
    """The first phase for a large problem of equal nodes: a few stand for all; None where that cannot be.

    Nodes that are one node's copies share its switches, and copies of nodes that share a switch share that one.
    """
    factor = -(-request.nodes // _SHRUNK)
    alike = request.mode == "universal" and request.keep is None and bool((request.nics == request.nics[0]).all())
    if factor == 1 or not alike or int(request.ports.min()) < factor:
        return None
    few = -(-request.nodes // factor)
    weights = np.ones((few, few)) - np.eye(few)
    small = replace(request, nics=request.nics[:few], ports=request.ports // factor, weights=weights)
    task = Task(small)
    design = anneal(task, random_design(small, rng), rng, 2, 1.0)
    return np.repeat(design, factor, axis=0)[: request.nodes]
