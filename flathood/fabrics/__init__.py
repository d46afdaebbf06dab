# SPDX-License-Identifier: Apache-2.0
"""Fabrics: which links a cluster has, and which paths a pair of its nodes may use."""

from flathood.fabrics.base import Fabric
from flathood.fabrics.fnn import FlatNeighborhoods
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

__all__ = ["Fabric", "FlatNeighborhoods", "fabric_of"]


def fabric_of(cluster: Cluster, wiring: Wiring) -> Fabric:
    """The fabric that cluster.yml names, with the links that wiring.yml gives it."""
    return {"fnn": FlatNeighborhoods}[cluster.fabric](cluster, wiring)
