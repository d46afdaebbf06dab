# SPDX-License-Identifier: Apache-2.0
"""Hold every check of the catalogue against what was observed."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from flathood.checks.catalogue import CLUSTER, Catalogue
from flathood.checks.check import Check
from flathood.checks.kinds import KIND
from flathood.checks.observed import HostWord, Observed
from flathood.checks.places import Places
from flathood.checks.results import Count, NotRun, Outcome
from flathood.checks.witness import Ears, SwitchView

#: A NIC is suspect when more than this share of its echoes had to be repeated, and more than a few of them.
LOSS_SHARE, LOSS_LEAST = 0.1, 3


@dataclass(frozen=True, slots=True)
class Verdict:
    """A check that did not pass: what was seen instead."""

    check: Check
    outcome: Outcome
    seen: str


@dataclass
class Judgement:
    """All that did not pass, and counts: (host, kind) → outcome counts.

    ``located``: (host, NIC) → where the switches see it; ``strays``: frames between nodes that crossed the uplink
    switch.
    """

    verdicts: list[Verdict] = field(default_factory=list)
    not_run: list[NotRun] = field(default_factory=list)
    counts: dict[tuple[str, str], Count] = field(default_factory=dict)
    located: dict[tuple[str, str], str] = field(default_factory=dict)
    strays: int = 0


def judge(catalogue: Catalogue, observed: Observed) -> Judgement:
    """Every check of the catalogue comes to exactly one outcome."""
    places = Places(catalogue.plan)
    bench = _Bench(observed, Ears(places, observed), SwitchView(places, observed.switches))
    result = Judgement(located=bench.switches.located(), strays=bench.switches.strays)
    for host in (*catalogue.scope, CLUSTER):
        groups: dict[str, list[Check]] = defaultdict(list)
        for check in catalogue.checks(host):
            groups[check.kind].append(check)
        for kind, checks in groups.items():
            result.counts[host, kind] = _judge_group(bench, result, host, kind, checks)
    strangers = bench.ears.strangers()
    if strangers:
        result.counts[CLUSTER, "silence"] = Count(warned=len(strangers))
    for mac, seen in strangers.items():
        result.verdicts.append(Verdict(Check("silence", CLUSTER, mac, "no ARP frames"), Outcome.WARNING, seen))
    return result


def _judge_group(bench: _Bench, result: Judgement, host: str, kind: str, checks: list[Check]) -> Count:
    outcome = Outcome.WARNING if kind == "loss" else Outcome.FAIL
    skipped: Counter[str] = Counter()
    bad = 0
    for check in checks:
        if reason := bench.moot(check):
            skipped[reason] += 1
        elif (seen := bench.seen(check)) is not None:
            result.verdicts.append(Verdict(check, outcome, seen))
            bad += 1
    for reason, count in sorted(skipped.items()):
        result.not_run.append(NotRun(kind=kind, host=host, count=count, reason=reason))
    not_run = skipped.total()
    failed, warned = (0, bad) if outcome is Outcome.WARNING else (bad, 0)
    return Count(passed=len(checks) - bad - not_run, failed=failed, warned=warned, not_run=not_run)


class _Bench:
    """Answers two questions about one check: can it be judged, and what was seen instead of what it expects."""

    def __init__(self, observed: Observed, ears: Ears, switches: SwitchView) -> None:
        self.observed = observed
        self.ears = ears
        self.switches = switches
        self._absent = HostWord("failed", "took no part in this run")

    def _word(self, host: str) -> HostWord:
        return self.observed.hosts.get(host, self._absent)

    def moot(self, check: Check) -> str:
        """Why this check cannot be judged, or ""."""
        witness = KIND[check.kind].witness
        if witness == "job":
            return self.observed.job.reason
        word = self._word(check.host)
        if word.state != "ran":
            return f"{check.host} cannot be reached" if word.state == "unreachable" else f"{check.host}: {word.reason}"
        # A peer that took no part announced and sent nothing; that it does not answer echoes is a verdict all the same.
        needs_peer = witness == "switches" or check.kind == "multicast"
        if needs_peer and check.peer and self._word(check.peer).state != "ran":
            return f"{check.peer} took no part"
        if witness == "switches":
            return self.observed.switches.reason or (self.switches.doubt if check.kind == "one-switch" else "")
        return word.blind.get(check.kind, "")

    def seen(self, check: Check) -> str | None:
        """What was seen instead of what the check expects; None: it passes."""
        word = self._word(check.host)
        match check.kind:
            case "silence":
                return self.ears.sent(check.host, check.nic)
            case "loss":
                count, repeats = word.echoes.get(check.nic, (0, 0))
                suspect = repeats >= LOSS_LEAST and repeats > LOSS_SHARE * count
                return f"{repeats} of {count} echoes had to be repeated" if suspect else None
            case "cable":
                return self.switches.misplaced(check.host, check.nic)
            case "one-switch":
                return self.switches.apart(check.host, check.peer, check.switch)
            case "mpi":
                return self.observed.job.trouble or None
        return word.failures.get(check.kind) or word.deviations.get(check.kind, {}).get(check.key)
