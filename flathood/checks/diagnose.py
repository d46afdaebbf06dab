# SPDX-License-Identifier: Apache-2.0
"""From checks that did not pass to causes: few sentences that name the machine, the NIC, the cable, and what to do.

One bad cable makes dozens of checks fail. Causes are looked for from the most certain to the least (a machine that is
off, a NIC without carrier, a cable in the wrong switch, a table entry, …); each takes the failures that it explains
with it, and what is left over at the end is told as it is. No failure is lost: the sum of ``explains`` is the number
of checks that did not pass.
"""

from __future__ import annotations

from collections import defaultdict

from flathood.checks import hardware
from flathood.checks.cases import Cases, Test, between, either, state_of
from flathood.checks.check import Check
from flathood.checks.judge import Judgement, Verdict
from flathood.checks.kinds import KIND
from flathood.checks.observed import Observed
from flathood.checks.places import Place, Places
from flathood.checks.results import Finding, Outcome

#: Which role puts which kind of state right.
_ROLE = {
    "nic": "links",
    "address": "links",
    "neighbor": "arp",
    "route": "routes",
    "name": "hosts",
    "multicast": "multicast",
}
#: What to do about what is left when no cause was found.
_DO = {
    "echo": "look at the peer's side of the same pair, and at firewalls on both",
    "loss": "exchange this cable, try another port of the switch, then the NIC",
    "silence": "find out which program on this machine asks: its neighbor table and its routes are as planned",
    "cable": "follow this cable to its switch; check that the switch's uplink cable is plugged",
    "one-switch": "find out why the switch floods: its MAC table, a second cable between switches",
    "mpi": "run site.yml with --tags mpi,routes, then validate again",
}
#: How many details a sentence names before it says "and N more".
NAMED = 3


def diagnose(places: Places, judgement: Judgement, observed: Observed) -> tuple[Finding, ...]:
    """The findings of a run, the most certain first."""
    cases = Cases(places, judgement.verdicts)
    hardware.machines_away(cases, observed)
    hardware.dead_switches(cases)
    hardware.dead_nics(cases)
    hardware.misplaced_cables(cases, judgement)
    _arp_left_on(cases)
    for kind in ("nic", "address", "neighbor", "route", "sysctl", "name"):
        _wrong_state(cases, kind)
    hardware.silent_nics(cases)
    _rest(cases)
    return tuple(sorted(cases.findings, key=lambda finding: finding.outcome is not Outcome.FAIL))


def _arp_left_on(cases: Cases) -> None:
    for verdict in cases.of("nic"):
        check = verdict.check
        if check.key.endswith(" arp") and verdict.seen == "on":
            place = cases.places.by_nic[check.host, check.nic]
            cases.close(
                either(state_of(place), cases.traffic_of(place)),
                place,
                f"ARP is left on at {check.nic}",
                f"run site.yml with --tags arp --limit {check.host}",
            )


def _wrong_state(cases: Cases, kind: str) -> None:
    """Entries of a kernel table or of /etc/hosts that are not the planned ones, told together for each NIC."""
    for (host, nic), verdicts in _groups(cases, kind).items():
        peers = {(host, verdict.check.peer) for verdict in verdicts if verdict.check.peer}
        mine = _same(kind, host, nic)
        explained: Test = either(mine, between(peers)) if kind in {"neighbor", "route"} else mine
        if kind in {"nic", "address"} and (host, nic) in cases.places.by_nic:
            explained = either(mine, cases.traffic_of(cases.places.by_nic[host, nic]))
        role = _ROLE.get(kind)
        do = f"run site.yml with {f'--tags {role} ' if role else ''}--limit {host}"
        cases.close(explained, _place(cases, verdicts[0].check), _sentence(verdicts), do, host)


def _rest(cases: Cases) -> None:
    kinds = dict.fromkeys(verdict.check.kind for verdict in cases.of())
    for kind in kinds:
        for (host, nic), verdicts in _groups(cases, kind).items():
            if host or kind != "silence":
                do = _DO.get(kind) or f"run site.yml with --tags {_ROLE[kind]} --limit {host}"
            else:
                do = "a machine outside the plan is on the wire: find it by this MAC, or add it to the plan"
            cases.close(_same(kind, host, nic), _place(cases, verdicts[0].check), _sentence(verdicts), do, host)


def _groups(cases: Cases, kind: str) -> dict[tuple[str, str], list[Verdict]]:
    groups: dict[tuple[str, str], list[Verdict]] = defaultdict(list)
    for verdict in cases.of(kind):
        groups[verdict.check.host, verdict.check.nic].append(verdict)
    return groups


def _same(kind: str, host: str, nic: str) -> Test:
    return lambda verdict: (verdict.check.kind, verdict.check.host, verdict.check.nic) == (kind, host, nic)


def _place(cases: Cases, check: Check) -> Place | None:
    return cases.places.by_nic.get((check.host, check.nic))


def _sentence(verdicts: list[Verdict]) -> str:
    title = KIND[verdicts[0].check.kind].title
    parts = [_detail(verdict) for verdict in verdicts[:NAMED]]
    more = f"; and {len(verdicts) - NAMED} more" if len(verdicts) > NAMED else ""
    return f"{title}: {'; '.join(parts)}{more}"


def _detail(verdict: Verdict) -> str:
    check = verdict.check
    peer = f" ({check.peer})" if check.peer and check.peer != check.key else ""
    if check.kind in {"echo", "loss", "silence", "multicast", "cable", "one-switch", "mpi"}:
        return f"{check.key}{peer}: {verdict.seen}"
    return f"{check.key}{peer} is {verdict.seen or 'missing'}, not {check.expected}"
