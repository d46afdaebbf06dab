# SPDX-License-Identifier: Apache-2.0
"""Clusters of any size for benchmarks, without files: 13 switches, 4 NICs a node, made-up MAC addresses."""

from __future__ import annotations

from flathood.plan import Plan, make_plan
from flathood.registry.model import Nic, Registry
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

#: Singer's difference set of the projective plane of order 3: line g has the points g + d modulo 13, and any two
#: lines meet (J. Singer, Trans. AMS 43, 1938).
_DIFFERENCES = (0, 1, 3, 9)
_SWITCHES = 13


def cluster(nodes: int) -> Cluster:
    """A cluster of so many nodes with 4 NICs each on 13 switches."""
    ports = 4 * -(-nodes // _SWITCHES)
    return Cluster.model_validate(
        {
            "cluster": f"plane{nodes}",
            "nodes": [{"count": nodes, "name": "n{:04d}", "nics": 4}],
            "switches": [
                {"name": f"s{k:02d}", "colour": f"#{k * 1290001:06x}", "ports": ports} for k in range(_SWITCHES)
            ],
            "uplink": {"name": "uplink", "ports": _SWITCHES + 1},
        }
    )


def wiring(spec: Cluster) -> Wiring:
    """The projective plane of order 3, blown up: node i is on the four switches of line i modulo 13."""
    names = spec.switch_names
    return Wiring(
        cluster=spec.cluster,
        nodes={
            node: tuple(names[(line + d) % _SWITCHES] for d in _DIFFERENCES)
            for line, node in enumerate(spec.node_names)
        },
    )


def registry(spec: Cluster) -> Registry:
    """A locally administered MAC address for every NIC."""
    machines: dict[str, tuple[Nic | None, ...]] = {
        name: tuple(Nic(mac=f"02:00:{slot:02x}:00:{row >> 8:02x}:{row & 255:02x}") for slot in range(nics))
        for row, (name, nics) in enumerate(spec.nic_counts.items())
    }
    return Registry(cluster=spec.cluster, nodes=machines | {spec.head.name: (Nic(mac="02:00:ff:00:00:00"),)})


def plan(nodes: int) -> Plan:
    """The plan of such a cluster."""
    spec = cluster(nodes)
    return make_plan(spec, wiring(spec), registry(spec))
