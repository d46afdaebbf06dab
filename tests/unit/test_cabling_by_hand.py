# SPDX-License-Identifier: Apache-2.0
"""People who switch switches off and on: what they are asked, by when, and what comes out if they are too slow."""

from __future__ import annotations

from pathlib import Path

import pytest

from flathood import inventory
from flathood.cabling import collect
from flathood.cabling.collect import ROUND, HandPower, Schedule, conduct

HEXA = Path(__file__).parents[2] / "inventories/hexa"
REACH = 60.0


class Person:
    """Takes so many seconds for each switch, by a clock of its own."""

    def __init__(self, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.seconds, self.asked = 1000.0, seconds, list[tuple[float, str]]()
        monkeypatch.setattr(collect.time, "time", lambda: self.now)
        monkeypatch.setattr(collect.time, "sleep", self.wait)

    def wait(self, seconds: float) -> None:
        self.now += seconds

    def ask(self, text: str) -> None:
        self.asked.append((self.now, text))
        self.now += self.seconds


def audited(person: Person) -> tuple[Schedule, dict[str, object]]:
    schedule = Schedule(person.now + REACH + 6, REACH + 12, delay=1.0)
    loaded = inventory.load(HEXA, need_macs=False)
    return schedule, conduct(loaded, schedule, HandPower(person.ask, REACH), {})


def test_people_are_asked_at_once_and_told_by_when(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(40.0, monkeypatch)
    schedule, noted = audited(person)
    assert not noted["late"]
    when, first = person.asked[0]
    assert schedule.at - when > REACH
    assert "white OFF within 60 s" in first
    assert "white ON again within" in person.asked[1][1]
    assert [text.split()[3] for _, text in person.asked[2:]] == ["red", "red", "green", "green", "blue", "blue"]
    assert not any("within" in text for _, text in person.asked[2:])


def test_the_uplink_is_off_and_on_when_the_machines_send(monkeypatch: pytest.MonkeyPatch) -> None:
    person = Person(40.0, monkeypatch)
    schedule, _ = audited(person)
    off_done, on_done = person.asked[0][0] + person.seconds, person.asked[1][0] + person.seconds
    assert off_done < schedule.at
    assert schedule.at + ROUND < person.asked[1][0]
    assert on_done < schedule.at + ROUND + schedule.pause


@pytest.mark.parametrize("seconds", [70.0, 90.0])
def test_whoever_is_too_slow_is_told_so(seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    _, noted = audited(Person(seconds, monkeypatch))
    assert noted["late"]
