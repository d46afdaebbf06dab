# SPDX-License-Identifier: Apache-2.0
"""The operations of the Intel MPI Benchmarks, predicted.

All transfers of one operation start at once and it ends with the last of them, after the time that an empty message
takes; those of Exchange start when each rank comes to them (`flathood.predict.exchange`). Figures are counted as that
suite counts them: one MB is 1,000,000 bytes; a rank of Sendrecv sends and receives one message, of Exchange two each
way; of Alltoall (which the suite gives only the time of) one to and from each other. Groups are of consecutive ranks,
a rank a node; `multi`: all groups at once, else the first one alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from flathood.errors import FlathoodError
from flathood.plan.model import Plan
from flathood.predict.exchange import ROUNDS, exchange
from flathood.predict.fluid import Numbers, durations, durations_even
from flathood.predict.links import Indices, Links

#: IPv4 and TCP headers with timestamps (RFC 9293, RFC 7323).
_HEADERS = 52
#: Ends of transfers this close, as a part, count as one: far below what a measurement can tell.
_TOLERANCE = 0.01
Ends = tuple[Indices, Indices]


@dataclass(frozen=True)
class Model:
    """What the links and the machines are taken to be.

    ``rate``: bit/s of each link. ``framing``: bytes that a frame takes on the wire beside its IP packet: 38 on
    Ethernet (IEEE 802.3: header, check sequence, preamble, gap), 14 in the lab, whose shapers count no more than the
    header. ``latency``: seconds of an empty message through one switch; ``hop``: of each switch more. ``eager``: bytes
    of a message that are sent before it is received: 64 KiB in Open MPI over TCP. ``split``: how a message over several
    links is dealt out: ``even``, all parts are of one size (Open MPI); ``shared``, each link takes what it can (MPTCP).
    """

    rate: float
    mtu: int = 1500
    framing: int = 38
    latency: float = 50e-6
    hop: float = 10e-6
    eager: float = 65536.0
    split: Literal["even", "shared"] = "shared"

    @property
    def payload(self) -> float:
        """Bytes of payload that one link carries in a second, each way."""
        return self.rate / 8 * (self.mtu - _HEADERS) / (self.mtu + self.framing)


@dataclass(frozen=True)
class Case:
    """One operation with messages of ``size`` bytes in groups of ``group`` ranks; ``multi``: in all groups at once."""

    benchmark: str
    size: int
    group: int
    multi: bool


@dataclass(frozen=True)
class Prediction:
    """Seconds of one operation (PingPong: half of a round trip), mean over the groups; MB/s of a rank, None: no bytes.

    ``limit``: what part of the physical limit that is: as many links as the operation can use at one node, each way.
    """

    seconds: float
    mbytes: float | None
    limit: float | None


@dataclass(frozen=True)
class _Operation:
    """Who sends to whom in a group of p ranks, the least p, and how many messages a rank sends and receives."""

    pattern: Callable[[int], Ends]
    least: int
    messages: Callable[[int], int]


def _ring(p: int) -> Ends:
    ranks = np.arange(p)
    return ranks, (ranks + 1) % p


def _neighbors(p: int) -> Ends:
    ranks = np.arange(p)
    return np.concatenate([ranks, ranks]), np.concatenate([(ranks + 1) % p, (ranks - 1) % p])


def _everyone(p: int) -> Ends:
    ends, others = np.nonzero(~np.eye(p, dtype=np.bool_))
    return ends, others


def _one_way(p: int) -> Ends:
    return np.zeros(1, dtype=np.intp), np.ones(1, dtype=np.intp)


#: Operations by the suite's name, in lower case.
BENCHMARKS: dict[str, _Operation] = {
    "barrier": _Operation(_ring, 2, lambda _: 0),
    "pingpong": _Operation(_one_way, 2, lambda _: 1),
    "sendrecv": _Operation(_ring, 2, lambda _: 2),
    "exchange": _Operation(_neighbors, 2, lambda _: 4),
    "alltoall": _Operation(_everyone, 2, lambda p: 2 * (p - 1)),
}


def groups_of(nodes: int, case: Case) -> int:
    """How many groups are at work; raises FlathoodError when not even one fits."""
    least = BENCHMARKS[case.benchmark].least
    if not least <= case.group <= nodes:
        raise FlathoodError(f"{case.benchmark}: groups of {case.group} of {nodes} nodes: choose {least} to {nodes}")
    if case.benchmark == "pingpong" and case.group != least:
        raise FlathoodError(f"pingpong: groups of {case.group}: it is played by two")
    return nodes // case.group if case.multi else 1


def predict(plan: Plan, case: Case, model: Model, links: Links | None = None) -> Prediction:
    """What the plan's network gives an operation, in the plan's mode of routing. Raises FlathoodError.

    ``links``: those of the plan, when they are there already.
    """
    operation, p = BENCHMARKS[case.benchmark], case.group
    groups = groups_of(plan.node_count, case)
    links = links or Links(plan)
    capacity, dealt = np.full(links.count, model.payload), durations_even if model.split == "even" else durations
    start = p * np.repeat(np.arange(groups), len(operation.pattern(p)[0]))
    ends, others = (np.tile(side, groups) + start for side in operation.pattern(p))
    group = start // p
    more: Numbers = links.switches(ends, others).astype(np.float64) - 1
    empty = model.latency + model.hop * more
    if case.benchmark == "barrier":
        rounds = int(np.ceil(np.log2(p)))
        return Prediction(rounds * float(_worst(empty, group).mean()), None, None)
    if case.benchmark == "exchange":
        # Per group first all to the right, then all to the left: by rank, both ways of each.
        both = empty.reshape(groups, 2, p).swapaxes(0, 1).reshape(2, -1)
        played = exchange(p, groups, case.size, model.eager, both)
        routes = links.routes(played.ends, played.others)
        at = dealt(capacity, routes, played.sizes, _TOLERANCE, played.order)[played.first :]
        seconds = float(_worst(at, np.repeat(np.arange(groups), p)).mean()) / ROUNDS
    else:
        sizes = np.full(len(ends), float(case.size))
        took = dealt(capacity, links.routes(ends, others), sizes, _TOLERANCE)
        if case.benchmark == "pingpong":  # each way in turn
            back = dealt(capacity, links.routes(others, ends), sizes, _TOLERANCE)
            took = (took + back) / 2
        seconds = float(_worst(took + empty, group).mean())
    moved = operation.messages(p) * case.size
    nics = int((plan.usable[: plan.node_count] >= 0).sum(axis=1).min())
    ways = 1 if case.benchmark == "pingpong" else 2
    mbytes = moved / seconds / 1e6
    return Prediction(seconds, mbytes, mbytes * 1e6 / (ways * nics * model.payload))


def _worst(values: Numbers, group: Indices) -> Numbers:
    """The largest value of each group."""
    worst = np.zeros(int(group.max()) + 1)
    np.maximum.at(worst, group, values)
    return worst
