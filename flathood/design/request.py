# SPDX-License-Identifier: Apache-2.0
"""What a design has to be made of: nodes with NICs, switches with ports, and the traffic between the nodes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from flathood.design.judge import Judge
from flathood.design.profiles import Matrix, judge_of, name_of, traffic
from flathood.spec.model import Cluster
from flathood.spec.rules import DesignRules, Mode
from flathood.wiring.model import Wiring

#: A design: bool[nodes, switches], true where a node has a NIC on a switch. One NIC a switch: two would share a port's
#: worth of neighbors with nobody new, and a host with two NICs in one subnet answers on the wrong one.
Design = npt.NDArray[np.bool_]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Request:
    """The hardware, the traffic, and what a design must have.

    Attributes:
        nics: int64[n], the NICs of each node; 0: the node is not to be used, and has no traffic.
        ports: int64[switches], the ports of each switch that are free for these nodes; 0: the switch is not to be used.
        weights: float64[n, n], the traffic between the nodes (see `profiles`).
        profile: what that traffic is called.
        mode: which pairs must share a switch, see `required`.
        keep: bool[n, switches], cables that every design must have; None: there are none.
        judge: the operator's function that says how good a design is; None: the project's own quality.

    """

    nics: Counts
    ports: Counts
    weights: Matrix
    profile: str
    mode: Mode = "universal"
    keep: Design | None = None
    judge: Judge | None = None

    @classmethod
    def of(
        cls,
        cluster: Cluster,
        base_dir: Path | None = None,
        profile: object = None,
        rules: DesignRules | None = None,
    ) -> Request:
        """The request that a cluster.yml makes; another profile and other rules than its own may be given.

        Raises InvalidInput when the profile, its files or its function are wrong.
        """
        wanted = cluster.profile if profile is None else profile
        rules = rules or cluster.design
        names, switches = cluster.node_names, cluster.switch_names
        used = np.array([name not in rules.without for name in names])
        return cls(
            nics=np.array([cluster.nic_counts[name] for name in names], dtype=np.int64) * used,
            ports=np.array([s.free * (s.name not in rules.without) for s in cluster.switches], dtype=np.int64),
            weights=_among(traffic(wanted, len(names), base_dir), used),
            profile=name_of(wanted),
            mode=rules.mode,
            keep=np.array([[s in rules.keep.get(n, ()) for s in switches] for n in names]) if rules.keep else None,
            judge=judge_of(wanted),
        )

    def without_unused(self) -> Request:
        """The same request without the nodes and switches that are not to be used; itself when all are used."""
        if self.used.all() and self.ports.all():
            return self
        nodes, switches = np.flatnonzero(self.used), np.flatnonzero(self.ports)
        return replace(
            self,
            nics=self.nics[nodes],
            ports=self.ports[switches],
            weights=self.weights[np.ix_(nodes, nodes)],
            keep=None if self.keep is None else self.keep[np.ix_(nodes, switches)],
        )

    def with_unused(self, design: Design) -> Design:
        """A design of `without_unused` as one of this request: bool[n, switches]."""
        whole = np.zeros((self.nodes, self.switches), dtype=np.bool_)
        whole[np.ix_(self.used, self.ports > 0)] = design
        return whole

    @property
    def nodes(self) -> int:
        """How many nodes."""
        return len(self.nics)

    @property
    def switches(self) -> int:
        """How many neighborhood switches."""
        return len(self.ports)

    @property
    def usable_nics(self) -> Counts:
        """NICs of each node that can have a switch of their own, int64[n]."""
        return np.minimum(self.nics, self.switches)

    @property
    def usable_ports(self) -> Counts:
        """Ports of each switch that can have a node of their own, int64[switches]."""
        return np.minimum(self.ports, self.nodes)

    @property
    def used(self) -> Design:
        """The nodes that are to be wired, bool[n]."""
        return self.nics > 0

    @cached_property
    def even(self) -> bool:
        """Whether all pairs of used nodes weigh the same."""
        pairs = np.logical_and.outer(self.used, self.used) & ~np.eye(self.nodes, dtype=np.bool_)
        weights = self.weights[pairs]
        return len(weights) == 0 or bool(np.isclose(weights.min(), weights.max()))

    @cached_property
    def required(self) -> Design:
        """The pairs of nodes that must share a switch, bool[n, n], symmetric, false on the diagonal.

        Universal mode: all pairs of used nodes. Sparse mode: the pairs with traffic; the others may cross the uplink.
        Fractional mode: none; as many pairs as the hardware allows are to be covered, or as much of the traffic when
        the profile is not all-to-all.
        """
        if self.mode == "fractional":
            return np.zeros((self.nodes, self.nodes), dtype=np.bool_)
        pairs: Design = np.logical_and.outer(self.used, self.used)
        if self.mode == "sparse":
            pairs &= self.weights > 0
        np.fill_diagonal(pairs, False)
        return pairs

    def fits(self, design: Design) -> bool:
        """Whether a design keeps to the NICs of every node and the ports of every switch, and has all kept cables."""
        return bool(
            design.shape == (self.nodes, self.switches)
            and (design.sum(axis=1) <= self.nics).all()
            and (design.sum(axis=0) <= self.ports).all()
            and (self.keep is None or not (self.keep & ~design).any())
        )


def _among(weights: Matrix, used: Design) -> Matrix:
    """The traffic among the nodes that are used, a link's worth a node again."""
    if used.all():
        return weights
    left: Matrix = weights * np.logical_and.outer(used, used)
    total = float(left.sum())
    return left * (used.sum() / total) if total else left


def design_of(wiring: Wiring, cluster: Cluster) -> Design:
    """The design that a (valid) wiring stands for, whatever the order of its slots."""
    table = wiring.matrix(cluster)
    design = np.zeros((len(table), len(cluster.switches) + 1), dtype=np.bool_)
    np.put_along_axis(design, table.astype(np.int64), True, axis=1)  # -1, no cable, falls into the last column
    return design[:, :-1]
