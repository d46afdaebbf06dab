# SPDX-License-Identifier: Apache-2.0
"""A request as a problem for CP-SAT, in the two formulations of `exact`: by cables and by sets of switches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from flathood.design.request import Design, Request

if TYPE_CHECKING:
    from ortools.sat.python import cp_model

_PREFIX = 50  # entries of a row that are compared: the coefficients stay whole numbers of 64 bits
_SCALE = 1 << 20  # of the traffic, when it is not the same for all pairs

Value = Callable[[Any], int]


class CableModel:
    """One truth value for every possible cable.

    A pair shares a switch when a further value, that implies both of its cables, is true. Rows of nodes that are alike,
    and columns of switches that are alike, are in descending order: some wiring of every kind is (the largest one,
    read row by row), so nothing is lost.
    """

    def __init__(self, request: Request, start: Design | None) -> None:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

        self.model = cp_model.CpModel()
        nodes, switches = request.nodes, request.switches
        self.cables = [[self.model.new_bool_var("") for _ in range(switches)] for _ in range(nodes)]
        for row, nics in zip(self.cables, request.nics.tolist(), strict=True):
            self.model.add(sum(row) <= nics)
        for column, ports in zip(zip(*self.cables, strict=True), request.ports.tolist(), strict=True):
            self.model.add(sum(column) <= ports)
        if request.keep is not None:
            for node, switch in np.argwhere(request.keep).tolist():
                self.model.add(self.cables[node][switch] == 1)
        if start is not None:
            for row, given in zip(self.cables, start.tolist(), strict=True):
                for cable, there in zip(row, given, strict=True):
                    self.model.add_hint(cable, there)
        self._pairs(request)
        for first, second in _alike_nodes(request):
            self._descending(self.cables[first], self.cables[second])
        columns = list(zip(*self.cables, strict=True))
        for first, second in _alike_switches(request):
            self._descending(columns[first], columns[second])

    def design(self, value: Value) -> Design:
        """The design that a solution stands for."""
        return np.array([[bool(value(cable)) for cable in row] for row in self.cables])

    def _pairs(self, request: Request) -> None:
        wanted = request.weights + request.weights.T
        equal = len(np.unique(wanted[wanted > 0])) <= 1
        worth = (wanted > 0).astype(int) if equal else np.rint(wanted / wanted.max() * _SCALE).astype(int)
        gained = []
        for first, second in combinations(range(request.nodes), 2):
            if request.required[first, second]:
                self.model.add_bool_or(self._shared(first, second))
            elif request.mode == "fractional" and worth[first, second]:
                covered = self.model.new_bool_var("")
                self.model.add_bool_or([*self._shared(first, second), ~covered])
                gained.append(int(worth[first, second]) * covered)
        if gained:
            self.model.maximize(sum(gained))

    def _shared(self, first: int, second: int) -> list[cp_model.IntVar]:
        there = []
        for one, other in zip(self.cables[first], self.cables[second], strict=True):
            both = self.model.new_bool_var("")
            self.model.add_implication(both, one)
            self.model.add_implication(both, other)
            there.append(both)
        return there

    def _descending(self, first: Sequence[cp_model.IntVar], second: Sequence[cp_model.IntVar]) -> None:
        """The first row, as a binary number, is no smaller than the second; so are prefixes of both."""
        length = min(len(first), _PREFIX)
        self.model.add(sum((1 << (length - 1 - k)) * (first[k] - second[k]) for k in range(length)) >= 0)


class SetModel:
    """How many nodes of each kind are on each set of switches; every pair has to share a switch."""

    def __init__(self, request: Request) -> None:
        from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

        self.model = cp_model.CpModel()
        self.request = request
        self.counts: list[tuple[list[int], tuple[int, ...], cp_model.IntVar]] = []
        loads: list[list[cp_model.IntVar]] = [[] for _ in range(request.switches)]
        used: dict[tuple[int, ...], cp_model.IntVar] = {}
        for nodes, nics, kept in _kinds(request):
            here = []
            for switches in _sets(request, nics, kept):
                some = used.setdefault(switches, self.model.new_bool_var(""))
                count = self.model.new_int_var(0, len(nodes), "")
                self.model.add(count <= len(nodes) * some)
                self.counts.append((nodes, switches, count))
                here.append(count)
                for switch in switches:
                    loads[switch].append(count)
            self.model.add(sum(here) == len(nodes))
        for load, ports in zip(loads, request.ports.tolist(), strict=True):
            self.model.add(sum(load) <= ports)
        for one, other in combinations(used, 2):
            if not set(one) & set(other):
                self.model.add_bool_or(~used[one], ~used[other])
        for first, second in _alike_switches(request):
            self.model.add(sum(loads[first]) >= sum(loads[second]))

    @staticmethod
    def size(request: Request) -> int:
        """How many variables there are: a count for every kind of nodes and set of switches they can be on."""
        if request.switches > 16:
            return 1 << request.switches if request.switches < 63 else 1 << 62
        return sum(1 for _, nics, kept in _kinds(request) for _ in _sets(request, nics, kept))

    def design(self, value: Value) -> Design:
        """The design that a solution stands for."""
        design = np.zeros((self.request.nodes, self.request.switches), dtype=np.bool_)
        dealt: dict[int, int] = {}
        for nodes, switches, count in self.counts:
            begin = dealt.get(nodes[0], 0)
            end = begin + value(count)
            design[np.ix_(nodes[begin:end], switches)] = True
            dealt[nodes[0]] = end
        return design


def _kinds(request: Request) -> Iterator[tuple[list[int], int, frozenset[int]]]:
    """Nodes that are alike, with their NICs and the switches they are kept on."""
    kinds: dict[tuple[int, frozenset[int]], list[int]] = {}
    for node, nics in enumerate(request.usable_nics.tolist()):
        kept = frozenset() if request.keep is None else frozenset(np.flatnonzero(request.keep[node]).tolist())
        kinds.setdefault((nics, kept), []).append(node)
    for (nics, kept), nodes in kinds.items():
        yield nodes, nics, kept


def _sets(request: Request, nics: int, kept: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """The sets of switches that such a node may be on."""
    for size in range(max(1, len(kept)), nics + 1):
        for switches in combinations(np.flatnonzero(request.ports).tolist(), size):
            if kept <= set(switches):
                yield switches


def _alike_nodes(request: Request) -> Iterator[tuple[int, int]]:
    """Nodes, each with the next one that could change places with it, when all pairs count the same."""
    weights = request.weights[np.triu_indices(request.nodes, 1)]
    even = request.mode == "universal" or (request.mode == "fractional" and len(set(weights.tolist())) <= 1)
    if even:
        for nodes, _, _ in _kinds(request):
            yield from pairwise(nodes)


def _alike_switches(request: Request) -> Iterator[tuple[int, int]]:
    """Switches, each with the next one that could change places with it."""
    kinds: dict[int, list[int]] = {}
    for switch, ports in enumerate(request.ports.tolist()):
        if request.keep is None or not request.keep[:, switch].any():
            kinds.setdefault(ports, []).append(switch)
    for switches in kinds.values():
        yield from pairwise(switches)
