# SPDX-License-Identifier: Apache-2.0
"""The failures that have no explanation yet, and the few questions that the diagnosis asks of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from flathood.checks.judge import Verdict
from flathood.checks.places import Place, Places
from flathood.checks.results import Finding, Outcome

#: Kinds that fail when something below them is wrong: traffic needs tables, and tables need NICs.
TRAFFIC = frozenset({"echo", "loss", "multicast", "silence", "cable", "one-switch"})
STATE = frozenset({"nic", "address", "neighbor", "route"})
Test = Callable[[Verdict], bool]


class Cases:
    """A pile of verdicts; a cause takes what it explains off the pile and becomes a finding."""

    def __init__(self, places: Places, verdicts: list[Verdict]) -> None:
        self.places = places
        self.findings: list[Finding] = []
        self._open = list(verdicts)

    def of(self, *kinds: str) -> Iterator[Verdict]:
        """The open verdicts of these kinds (of all kinds, when none is named), in their order."""
        return (verdict for verdict in tuple(self._open) if not kinds or verdict.check.kind in kinds)

    def close(self, explained: Test, place: Place | None, what: str, do: str, host: str = "") -> None:
        """Make a finding at ``place`` (or of ``host``) of the verdicts that are ``explained``, if there are any."""
        if any(explained(verdict) for verdict in self._open):
            self.tell(explained, place, what, do, host)

    def tell(self, explained: Test, place: Place | None, what: str, do: str, host: str = "") -> None:
        """Make a finding even where it explains nothing: a warning then."""
        taken = [verdict for verdict in self._open if explained(verdict)]
        self._open = [verdict for verdict in self._open if not explained(verdict)]
        failed = any(verdict.outcome is Outcome.FAIL for verdict in taken)
        self.findings.append(
            Finding(
                outcome=Outcome.FAIL if failed else Outcome.WARNING,
                host=place.host if place else host,
                nic=place.nic if place else "",
                switch=place.switch if place else "",
                colour=place.colour if place else "",
                what=what,
                do=do,
                explains=len(taken),
            )
        )

    def traffic_of(self, *nics: Place) -> Test:
        """True of failed traffic that uses one of these NICs, at either end, or is meant for its address.

        A NIC without carrier may have lost its addresses: they do not answer by any other way either.
        """
        wanted = {(place.host, place.nic) for place in nics}
        targets = {address for place in nics for address in place.addresses}

        def uses(verdict: Verdict) -> bool:
            check = verdict.check
            if check.kind not in TRAFFIC:
                return False
            ends = {(check.host, check.nic), (check.peer, self._far_nic(verdict))}
            return not wanted.isdisjoint(ends) or (check.kind == "echo" and check.key in targets)

        return uses

    def _far_nic(self, verdict: Verdict) -> str:
        """The peer's NIC that a check's traffic goes to, or ""."""
        check = verdict.check
        place = (
            self.places.outside(check.peer)
            if check.kind == "multicast"
            else self.places.by_switch.get((check.peer, check.switch))
        )
        return place.nic if place else ""


def state_of(*nics: Place) -> Test:
    """True of what the kernel's tables say of one of these NICs."""
    wanted = {(place.host, place.nic) for place in nics}
    return lambda verdict: verdict.check.kind in STATE and (verdict.check.host, verdict.check.nic) in wanted


def either(*tests: Test) -> Test:
    """True of what any of the tests is true of."""
    return lambda verdict: any(test(verdict) for test in tests)


def between(pairs: set[tuple[str, str]]) -> Test:
    """True of failed traffic between two machines of one of these pairs, in either direction."""
    return lambda verdict: (
        verdict.check.kind in TRAFFIC
        and not pairs.isdisjoint({(verdict.check.host, verdict.check.peer), (verdict.check.peer, verdict.check.host)})
    )
