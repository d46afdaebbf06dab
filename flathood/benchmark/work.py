# SPDX-License-Identifier: Apache-2.0
"""What is run: the cases, and the command line that a node runs them by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from flathood.benchmark.program import SOURCE
from flathood.errors import FlathoodError
from flathood.plan.model import Plan
from flathood.plan.views.mpi import OPEN_MPI_HOSTS
from flathood.predict import BENCHMARKS, Case, Model, predict
from flathood.predict.links import Links

#: Plain connections between two nodes, beside the operations of MPI.
CONNECTIONS = ("tcp", "mptcp")
#: Seconds that one plain connection is measured for.
_CONNECTED = 4
#: Seconds that a job may take to start: in any case, and for each rank. Then this many times what is predicted.
_START, _RANK, _PATIENCE = 60, 4, 4
_MOST_REPETITIONS = 1000


@dataclass(frozen=True)
class Wanted:
    """What to measure: benchmarks, bytes of a message, ranks in a group (none: 2 and all), seconds for each case."""

    benchmarks: tuple[str, ...] = (*CONNECTIONS, *BENCHMARKS)
    sizes: tuple[int, ...] = (0, 65536, 1048576)
    groups: tuple[int, ...] = ()
    seconds: float = 2.0

    def check(self, plan: Plan) -> None:
        """Raise FlathoodError, with everything that is wrong."""
        known = (*CONNECTIONS, *BENCHMARKS)
        wrong = [f"benchmark {name!r}: choose {', '.join(known)}" for name in self.benchmarks if name not in known]
        wrong += [f"groups of {p}: 2 to {plan.node_count} ranks" for p in self.groups if not 2 <= p <= plan.node_count]
        wrong += [f"messages of {size} bytes: 0 to {1 << 24}" for size in self.sizes if not 0 <= size <= 1 << 24]
        if not 0 < self.seconds <= 60:
            wrong.append(f"{self.seconds:g} seconds for a case: more than 0, at most 60")
        if wrong:
            raise FlathoodError("\n".join(wrong))

    def cases(self, plan: Plan) -> Iterator[Case]:
        """The operations of MPI, the smallest messages first. With one group only, One and Multi are the same."""
        nodes = plan.node_count
        for name in BENCHMARKS:
            if name not in self.benchmarks:
                continue
            for group in (2,) if name == "pingpong" else sorted({*(self.groups or (2, nodes))}):
                # An empty message has a time, which PingPong tells, and no speed.
                sizes = {size for size in self.sizes if size or name == "pingpong"}
                for size in (0,) if name == "barrier" else sorted(sizes):
                    for multi in (False, True) if nodes // group > 1 else (False,):
                        yield Case(name, size, group, multi)


def partner(plan: Plan) -> int:
    """The node that shares the most neighborhoods with the first one: both ends of the plain connections."""
    member = plan.slot_on >= 0
    return 1 + int(np.argmax((member[1:] & member[0]).sum(axis=1)))


@dataclass(frozen=True)
class Job:
    """A command line for the first node, how many cases it measures, and the seconds that it is expected to take."""

    argv: list[str]
    cases: int
    seconds: float

    @property
    def outlook(self) -> str:
        """What it will take, in words."""
        span = f"{self.seconds:.0f} s" if self.seconds < 100 else f"{self.seconds / 60:.0f} min"
        return f"{self.cases} case{'s' if self.cases != 1 else ''}, about {span}"


def job(plan: Plan, wanted: Wanted, model: Model, *, root: bool) -> Job:
    """What to run on the first node, where role mpi has been; raises FlathoodError.

    Which network it takes is left to that role's files, as for any other program.
    """
    wanted.check(plan)
    cases: list[list[Any]] = [
        [name, _CONNECTED, partner(plan), False] for name in CONNECTIONS if name in wanted.benchmarks
    ]
    links, expected = Links(plan), float(_CONNECTED * len(cases))
    for case in wanted.cases(plan):
        cases.append([case.benchmark, case.size, case.group, case.multi])
        # The first one, then as many as fit into the time, at least one; half a second between cases.
        once = predict(plan, case, model, links).seconds * (2 if case.benchmark == "pingpong" else 1)
        expected += once + max(once, wanted.seconds) + 0.5
    most = _START + _RANK * plan.node_count + _PATIENCE * expected
    work = {"seconds": wanted.seconds, "most": _MOST_REPETITIONS, "cases": cases}
    argv = [
        *("timeout", "--kill-after", "10", f"{most:.0f}"),
        *("mpirun", "--hostfile", OPEN_MPI_HOSTS, "-n", str(plan.node_count), "--map-by", "node"),
        *("--mca", "mpi_yield_when_idle", "1"),
        *(["--allow-run-as-root"] if root else []),
        *("python3", "-c", SOURCE, json.dumps(work)),
    ]
    return Job(argv, len(cases), expected)
