# SPDX-License-Identifier: Apache-2.0
"""Evidence → verdicts → findings: every witness can refute every kind of check, and no failure is lost on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from flathood.checks.catalogue import Catalogue
from flathood.checks.diagnose import diagnose
from flathood.checks.judge import Judgement, judge
from flathood.checks.observed import HostWord, JobWord, Observed, SwitchWord
from flathood.checks.places import Places
from flathood.checks.results import Count, Finding, Outcome

Spoil = Callable[..., Observed]
Tables = dict[str, dict[str, str]]


def totals(judgement: Judgement) -> Count:
    return sum(judgement.counts.values(), Count())


def settle(catalogue: Catalogue, observed: Observed) -> tuple[Judgement, tuple[Finding, ...]]:
    """Judge and diagnose; every check has one outcome, and the findings explain each that did not pass exactly once."""
    judgement = judge(catalogue, observed)
    findings = diagnose(Places(catalogue.plan), judgement, observed)
    total = totals(judgement)
    strangers = judgement.counts.get(("", "silence"), Count()).warned
    assert total.total - strangers == catalogue.totals().total()
    assert len(judgement.verdicts) == total.failed + total.warned == sum(one.explains for one in findings)
    assert sum(one.count for one in judgement.not_run) == total.not_run
    return judgement, findings


def test_nothing_seen_to_be_wrong_is_a_pass_of_everything(catalogue: Catalogue, healthy: Observed) -> None:
    judgement, findings = settle(catalogue, healthy)
    assert totals(judgement) == Count(passed=808)
    assert findings == ()


@pytest.mark.parametrize(
    ("kind", "key", "seen", "words"),
    [
        ("nic", "fnn1 mtu", "1400", "fnn1 mtu is 1400, not 1500"),
        ("address", "node0", "", "node0 is missing, not 10.79.0.1/32"),
        ("sysctl", "net.ipv4.ip_forward", "1", "net.ipv4.ip_forward is 1, not 0"),
        ("name", "c", "10.78.0.3", "c is 10.78.0.3, not 10.80.0.3"),
        ("route", "10.80.2.3", "", "10.80.2.3 (c) is missing, not via 10.80.0.3 dev fnn0 src 10.80.0.1"),
        ("neighbor", "fnn0 others", "10.80.0.9 02:00:00:00:00:09", "fnn0 others is 10.80.0.9"),
        ("echo", "10.80.0.3", "only small packets pass", "10.80.0.3 (c): only small packets pass"),
        ("multicast", "b", "4 of 5 once by fnn0", "b: 4 of 5 once by fnn0"),
    ],
)
def test_what_a_node_sees_differently_fails_and_is_said(  # noqa: PLR0913, PLR0917 - the columns of the table
    catalogue: Catalogue, spoil: Spoil, kind: str, key: str, seen: str, words: str
) -> None:
    judgement, findings = settle(catalogue, spoil("a", deviations={kind: {key: seen}}))
    assert judgement.counts["a", kind].failed == 1 == totals(judgement).failed
    assert len(findings) == 1
    assert findings[0].host == "a"
    assert words in findings[0].what


def test_a_neighbor_entry_explains_the_echoes_of_its_pair_and_no_others(catalogue: Catalogue, spoil: Spoil) -> None:
    wrong = {"neighbor": {"fnn0 10.80.0.3": "02:00:00:00:00:99"}}
    wrong["echo"] = {"10.80.0.3": "no reply", "10.79.0.3": "no reply", "10.80.0.4": "no reply"}
    _, findings = settle(catalogue, spoil("a", deviations=wrong))
    assert [one.explains for one in findings] == [3, 1]
    assert "10.80.0.4 (d)" in findings[1].what


def test_a_node_that_cannot_be_reached_is_one_finding(catalogue: Catalogue, healthy: Observed) -> None:
    hosts = dict(healthy.hosts)
    for host in "abcef":
        gone = {check.key: "no reply" for check in catalogue.checks(host) if check.kind == "echo" and check.peer == "d"}
        hosts[host] = replace(hosts[host], deviations={"echo": gone})
    hosts["d"] = HostWord("unreachable", "timed out")
    judgement, findings = settle(catalogue, replace(healthy, hosts=hosts))
    assert [(one.host, one.outcome) for one in findings] == [("d", Outcome.FAIL)]
    reasons = Counter(one.reason for one in judgement.not_run)
    assert set(reasons) == {"d cannot be reached", "d took no part"}
    assert judgement.counts["a", "multicast"] == Count(passed=5, not_run=1)


def test_a_node_whose_probe_broke_is_not_run_with_its_reason(catalogue: Catalogue, healthy: Observed) -> None:
    hosts = healthy.hosts | {"b": HostWord("failed", "no iproute2")}
    judgement, findings = settle(catalogue, replace(healthy, hosts=hosts))
    assert [(one.host, one.outcome, one.what) for one in findings] == [
        ("b", Outcome.WARNING, "b could not be asked: no iproute2")
    ]
    assert any(one.host == "b" and one.reason == "b: no iproute2" for one in judgement.not_run)


def test_a_machine_that_only_ssh_does_not_reach_is_named_too(catalogue: Catalogue, healthy: Observed) -> None:
    hosts = healthy.hosts | {"b": HostWord("unreachable", "Permission denied")}
    _, findings = settle(catalogue, replace(healthy, hosts=hosts))
    assert [(one.host, one.outcome, one.explains) for one in findings] == [("b", Outcome.WARNING, 0)]


def test_swapped_cables_are_one_finding_with_both_moves(
    catalogue: Catalogue, healthy: Observed, places: Places, tables: Tables
) -> None:
    for nic, now in ((("a", "fnn1"), "blue"), (("c", "fnn1"), "green")):
        mac = places.by_nic[nic].mac
        tables |= {name: table | {mac: "" if name == now else "white"} for name, table in tables.items()}
        tables["white"][mac] = now
    _, findings = settle(catalogue, replace(healthy, switches=replace(healthy.switches, tables=tables)))
    assert [(one.host, one.nic, one.switch, one.colour) for one in findings] == [("a", "fnn1", "green", "#2e7d32")]
    assert findings[0].do == ("move the cable of a fnn1 from blue to green, and that of c fnn1 from green to blue")


def test_a_frame_between_two_nodes_on_the_uplink_fails_their_pair(
    catalogue: Catalogue, healthy: Observed, places: Places
) -> None:
    pair = places.by_nic["a", "fnn0"].mac, places.by_nic["b", "fnn0"].mac
    ssh = places.by_nic["head", "fnn0"].mac, places.by_nic["a", "fnn0"].mac
    switches = replace(healthy.switches, crossed={pair: 3, ssh: 500})
    judgement, findings = settle(catalogue, replace(healthy, switches=switches))
    assert [(one.check.host, one.check.key) for one in judgement.verdicts] == [("a", "b red")]
    assert judgement.strays == 3
    assert "3 frames to b crossed the uplink switch" in findings[0].what


def test_a_count_with_gaps_proves_nothing(catalogue: Catalogue, healthy: Observed) -> None:
    judgement, _ = settle(catalogue, replace(healthy, switches=replace(healthy.switches, lost=7)))
    assert judgement.counts["a", "one-switch"].not_run == judgement.counts["a", "one-switch"].total > 0
    assert judgement.counts["a", "cable"].passed == 2


def test_an_uplink_cable_that_is_not_plugged_is_seen(
    catalogue: Catalogue, healthy: Observed, places: Places, tables: Tables
) -> None:
    tables["white"] = {mac: where for mac, where in tables["white"].items() if where != "red"}
    _, findings = settle(catalogue, replace(healthy, switches=replace(healthy.switches, tables=tables)))
    assert {one.switch for one in findings} == {"red"}
    assert all("the uplink switch has not learnt it" in one.what for one in findings)


def test_a_switch_without_power_is_one_finding(catalogue: Catalogue, healthy: Observed, places: Places) -> None:
    hosts = dict(healthy.hosts)
    for place in places.by_mac.values():
        if place.switch == "blue":
            hosts[place.host] = replace(hosts[place.host], deviations={"nic": {f"{place.nic} carrier": "down"}})
    _, findings = settle(catalogue, replace(healthy, hosts=hosts))
    assert [(one.host, one.switch) for one in findings] == [("", "blue")]
    assert findings[0].do == "check the power of switch blue"


def test_a_nic_with_carrier_that_passes_nothing_is_told_from_single_pairs(
    catalogue: Catalogue, healthy: Observed
) -> None:
    hosts = dict(healthy.hosts)
    for host in "abd":
        echoes = [check for check in catalogue.checks(host) if check.kind == "echo" and check.switch == "red"]
        silent = {check.key: "no reply" for check in echoes if check.peer == "c"}
        hosts[host] = replace(hosts[host], deviations={"echo": silent})
    _, findings = settle(catalogue, replace(healthy, hosts=hosts))
    assert [(one.host, one.nic, one.switch) for one in findings] == [("c", "fnn0", "red")]
    assert "has a carrier, but nothing passes" in findings[0].what


def test_arp_is_laid_at_the_door_of_who_sent_it(catalogue: Catalogue, healthy: Observed, places: Places) -> None:
    mac = places.by_nic["b", "fnn1"].mac
    heard = ("fnn0", "seen", "request", mac, "10.80.1.2", "10.80.1.9", 3)
    hosts = {host: replace(word, arp=(heard,)) for host, word in healthy.hosts.items() if host != "b"}
    judgement, findings = settle(catalogue, replace(healthy, hosts=healthy.hosts | hosts))
    assert [(one.check.host, one.check.nic) for one in judgement.verdicts] == [("b", "fnn1")]
    assert "3 ARP frames: 3 x request for 10.80.1.9" in findings[0].what


def test_a_stranger_that_asks_is_a_warning(catalogue: Catalogue, spoil: Spoil) -> None:
    heard = ("fnn0", "seen", "request", "02:de:ad:be:ef:00", "10.78.0.99", "10.78.0.1", 1)
    judgement, findings = settle(catalogue, spoil("a", arp=(heard,)))
    assert totals(judgement) == Count(passed=808, warned=1)
    assert findings[0].outcome is Outcome.WARNING
    assert "02:de:ad:be:ef:00" in findings[0].what


def test_many_repeats_on_a_nic_are_a_warning_few_are_not(catalogue: Catalogue, spoil: Spoil) -> None:
    judgement, findings = settle(catalogue, spoil("a", echoes={"fnn0": (20, 3), "fnn1": (40, 3)}))
    assert totals(judgement) == Count(passed=807, warned=1)
    assert (findings[0].nic, findings[0].outcome) == ("fnn0", Outcome.WARNING)


def test_a_job_that_fails_is_a_finding_of_the_cluster(catalogue: Catalogue, healthy: Observed) -> None:
    job = JobWord(True, "", "mpirun ended with 1", 6, 3.0)
    _, findings = settle(catalogue, replace(healthy, job=job))
    assert [(one.host, one.what) for one in findings] == [("", "MPI: alltoall: mpirun ended with 1")]


def test_without_the_words_of_switches_and_job_their_checks_are_not_run(
    catalogue: Catalogue, healthy: Observed
) -> None:
    silent = replace(healthy, switches=SwitchWord(reason="no switch evidence"), job=JobWord(reason="left out"))
    judgement, findings = settle(catalogue, silent)
    assert findings == ()
    assert {one.kind for one in judgement.not_run} == {"cable", "one-switch", "mpi"}
    assert totals(judgement).failed == 0
