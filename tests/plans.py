# SPDX-License-Identifier: Apache-2.0
"""Plans for tests: small flat neighborhood networks of any shape, with made-up MAC addresses."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

from hypothesis import strategies as st

from flathood.bench import synthetic
from flathood.plan import Options, Plan, make_plan
from flathood.plan.bundle import machine_files, machines
from flathood.spec.model import Cluster
from flathood.wiring.model import Wiring

#: The inventory of the paper's first example: six PCs, two NICs each, three switches.
HEXA = (("red", "green"), ("red", "green"), ("red", "blue"), ("red", "blue"), ("green", "blue"), ("green", "blue"))


def plan_of(rows: tuple[tuple[str | None, ...], ...], spares: int = 0, **keys: Any) -> Plan:
    """The plan of nodes that are plugged into the named switches, in slot order."""
    switches = sorted({switch for row in rows for switch in row if switch})
    spec = {
        "cluster": "tiny",
        "nodes": [{"names": [f"n{k}"], "nics": len(row)} for k, row in enumerate(rows)],
        "spares": [{"names": [f"x{k}"], "nics": 2} for k in range(spares)],
        "switches": [
            {"name": name, "colour": f"#0000{k:02x}", "ports": max(len(rows), 1)} for k, name in enumerate(switches)
        ],
        "uplink": {"name": "white", "ports": len(switches) + spares + 1},
        **keys,
    }
    cluster = Cluster.model_validate(spec)
    wiring = Wiring(cluster="tiny", nodes=dict(zip(cluster.node_names, rows, strict=True)))
    return make_plan(cluster, wiring, synthetic.registry(cluster))


Files = dict[str, dict[str, bytes]]


class InMemory:
    """Files of machines, to be broken."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def small(self, host: str) -> Mapping[str, bytes]:
        return self._files.get(host, {})

    def files(self, host: str) -> Mapping[str, bytes]:
        return self._files.get(host, {})


def compiled(plan: Plan, options: Options) -> Files:
    return {
        host: {file.path: file.content.encode() for file in machine_files(plan, host, options)}
        for host in machines(plan)
    }


@st.composite
def networks(draw: st.DrawFn) -> tuple[tuple[str | None, ...], ...]:
    """Wirings in which every pair shares a switch: blown-up intersecting families, slots in any order, some unused."""
    switches = draw(st.integers(2, 6))
    width = draw(st.integers(switches // 2 + 1, switches))
    lines = list(combinations([f"s{k}" for k in range(switches)], width))  # any two of them meet
    rows = draw(st.lists(st.sampled_from(lines), min_size=2, max_size=12))
    shuffled: list[tuple[str | None, ...]] = []
    for row in rows:
        slots: list[str | None] = draw(st.permutations(row))
        if draw(st.booleans()):
            slots = [*slots]
            slots.insert(draw(st.integers(0, len(slots))), None)
        shuffled.append(tuple(slots))
    return tuple(shuffled)
