# SPDX-License-Identifier: Apache-2.0
"""The three networks side by side: bandwidths, latency, and what each takes to build."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from flathood.design.compare.bisection import tree_bisection
from flathood.design.compare.hierarchy import Hierarchy, fat_tree, tree
from flathood.design.objective import evaluate, figure
from flathood.design.request import Design, Request
from flathood.design.throughput import concurrent
from flathood.errors import FlathoodError

_ONE = "one switch that is wide enough"


@dataclass(frozen=True)
class Network:
    """What one network of the comparison does and takes.

    Attributes:
        name: fat tree, tree or FNN.
        pairwise: bandwidth between two nodes on average, when no others talk, in links.
        bisection_best: the most that two halves of the nodes exchange, both directions, in links. The paper's best case
            of an FNN: every NIC busy.
        bisection_conservative: the same when the pairings are not chosen. Of an FNN: nodes times `pairwise`; a tree's
            worst division leaves no choice, so both are one figure.
        latency: switches on the way between two nodes on average.
        throughput: share of one link's rate at which all nodes can send the profile's traffic at once, a node's demand
            being 1 on average; of an FNN by the best split over shared switches (see `throughput`).
        nics: NICs of all nodes together.
        switches: switches, an FNN's uplink switch not counted.
        cables: cables, an FNN's to the uplink switch not counted.
        uplink_cables: cables to the uplink switch, one from each neighborhood.
        needs: what it needs of its switches and nodes.

    """

    name: str
    pairwise: float
    bisection_best: float
    bisection_conservative: float
    latency: float
    throughput: float
    nics: int
    switches: int
    cables: int
    uplink_cables: int
    needs: str

    def report(self) -> dict[str, Any]:
        """The figures as plain data; fractions cut to eight digits, as the paper prints its own."""
        return {key: figure(value) if isinstance(value, float) else value for key, value in asdict(self).items()}


def compare(request: Request, design: Design, ports: int | None = None) -> tuple[Network, Network, Network]:
    """Fat tree, tree and FNN for the same nodes and traffic.

    Args:
        request: the hardware and the traffic; nodes that are not to be used are left out of all three.
        design: bool[n, switches], the FNN's wiring.
        ports: width of the switches of the fat tree and the tree; default: of the widest switch of the request.

    Raises:
        FlathoodError: fewer than two nodes are used: there is nothing to compare.
        NoTree: switches so narrow that no tree of them reaches all nodes.

    """
    used = request.used
    nodes = int(used.sum())
    if nodes < 2:
        raise FlathoodError(f"{nodes} node: a network has at least two")
    if not used.all():
        keep = request.keep[used] if request.keep is not None else None
        weights = request.weights[np.ix_(used, used)]
        request = Request(request.nics[used], request.ports, weights, request.profile, request.mode, keep)
        design = design[used]
    width = ports if ports is not None else int(request.ports.max())
    return _fat_tree(request, fat_tree(nodes, width)), _tree(request, tree(nodes, width)), _fnn(request, design)


def _fat_tree(request: Request, built: Hierarchy) -> Network:
    nodes = request.nodes
    busiest = float(request.weights.sum(axis=1).max())
    return Network(
        name="fat tree",
        pairwise=1.0,
        bisection_best=float(nodes),
        bisection_conservative=float(nodes),
        latency=built.latency,
        throughput=1 / busiest,
        nics=nodes,
        switches=built.switches,
        cables=built.cables,
        uplink_cables=0,
        needs="switches that balance load over several paths" if built.switches > 1 else _ONE,
    )


def _tree(request: Request, built: Hierarchy) -> Network:
    bisection = tree_bisection(built)
    return Network(
        name="tree",
        pairwise=1.0,
        bisection_best=bisection,
        bisection_conservative=bisection,
        latency=built.latency,
        throughput=1 / _busiest_link(request, built),
        nics=request.nodes,
        switches=built.switches,
        cables=built.cables,
        uplink_cables=0,
        needs="plain switches" if built.switches > 1 else _ONE,
    )


def _busiest_link(request: Request, built: Hierarchy) -> float:
    """The most traffic that a link of a tree would carry in one direction; the traffic is the same in both."""
    loads = [request.weights.sum(axis=1)]
    for groups in built.groups[:-1]:
        below = np.zeros((int(groups.max()) + 1, request.nodes))
        below[groups, np.arange(request.nodes)] = 1
        inside = ((below @ request.weights) * below).sum(axis=1)
        loads.append(below @ request.weights.sum(axis=1) - inside)
    return max(float(load.max()) for load in loads)


def _fnn(request: Request, design: Design) -> Network:
    evaluation = evaluate(request, design)
    switches = int(design.any(axis=0).sum())
    return Network(
        name="FNN",
        pairwise=evaluation.mean,
        bisection_best=evaluation.bisection_best,
        bisection_conservative=evaluation.bisection_conservative,
        latency=evaluation.latency,
        throughput=concurrent(request, design).t,
        nics=int(request.nics.sum()),
        switches=switches,
        cables=int(design.sum()),
        uplink_cables=switches,
        needs="plain switches; nodes with tables of their own",
    )
