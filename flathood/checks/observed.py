# SPDX-License-Identifier: Apache-2.0
"""What the witnesses said: nodes (through the probe), switches, and the MPI job. Input of the judge."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class HostWord:
    """One machine's word. ``deviations``: kind → key → what was seen instead of what was expected.

    ``failures``: kind → reason why all checks of the kind failed there; ``blind``: kind → reason why they could not
    be done.
    ``arp``: frames as [NIC, "sent" or "seen", operation, MAC, its address, address asked for, count]; ``echoes``: NIC →
    (echoes, how many had to be repeated).
    """

    state: Literal["ran", "unreachable", "failed"] = "ran"
    reason: str = ""
    deviations: dict[str, dict[str, str]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    blind: dict[str, str] = field(default_factory=dict)
    arp: tuple[tuple[Any, ...], ...] = ()
    echoes: dict[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of_phases(cls, start: dict[str, Any], run: dict[str, Any], collect: dict[str, Any]) -> HostWord:
        """Put the results of the probe's three tasks on one machine together; a task that was skipped is {}."""
        if start.get("unreachable"):
            return cls("unreachable", str(start.get("msg", "")).strip())
        if "deviations" not in start:
            return cls("failed", str(start.get("msg", "no result")).strip())
        blind = _blindness(run, ("echo", "loss")) | _blindness(collect, ("silence", "multicast"))
        blind |= collect.get("troubles", {})
        lost = collect.get("arp", {}).get("lost", 0)
        if lost:
            blind["silence"] = f"the capture lost {lost} frames"
        deviations: dict[str, dict[str, str]] = {}
        for result in (start, run, collect):
            deviations |= result.get("deviations", {})
        return cls(
            deviations=deviations,
            failures=dict(start["troubles"]),
            blind=blind,
            arp=tuple(tuple(frame) for frame in collect.get("arp", {}).get("frames", ())),
            echoes={nic: (count, repeats) for nic, (count, repeats) in run.get("echoes", {}).items()},
        )


def _blindness(result: dict[str, Any], kinds: tuple[str, ...]) -> dict[str, str]:
    """Kind → reason for the kinds that a task would have given the word for, if it brought nothing back."""
    if "deviations" in result:
        return {}
    skipped = not result or result.get("skipped")
    reason = "this part was left out" if skipped else str(result.get("msg", "no result")).strip()
    return dict.fromkeys(kinds, reason)


@dataclass(frozen=True)
class SwitchWord:
    """The switches' word, or ``reason`` why there is none.

    ``tables``: switch name → MAC → name of the switch behind the port on which it was learnt, "" for a machine's port.
    ``crossed``: (source MAC, destination MAC) → unicast frames seen on the uplink switch while all pairs talked;
    ``lost``: frames that this count may have missed.
    """

    source: str = ""
    reason: str = ""
    tables: dict[str, dict[str, str]] = field(default_factory=dict)
    crossed: dict[tuple[str, str], int] = field(default_factory=dict)
    lost: int = 0


@dataclass(frozen=True)
class JobWord:
    """The MPI job's word: ``reason`` says why there was no job; ``trouble`` what was wrong with the one there was."""

    ran: bool = False
    reason: str = ""
    trouble: str = ""
    ranks: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Observed:
    """Everything that a run has gathered."""

    hosts: dict[str, HostWord]
    switches: SwitchWord
    job: JobWord
