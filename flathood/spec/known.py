# SPDX-License-Identifier: Apache-2.0
"""What is certain of a cluster.yml, so that the other two files can be held against it even while it has faults."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from flathood.spec.model import Cluster
from flathood.structure import Fitted


@dataclass(frozen=True)
class Known:
    """Names and sizes of a cluster; None where a fault in cluster.yml leaves it open, so that nothing false follows."""

    cluster: str | None = None
    nodes: Mapping[str, int] | None = None  # NICs of each node
    spares: Mapping[str, int] | None = None
    head: str | None = None
    switches: Mapping[str, int] | None = None  # free ports of each neighborhood switch
    ports: Mapping[str, int] | None = None  # all its ports for nodes, also those that others have taken
    taken: frozenset[str] = frozenset()  # neighborhood switches of which others use ports
    uplink: str | None = None

    @classmethod
    def of(cls, cluster: Cluster) -> Known:
        """Everything: the cluster is right."""
        return cls(
            cluster=cluster.cluster,
            nodes={name: cluster.nic_counts[name] for name in cluster.node_names},
            spares={name: cluster.nic_counts[name] for name in cluster.spare_names},
            head=cluster.head.name,
            switches={switch.name: switch.free for switch in cluster.switches},
            ports={switch.name: switch.ports for switch in cluster.switches},
            taken=_taken(cluster),
            uplink=cluster.uplink.name,
        )

    @classmethod
    def of_fitted(cls, fitted: Fitted[Cluster]) -> Known:
        """What is right in a cluster that has problems."""
        model = fitted.model
        groups = {
            key: {name: group.nics for _, group in fitted.items(key) for name in group.expand()}
            for key in ("nodes", "spares")
            if fitted.whole(key)
        }
        return cls(
            cluster=model.cluster if fitted.whole("cluster") else None,
            nodes=groups.get("nodes"),
            spares=groups.get("spares"),
            head=model.head.name if fitted.whole("head") else None,
            switches={s.name: s.free for s in model.switches} if fitted.whole("switches") else None,
            ports={s.name: s.ports for s in model.switches} if fitted.whole("switches") else None,
            taken=_taken(model) if fitted.whole("switches") else frozenset(),
            uplink=model.uplink.name if fitted.whole("uplink") else None,
        )

    def machine(self, name: str) -> str | None:
        """What a name is: `node`, `spare` or `head`; None when it is no machine, or when that is not certain."""
        if name in (self.nodes or {}):
            return "node"
        if name in (self.spares or {}):
            return "spare"
        return "head" if name == self.head else None


def _taken(cluster: Cluster) -> frozenset[str]:
    return frozenset(switch.name for switch in cluster.switches if switch.taken)


def nearest(name: str, known: Iterable[str]) -> str:
    """A hint at the name that was probably meant, or nothing.

    >>> nearest("gren", ["red", "green"])
    " (did you mean 'green'?)"
    """
    near = difflib.get_close_matches(name, list(known), n=1, cutoff=0.6)
    return f" (did you mean {near[0]!r}?)" if near else ""


def several(names: Iterable[str], total: int = 0, shown: int = 4) -> str:
    """A list for a sentence: the first few names, and how many more there are (of `total`, or of those given).

    >>> several(["a", "b", "c"]), several("abcdefg")
    ('a, b and c', 'a, b, c, d and 3 more')
    """
    every = list(names)
    total = total or len(every)
    if total > shown + 1:
        return f"{', '.join(every[:shown])} and {total - shown} more"
    return " and ".join(part for part in (", ".join(every[:-1]), every[-1]) if part)
