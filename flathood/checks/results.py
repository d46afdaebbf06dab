# SPDX-License-Identifier: Apache-2.0
"""The outcome model: what the judge and the diagnosis say, in the form in which the report is stored and shown."""

from __future__ import annotations

from collections import Counter
from enum import IntEnum, StrEnum
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field


class Outcome(StrEnum):
    """What became of one check."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    FAIL = "fail"
    WARNING = "warning"
    NOT_RUN = "not run"


class Exit(IntEnum):
    """Exit codes of `flathood validate`."""

    PASS = 0
    FAIL = 1
    NOTHING_RAN = 2
    WARNINGS = 3


_SENTENCES = {
    Exit.PASS: "everything was checked and everything passed",
    Exit.FAIL: "something is wrong",
    Exit.NOTHING_RAN: "nothing was checked",
    Exit.WARNINGS: "nothing is wrong in what was checked, but there are warnings",
}


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Count(_Record):
    """How many checks came to each outcome."""

    passed: int = 0
    failed: int = 0
    warned: int = 0
    not_run: int = 0

    @property
    def total(self) -> int:
        """All checks, run or not."""
        return self.passed + self.failed + self.warned + self.not_run

    def __add__(self, other: Count) -> Count:
        """Both together."""
        return Count(
            passed=self.passed + other.passed,
            failed=self.failed + other.failed,
            warned=self.warned + other.warned,
            not_run=self.not_run + other.not_run,
        )


class Deviation(_Record):
    """A check that did not pass, with what was seen. ``switch`` is a name, "" when no cable is concerned."""

    outcome: Outcome
    kind: str
    host: str
    key: str
    expected: str
    seen: str
    nic: str = ""
    switch: str = ""
    peer: str = ""


class NotRun(_Record):
    """Checks that nobody could do, and why: ``host`` is "" when it concerns the cluster as a whole."""

    kind: str
    host: str
    count: int
    reason: str


class Finding(_Record):
    """One cause in words: where it is, what is wrong, what to do, and how many checks it explains.

    ``colour`` is the switch's "#rrggbb", for display beside its name.
    """

    outcome: Outcome
    host: str
    nic: str = ""
    switch: str = ""
    colour: str = ""
    what: str
    do: str
    explains: int


class NicRow(_Record):
    """One NIC in a report: where its cable belongs, and where the switches see it ("" when they were not asked)."""

    nic: str
    mac: str
    switch: str
    colour: str
    address: str
    located: str = ""


class HostResult(_Record):
    """One machine: its part in the cluster, whether it took part in the run, its NICs and its counts by kind."""

    name: str
    role: str
    state: Literal["ran", "unreachable", "failed"]
    reason: str = ""
    nics: tuple[NicRow, ...] = ()
    counts: dict[str, Count] = Field(default_factory=dict)


class Report(_Record):
    """A whole run. ``version`` is that of this form; ``digest`` that of the three input files."""

    version: Literal[1] = 1
    cluster: str
    digest: str
    started: str
    seconds: dict[str, float]
    evidence: str
    facts: dict[str, int | float | str] = Field(default_factory=dict)
    counts: dict[str, Count]
    hosts: tuple[HostResult, ...]
    findings: tuple[Finding, ...]
    deviations: tuple[Deviation, ...]
    not_run: tuple[NotRun, ...]

    @property
    def total(self) -> Count:
        """All kinds together."""
        return sum(self.counts.values(), Count())

    @property
    def exit(self) -> Exit:
        """One code for the whole: a failure outweighs a warning; a check that was not run is a warning."""
        total = self.total
        if total.failed:
            return Exit.FAIL
        if total.passed + total.warned == 0:
            return Exit.NOTHING_RAN
        return Exit.WARNINGS if total.warned or total.not_run else Exit.PASS

    @property
    def reasons(self) -> dict[str, Counter[str]]:
        """Why checks were not run: reason → how many of each kind."""
        found: dict[str, Counter[str]] = {}
        for one in self.not_run:
            found.setdefault(one.reason, Counter())[one.kind] += one.count
        return found

    @property
    def sentence(self) -> str:
        """The outcome of the whole in words."""
        return _SENTENCES[self.exit]

    @property
    def summary(self) -> str:
        """One paragraph: the outcome, the counts, how many machines took part, and the time."""
        total = self.total
        ran = sum(host.state == "ran" for host in self.hosts)
        return (
            f"{self.cluster}: {self.sentence}: {total.passed:,} of {total.total:,} checks passed, "
            f"{total.failed:,} failed, {total.warned:,} warned, {total.not_run:,} not run; "
            f"{ran} of {len(self.hosts)} machines took part, {sum(self.seconds.values()):.0f} s."
        )
