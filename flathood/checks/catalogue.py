# SPDX-License-Identifier: Apache-2.0
"""The catalogue: every check that a plan gives rise to, known before anything runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from flathood.checks import expect
from flathood.checks.check import Check
from flathood.plan import Plan

#: The host of checks that are about the cluster as a whole.
CLUSTER = ""


@dataclass(frozen=True)
class Catalogue:
    """The checks of the machines in ``scope`` (nodes, spares, the head), made one by one when they are asked for."""

    plan: Plan
    scope: tuple[str, ...]
    _made: dict[str, tuple[Check, ...]] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, plan: Plan, hosts: Iterable[str] | None = None) -> Catalogue:
        """The catalogue of ``hosts`` (default: all machines), in the plan's order; unknown names are left out."""
        wanted = None if hosts is None else set(hosts)
        machines = (*plan.names, plan.head)
        return cls(plan, tuple(name for name in machines if wanted is None or name in wanted))

    def checks(self, host: str) -> tuple[Check, ...]:
        """All checks of one host; those of the cluster as a whole under ``CLUSTER``."""
        if host not in self._made:
            made = (
                expect.of_cluster(self.plan, self.scope)
                if host == CLUSTER
                else expect.of_host(self.plan, host, self.scope)
            )
            self._made[host] = tuple(made)
        return self._made[host]

    def __iter__(self) -> Iterator[Check]:
        """Every check, machine by machine, those of the cluster last."""
        for host in (*self.scope, CLUSTER):
            yield from self.checks(host)

    def counts(self, host: str) -> Counter[str]:
        """How many checks of each kind a host has."""
        return Counter(check.kind for check in self.checks(host))

    def totals(self) -> Counter[str]:
        """How many checks of each kind there are in all."""
        return sum((self.counts(host) for host in (*self.scope, CLUSTER)), Counter[str]())


def shipped(checks: Iterable[Check], kinds: Iterable[str]) -> dict[str, dict[str, str]]:
    """What a node needs to know to do its checks of these kinds: kind → key → expected text."""
    wanted: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    for check in checks:
        if check.kind in wanted:
            wanted[check.kind][check.key] = check.expected
    return {kind: keys for kind, keys in wanted.items() if keys}
