# SPDX-License-Identifier: Apache-2.0
"""Blow-ups: how many nodes each set of an intersecting family may stand for, so that no switch is overfull.

The whole numbers x of nodes a set has to satisfy, for each switch, that the x of its sets sum up to its ports at most:
an integer program, small because families are. CP-SAT solves it, in a time that depends on the program alone.
"""

from __future__ import annotations

import numpy as np

from flathood.design.families import Family
from flathood.design.request import Counts

_EFFORT = 2.0  # CP-SAT's deterministic seconds; the known tight cases need less than a tenth
_MOST_SETS = 400  # planes of a larger order: only the sizes that need no search


def group_sizes(family: Family, ports: Counts, nics: Counts, known: Counts | None = None) -> Counts | None:
    """How many nodes each set stands for; None when no sizes were found.

    Even sizes where they fit, else sizes whose largest is small: equal groups leave equal room for more links.

    Args:
        family: bool[sets, switches].
        ports: int64[switches], ports of each switch; 0: there is no such switch, its sets stay empty.
        nics: int64[n], the NICs of each node; a set of k switches is for nodes with k NICs or more.
        known: int64[sets], sizes for n nodes or more that keep the ports, where all sets are as large.

    Returns:
        int64[sets] whose sum is n.

    """
    usable = ~family[:, ports == 0].any(axis=1)
    if not usable.any():
        return None
    sizes = np.zeros(len(family), dtype=np.int64)
    sizes[usable] = _even(len(nics), int(usable.sum()))
    if _fit(family, sizes, ports, nics):
        return sizes
    if known is not None and known.sum() >= len(nics):
        return _fewer(known, len(nics))
    return _solve(family, ports, nics) if len(family) <= _MOST_SETS else None


def most_nodes_on(family: Family, ports: int) -> int:
    """The most nodes that the family holds on switches of so many ports, as far as the effort goes."""
    solved = _solve(family, np.full(family.shape[1], ports, dtype=np.int64), None)
    return 0 if solved is None else int(solved.sum())


def nodes_of(family: Family, sizes: Counts, nics: Counts) -> Counts:
    """Which set each node stands in: nodes with few NICs take the small sets. int64[n], indices of sets."""
    order = np.argsort(family.sum(axis=1), kind="stable")
    places = np.empty(len(nics), dtype=np.int64)
    places[np.argsort(nics, kind="stable")] = np.repeat(order, sizes[order])
    return places


def _even(nodes: int, groups: int) -> Counts:
    each, more = divmod(nodes, groups)
    return each + (np.arange(groups) < more).astype(np.int64)


def _fewer(sizes: Counts, nodes: int) -> Counts:
    """Sizes of so many nodes, none more than before: the largest groups give first."""
    order = np.argsort(-sizes, kind="stable")
    sizes = sizes.copy()
    surplus = int(sizes.sum()) - nodes
    while surplus:
        givers = order[sizes[order] > 0][:surplus]
        sizes[givers] -= 1
        surplus -= len(givers)
    return sizes


def _fit(family: Family, sizes: Counts, ports: Counts, nics: Counts) -> bool:
    if (sizes @ family > ports).any():
        return False
    return bool((family.sum(axis=1)[nodes_of(family, sizes, nics)] <= nics).all())


def _solve(family: Family, ports: Counts, nics: Counts | None) -> Counts | None:
    """Sizes for these nodes with the least largest size, or for as many nodes as can be; None when there are none."""
    from ortools.sat.python import cp_model  # noqa: PLC0415 - takes half a second to import

    model = cp_model.CpModel()
    sizes = [model.new_int_var(0, int(ports[row].min()), "") for row in family]
    for switch, room in enumerate(ports.tolist()):
        model.add(sum(sizes[index] for index in np.flatnonzero(family[:, switch])) <= room)
    if nics is None:
        model.maximize(sum(sizes))
    else:
        model.add(sum(sizes) == len(nics))
        widths = family.sum(axis=1)
        for most in np.unique(nics).tolist():  # nodes with so few NICs need that many places in small sets
            small = np.flatnonzero(widths <= most)
            if len(small) < len(family):
                model.add(sum(sizes[index] for index in small) >= int((nics <= most).sum()))
        largest = model.new_int_var(0, len(nics), "")
        model.add_max_equality(largest, sizes)
        model.minimize(largest)
    solver = cp_model.CpSolver()
    solver.parameters.num_workers = 1
    solver.parameters.max_deterministic_time = _EFFORT
    # Else the solver leaves the process without Python's own handler: the next Ctrl-C would lose the best design.
    solver.parameters.catch_sigint_signal = False
    if solver.solve(model) not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        return None
    return np.array([solver.value(size) for size in sizes], dtype=np.int64)
