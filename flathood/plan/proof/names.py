# SPDX-License-Identifier: Apache-2.0
"""/etc/hosts of one machine: each name it must know, once, with an address that the named machine has."""

from __future__ import annotations

from array import array

import numpy as np
import numpy.typing as npt

from flathood.plan.proof.findings import Ledger, Place
from flathood.plan.proof.syntax import Numbers, address, dotted
from flathood.plan.proof.world import Role, World

Ints = npt.NDArray[np.int64]
FILE = "/etc/hosts"
_PLACE = Place(FILE)
_LOCAL = {"127.0.0.1": {"localhost"}, "::1": {"localhost", "ip6-localhost", "ip6-loopback"}}
#: What a name stands for, beside a number of a segment: any address, the node's, the outside one.
_PLAIN, _NODE, _OUT = -1, -2, -3


class Names:
    """All names of a cluster, and the lines of hosts files met so far, each understood once."""

    def __init__(self, world: World) -> None:
        self._world = world
        cabling = world.cabling
        self._texts: list[str] = []
        self._ids: dict[str, int] = {}
        meaning: list[tuple[int, int]] = []
        for machine, name in enumerate(cabling.names):
            kinds = [(name, _PLAIN)]
            if machine < len(cabling.names) - 1:
                kinds.append((f"{name}-out", _OUT))
            if machine < cabling.nodes:
                kinds.append((f"{name}-node", _NODE))
                kinds += [(f"{name}-{text}", segment) for segment, text in enumerate(cabling.segments)]
            for text, kind in kinds:
                self._ids[text] = len(self._texts)
                self._texts.append(text)
                meaning.append((machine, kind))
        self._machine, self._kind = np.array(meaning, dtype=np.int64).T
        self._on = cabling.on
        self._right = self._addresses()
        self._lines = Numbers(self._understand)
        self._extra = {line.encode() for line in world.options.hosts_extra}
        self._first, self._count = array("q"), array("q")  # of each line: where its names begin, and how many
        self._name, self._ip = array("q"), array("q")
        self._strange: dict[int, str] = {}
        self._local: list[int] = []

    def _addresses(self) -> Ints:
        """Row in the world of the address that each name means on a node; -1: of a plain name, several will do."""
        world = self._world
        rows: dict[tuple[int, int], int] = {}
        kinds = {Role.NODE: _NODE, Role.OUTSIDE: _OUT}
        for row in range(len(world.ip)):
            role = Role(world.role[row])
            kind = int(world.segment[row]) if role == Role.NEIGHBORHOOD else kinds[role]
            rows[int(world.machine[row]), kind] = row
        self._out, self._node = (
            np.array([rows.get((machine, kind), -1) for machine in range(len(world.cabling.names))])
            for kind in (_OUT, _NODE)
        )
        right = [rows.get(pair, -1) for pair in zip(self._machine.tolist(), self._kind.tolist(), strict=True)]
        far = (self._machine >= world.cabling.nodes) | (world.cabling.cluster.routing == "tree")
        return np.where((self._kind == _PLAIN) & far, self._out[self._machine], np.array(right, dtype=np.int64))

    def check(self, ledger: Ledger, machine: int, data: bytes) -> Ints:
        """Check a machine's /etc/hosts; the row in the world that each machine's plain name leads to, -1: none."""
        world, cabling = self._world, self._world.cabling
        lines = data.split(b"\n")
        numbers = np.fromiter(map(self._lines.__getitem__, lines), dtype=np.int64, count=len(lines))
        self._tell_lines(ledger, numbers)
        name, ip = self._expand(numbers)
        total = len(self._texts)
        times = np.bincount(name, minlength=total)
        got = np.full(total, -1, dtype=np.int64)
        got[name] = ip
        row = world.find(got)
        wanted = self._wanted(machine)
        right = self._right.copy()
        if machine < cabling.nodes:
            right[self._ids[cabling.names[machine]]] = world.row(machine, Role.NODE)
        else:
            right = np.where(self._kind == _PLAIN, self._out[self._machine], right)
        free = (self._kind == _PLAIN) & (right < 0)
        if machine < cabling.nodes:
            far = free & cabling.apart(machine)[self._machine]
            right, free = np.where(far, self._out[self._machine], right), free & ~far
            if cabling.cluster.routing == "advanced":
                right, free = np.where(free, self._node[self._machine], right), np.zeros_like(free)
        fits = np.where(free, self._fits_plain(machine, row), (row == right) & (row >= 0))
        good = wanted & (times == 1) & fits
        ledger.proved("names", int(np.count_nonzero(good)))
        for number in np.flatnonzero((wanted & ~good) | (~wanted & (times > 0))).tolist():
            what = self._told(number, bool(wanted[number]), int(times[number]), int(got[number]))
            should = f" (should be {dotted(int(world.ip[right[number]]))})" if right[number] >= 0 else ""
            ledger.fail("names", _PLACE, f"{self._texts[number]} {what}{should}")
        plain = np.full(len(cabling.names), -1, dtype=np.int64)
        which = np.flatnonzero((self._kind == _PLAIN) & good)
        plain[self._machine[which]] = row[which]
        return plain

    def _fits_plain(self, machine: int, row: Ints) -> npt.NDArray[np.bool_]:
        """Whether each plain name leads to its machine's address on a segment that both are on."""
        world = self._world
        on = np.append(self._on[machine], False)
        there = (row >= 0) & (world.machine[row] == self._machine) & (world.role[row] == Role.NEIGHBORHOOD)
        fits: npt.NDArray[np.bool_] = there & on[np.where(there, world.segment[row], -1)]
        return fits

    def _wanted(self, machine: int) -> npt.NDArray[np.bool_]:
        """The names that a machine must know."""
        if machine >= self._world.cabling.nodes:
            wanted: npt.NDArray[np.bool_] = np.isin(self._kind, (_PLAIN, _OUT))
            return wanted
        shared = self._on[machine] & self._on
        by_name: npt.NDArray[np.bool_] = np.where(self._kind >= 0, shared[self._machine, self._kind.clip(0)], True)
        return by_name

    def _understand(self, line: bytes) -> int:
        """Take a line that was not met before into the columns; its number."""
        first, *names = line.decode("utf-8", "replace").split(" ")
        known: list[int] = []
        number = len(self._first)
        if first in _LOCAL and set(names) == _LOCAL[first] and len(names) == len(_LOCAL[first]):
            self._local.append(number)
        elif line and not line.startswith(b"#") and line not in self._extra:
            known = [self._ids[name] for name in names if name in self._ids]
            if address(first) < 0 or not names or len(known) < len(names):
                self._strange[number] = line.decode("utf-8", "replace")
        self._first.append(len(self._name))
        self._count.append(len(known))
        self._name.extend(known)
        self._ip.extend([address(first)] * len(known))
        return number

    def _expand(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Names and addresses of lines, one row a name."""
        count = np.array(self._count, dtype=np.int64)[numbers]
        first = np.array(self._first, dtype=np.int64)[numbers]
        starts = np.cumsum(count) - count
        place = np.repeat(first - starts, count) + np.arange(int(count.sum()))
        return np.array(self._name, dtype=np.int64)[place], np.array(self._ip, dtype=np.int64)[place]

    def _tell_lines(self, ledger: Ledger, numbers: Ints) -> None:
        """Check what can be seen line by line: localhost, and lines that mean nothing."""
        local = [int(np.count_nonzero(numbers == number)) for number in self._local]
        holds = len(local) >= len(_LOCAL) and sum(local) == len(_LOCAL) and max(local) == 1
        ledger.expect("names", holds, _PLACE, "localhost is not 127.0.0.1 and ::1, once each")
        for number in sorted(self._strange.keys() & set(numbers.tolist())):
            message = f"line `{self._strange[number]}` names nothing in this cluster"
            ledger.fail("names", _PLACE, message, "remove it, or mend it")

    def _told(self, number: int, wanted: bool, times: int, got: int) -> str:
        """What is wrong with a name."""
        if not wanted:
            return "is there, but this machine and that one do not share that neighborhood"
        if times == 0:
            return "is missing"
        if times > 1:
            return f"is there {times} times"
        row = int(self._world.find(np.array([got]))[0])
        whose = (
            f"an address of {self._world.cabling.names[self._world.machine[row]]}" if row >= 0 else "nobody's address"
        )
        return f"is {dotted(got)}, {whose}"
