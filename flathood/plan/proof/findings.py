# SPDX-License-Identifier: Apache-2.0
"""What a proof has to say."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

#: What to do about most findings: the files are made by a program, so they are not to be mended by hand.
AGAIN = "compile and install it again"


@dataclass(frozen=True, order=True)
class Finding:
    """One thing that is wrong, or worth a look.

    ``check`` is the kind of what was to be proved, ``nic`` and ``cable`` are empty where no single one is to blame,
    ``file`` is the path on the machine, ``remedy`` what to do.
    """

    machine: str
    check: str
    nic: str
    cable: str
    file: str
    message: str
    remedy: str

    def __str__(self) -> str:
        """Where it is, what is wrong, what to do."""
        place = " ".join(filter(None, (self.machine, self.nic, self.cable and f"[{self.cable}]", self.file)))
        return f"{place}: {self.message}; {self.remedy}"


class Place(NamedTuple):
    """Where something is: the file on the machine; the NIC and its cable where there is one."""

    file: str
    nic: str = ""
    cable: str = ""


#: Every kind of thing that is proved, in the order of reports, and what one of them is.
KINDS = {
    "files": "files: there, and one that a role writes",
    "links": "NICs and node0: named, matched, MTU, nothing automatic",
    "addresses": "addresses: configured once, in the right subnet",
    "names": "names: one address each, the named machine's own",
    "neighborhoods": "ordered pairs, on each neighborhood they share",
    "paths": "ordered pairs, to each other address of the peer",
    "uplink": "ways to and from spares and head, through the uplink",
    "replies": "ways back, to the address that a packet comes from",
    "choice": "pairs: both ends chose the same neighborhood",
    "arp": "NICs that never ask who has an address",
    "neighbors": "permanent neighbor entries: right address, right MAC",
    "forwarding": "sysctls: no forwarding, no redirects, ARP, reverse path",
    "multicast": "machines that use one NIC for all groups",
    "endpoints": "MPTCP endpoints: one on each neighborhood, by its own NIC",
    "mpi": "settings for MPI, NCCL and Gloo",
    "leases": "lines of the head's DHCP and DNS",
}


@dataclass
class Report:
    """The outcome of a proof; ``proved`` and ``failed`` count things of each kind."""

    proved: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    failures: list[Finding] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0: all proved, 1: something failed, 2: nothing ran, 3: warnings."""
        if self.failures:
            return 1
        if not self.proved:
            return 2
        return 3 if self.warnings else 0

    def add(self, other: Report) -> None:
        """Take over what another part of the proof found."""
        self.proved += other.proved
        self.failed += other.failed
        self.failures += other.failures
        self.warnings += other.warnings

    def data(self) -> dict[str, Any]:
        """All of it as plain data, for JSON."""
        kinds = {
            kind: {"what": what, "proved": self.proved[kind], "failed": self.failed[kind]}
            for kind, what in KINDS.items()
            if self.proved[kind] or self.failed[kind]
        }
        return {
            "exit_code": self.exit_code,
            "checks": kinds,
            "failures": [asdict(finding) for finding in sorted(self.failures)],
            "warnings": [asdict(finding) for finding in sorted(self.warnings)],
        }


class Ledger:
    """What is proved of one machine, and a shorter way to write down what is not."""

    def __init__(self, machine: str) -> None:
        self.machine = machine
        self.report = Report()

    def proved(self, check: str, count: int = 1) -> None:
        """Count things that hold."""
        if count:
            self.report.proved[check] += count

    def fail(self, check: str, place: Place, message: str, remedy: str = AGAIN, *, count: int = 1) -> None:
        """Note one finding that makes ``count`` things fail."""
        self.report.failed[check] += count
        finding = Finding(self.machine, check, place.nic, place.cable, place.file, message, remedy)
        self.report.failures.append(finding)

    def expect(self, check: str, holds: bool, place: Place, message: str) -> None:
        """Count one thing as proved, or note why not."""
        if holds:
            self.proved(check)
        else:
            self.fail(check, place, message)
