# SPDX-License-Identifier: Apache-2.0
"""Causes that somebody has to walk to: power, NICs, cables, switches."""

from __future__ import annotations

from collections import defaultdict

from flathood.checks.cases import TRAFFIC, Cases, either, state_of
from flathood.checks.judge import Judgement, Verdict
from flathood.checks.observed import Observed
from flathood.checks.places import Place


def machines_away(cases: Cases, observed: Observed) -> None:
    """Machines that could not be reached, or could not be asked: told even where their peers get their echoes back."""
    for host, word in observed.hosts.items():
        place = cases.places.outside(host)

        def concerns(verdict: Verdict, host: str = host) -> bool:
            return verdict.check.kind in TRAFFIC and host in {verdict.check.host, verdict.check.peer}

        if word.state == "unreachable":
            cable = f"the {place.switch} cable at {place.nic}" if place else "its cable"
            do = f"check the power of {host}, then {cable}; then validate again"
            cases.tell(concerns, place, f"{host} is off, or cannot be reached from the head", do, host)
        elif word.state == "failed":
            do = "put this right and validate again: none of its checks was run"
            cases.tell(_nothing, None, f"{host} could not be asked: {word.reason}", do, host)


def _nothing(_: Verdict) -> bool:
    return False


def dead_switches(cases: Cases) -> None:
    """A switch is off when every NIC on it (two at least) is without carrier."""
    down: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for verdict in cases.of("nic"):
        if verdict.check.key.endswith(" carrier") and verdict.seen == "down":
            down[verdict.check.switch].add((verdict.check.host, verdict.check.nic))
    for switch, nics in down.items():
        members = [place for place in cases.places.by_mac.values() if place.switch == switch]
        if len(nics) < 2 or len(nics) < len(members):
            continue
        place = Place("", "", "", switch, members[0].colour, ())
        what = f"no NIC on the switch {switch} has a carrier: the switch is off"
        cases.close(
            either(state_of(*members), cases.traffic_of(*members)), place, what, f"check the power of switch {switch}"
        )


def dead_nics(cases: Cases) -> None:
    """NICs without carrier, and NICs that are not in the machine at all."""
    for verdict in cases.of("nic"):
        check = verdict.check
        place = cases.places.by_nic[check.host, check.nic]
        if check.key.endswith(" carrier") and verdict.seen == "down":
            what = f"{check.nic} has no carrier"
            do = f"check the {place.switch} cable of {check.host} at {check.nic} and at the switch, then the NIC"
        elif check.key.endswith(" mac") and not verdict.seen:
            what = f"{check.nic} is missing: {check.host} has no NIC with the MAC {place.mac} under this name"
            do = "check that the NIC is seated; if it was exchanged, put its MAC into macs.yml; then run site.yml"
        else:
            continue
        cases.close(either(state_of(place), cases.traffic_of(place)), place, what, do)


def misplaced_cables(cases: Cases, judgement: Judgement) -> None:
    """Cables that the switches see elsewhere than planned; two in each other's place are told as one swap."""
    wrong: dict[Place, str] = {}
    for verdict in cases.of("cable"):
        place = cases.places.by_nic[verdict.check.host, verdict.check.nic]
        at = judgement.located.get((place.host, place.nic), "")
        if at and at != place.switch:
            wrong[place] = at
    while wrong:
        place, at = next(iter(wrong.items()))
        del wrong[place]
        other = next((one for one, its in wrong.items() if one.switch == at and its == place.switch), None)
        do = f"move the cable of {place.host} {place.nic} from {at} to {place.switch}"
        if other is None:
            what = f"the cable of {place.host} {place.nic} belongs in {place.switch} and is in {at}"
            cases.close(cases.traffic_of(place), place, what, do)
            continue
        del wrong[other]
        what = f"two cables are swapped: {place.cable} is in {at}, {other.cable} is in {place.switch}"
        do += f", and that of {other.host} {other.nic} from {place.switch} to {at}"
        cases.close(cases.traffic_of(place, other), place, what, do)


def silent_nics(cases: Cases) -> None:
    """NICs that have a carrier and exchange nothing with any machine on their switch."""
    failing: dict[Place, set[str]] = defaultdict(set)
    for verdict in cases.of("echo"):
        check = verdict.check
        for host, peer in ((check.host, check.peer), (check.peer, check.host)):
            place = cases.places.by_switch.get((host, check.switch))
            if place:
                failing[place].add(peer)
    for place, peers in sorted(failing.items(), key=lambda item: (-len(item[1]), item[0].host, item[0].nic)):
        members = {one.host for one in cases.places.by_mac.values() if one.switch == place.switch}
        if len(peers) < 2 or not members - {place.host} <= peers:
            continue
        what = f"{place.nic} has a carrier, but nothing passes between it and any machine on {place.switch}"
        cable = f"the {place.switch} cable of {place.host} {place.nic}"
        do = f"exchange {cable}, try another port of the switch, then the NIC"
        cases.close(cases.traffic_of(place), place, what, do)
