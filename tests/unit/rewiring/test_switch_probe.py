# SPDX-License-Identifier: Apache-2.0
"""Finding out which switch a cable is in, on switches that learn and flood as IEEE 802.1Q has it."""

from __future__ import annotations

import pytest

from flathood.cabling.picture import Nic
from flathood.plan import Plan, make_plan
from flathood.rewiring.batches import Batch, applied, batches
from flathood.rewiring.probe import Question, question
from flathood.rewiring.stages import stage
from tests.plans import HEXA, plan_of

UPLINK = "(uplink)"
HEAD = "02:00:ff:00:00:00"


class Network:
    """Switches joined by the uplink switch; each learns by source address, and floods what it has not learnt."""

    def __init__(self, cables: dict[str, str]) -> None:
        self.cables = cables  # MAC → switch; one that is missing has no carrier
        self.learnt: dict[str, dict[str, str]] = {}

    def send(self, source_nic: str, source: str, target: str) -> set[str]:
        """The NICs that a frame comes to."""
        return self._arrive(self.cables[source_nic], source_nic, source, target) - {source_nic}

    def _arrive(self, switch: str, port: str, source: str, target: str) -> set[str]:
        table = self.learnt.setdefault(switch, {})
        table[source] = port
        way = table.get(target)
        if way == port:
            return set()
        if way is not None:
            return self._leave(switch, way, source, target)
        here = {mac for mac, at in self.cables.items() if at == switch}
        others = {at for at in self.cables.values() if at not in {switch, UPLINK}} if switch == UPLINK else {UPLINK}
        return set().union(
            *(self._leave(switch, one, source, target) for one in (here | others) - {port, switch}), set()
        )

    def _leave(self, switch: str, port: str, source: str, target: str) -> set[str]:
        if port == UPLINK or (switch == UPLINK and port not in self.cables):
            return self._arrive(port, switch, source, target)
        return {port}


def ask(asked: Question, cables: dict[str, str]) -> list[str]:
    """Do what the machines do, and judge it."""
    network = Network({**cables, HEAD: UPLINK})
    ears = {mac for macs in asked.listeners.values() for mac in macs}
    spoken, called = set(), set()
    for mac in (*ears, *asked.macs.values()):
        if mac in cables:
            network.send(mac, mac, "ff:ff:ff:ff:ff:ff")
    for nic, frames in asked.frames.items():
        for source, target in frames.values():
            if asked.macs[nic] in cables and network.send(asked.macs[nic], source, target) & ears:
                spoken.add(source)
    for address in asked.addresses:
        if network.send(HEAD, HEAD, address) & ears:
            called.add(address)
    carriers: dict[str, dict[str, bool]] = {}
    for nic, mac in asked.macs.items():
        carriers.setdefault(nic.machine, {})[mac] = mac in cables
    return asked.judge(carriers, {"spoken": sorted(spoken), "called": sorted(called)})


@pytest.fixture
def case() -> tuple[Plan, Batch, dict[str, str]]:
    """hexa, the first batch of a rewiring of it, and where each MAC is when that batch is made."""
    full = plan_of(HEXA)
    after = {**full.wiring.nodes, "n0": ("blue", "green"), "n4": ("green", "red")}
    found = batches(full.cluster, full.wiring.nodes, after)
    plan = make_plan(full.cluster, stage(full.wiring, (), found[0], "white"), full.registry)
    rows = applied(full.wiring.nodes, found[0])
    cables = {full.mac(name, slot): at for name, row in rows.items() for slot, at in enumerate(row) if at}
    return plan, found[0], cables


def test_plugs_that_are_right_are_found_right(case: tuple[Plan, Batch, dict[str, str]]) -> None:
    plan, batch, cables = case
    assert ask(question(plan, batch.places(), "run"), cables) == []


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("other", "its cable is in {wrong}: put it into {right}"),
        (UPLINK, "its cable is in the uplink switch, or in one that is not known here: put it into {right}"),
        (None, "has no carrier: put its cable into {right}, or try another cable"),
    ],
)
def test_a_plug_that_is_wrong_is_told_with_its_place(
    case: tuple[Plan, Batch, dict[str, str]], where: str | None, said: str
) -> None:
    plan, batch, cables = case
    asked = question(plan, batch.places(), "run")
    for nic, right in batch.places().items():
        assert right is not None
        slip = dict(cables)
        wrong = next(name for name in plan.switches if name != right)
        del slip[asked.macs[nic]]
        if where is not None:
            slip[asked.macs[nic]] = wrong if where == "other" else where
        assert ask(asked, slip) == [f"{nic.machine} {nic.device}: {said.format(wrong=wrong, right=right)}"]


def test_a_plug_that_is_to_be_pulled_and_a_nic_that_is_gone_are_told(case: tuple[Plan, Batch, dict[str, str]]) -> None:
    plan, batch, cables = case
    nic = batch.nics[0]
    asked = question(plan, {**batch.places(), nic: None}, "run")
    assert ask(asked, cables) == [f"{nic.machine} {nic.device}: has a carrier: pull its cable"]
    silent = asked.judge({}, {"spoken": [], "called": []})
    assert all("the machine does not show this NIC" in line for line in silent)
    assert len(silent) == len(batch.nics)


def test_listeners_are_few_in_every_neighborhood_and_not_where_cables_are_moved(
    case: tuple[Plan, Batch, dict[str, str]],
) -> None:
    plan, batch, _ = case
    asked = question(plan, batch.places(), "run")
    assert len(asked.listeners) <= 3
    assert not {nic.machine for nic in batch.nics} & asked.listeners.keys()
    assert all(set(frames) == set(plan.switches) for frames in asked.frames.values())
    other = question(plan, {Nic("n0", 0): "blue"}, "next run")
    assert not set(asked.addresses) & set(other.addresses)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (UPLINK, []),
        ("red", ["n0 fnn0: its cable is in red: put it into white"]),
        (None, ["n0 fnn0: has no carrier: put its cable into white, or try another cable"]),
    ],
)
def test_a_cable_that_belongs_into_the_uplink_switch_is_found_there(where: str | None, said: list[str]) -> None:
    plan = plan_of(HEXA)
    asked = question(plan, {Nic("n0", 0): "white", Nic("n0", 1): None}, "run")
    rows = {name: row for name, row in plan.wiring.nodes.items() if name != "n0"}
    cables = {plan.mac(name, slot): at for name, row in rows.items() for slot, at in enumerate(row) if at}
    if where is not None:
        cables[plan.mac("n0", 0)] = where
    assert ask(asked, cables) == said


def test_machines_that_are_down_are_not_asked() -> None:
    plan = plan_of(HEXA)
    asked = question(plan, {Nic("n0", 0): "red"}, "run", among=["n0", "n3", "n5"])
    assert set(asked.listeners) <= {"n0", "n3", "n5"}
    assert set(asked.frames[Nic("n0", 0)]) == {"red", "blue", "green"}
