# SPDX-License-Identifier: Apache-2.0
"""How long one machine is waited for, and what is taken of a journal that is still being written."""

from __future__ import annotations

from flathood.discovery.session import Session
from flathood.discovery.watch import Watch
from flathood.discovery.work import Work
from flathood.registry.model import Registry

from .conftest import Wire, cluster, mac, wiring


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def begin(timeout: float = 60, settle: float = 3) -> tuple[Watch, Wire, Clock]:
    clock = Clock()
    watch = Watch(Session(Work.of(cluster(), wiring(), Registry(cluster="c"))), timeout, settle, clock)
    wire = Wire()
    watch.feed("\n".join(wire.open("a").lines) + "\n")
    wire.lines.clear()
    return watch, wire, clock


def feed(watch: Watch, wire: Wire) -> None:
    watch.feed("".join(f"{line}\n" for line in wire.lines))
    wire.lines.clear()


def test_it_is_done_when_all_were_heard_and_it_has_settled() -> None:
    watch, wire, clock = begin()
    feed(watch, wire.lease(*(mac("a", slot) for slot in range(3))))
    clock.now += 50
    assert (watch.heard, watch.done) == (3, False)
    feed(watch, wire.lease(mac("a", 3)))
    clock.now += 2
    assert not watch.done
    clock.now += 1
    assert watch.done
    assert [each["mac"] for each in watch.to_ask] == [mac("a", slot) for slot in range(4)]


def test_one_more_mac_begins_the_settling_anew() -> None:
    watch, wire, clock = begin()
    feed(watch, wire.lease(*(mac("a", slot) for slot in range(4))))
    clock.now += 2.9
    feed(watch, wire.lease("02:66:66:66:66:66"))
    clock.now += 2.9
    assert not watch.done


def test_the_time_has_an_end() -> None:
    watch, wire, clock = begin(timeout=60)
    feed(watch, wire.lease(mac("a", 0)))
    clock.now += 60
    assert (watch.left, watch.done) == (0, True)


def test_a_line_is_taken_when_it_is_whole() -> None:
    watch, wire, _ = begin()
    line = wire.lease(mac("a", 0)).lines[0]
    watch.feed(line[:40])
    assert (watch.heard, watch.unfinished) == (0, 40)
    watch.feed(line[40:] + "\n")
    assert (watch.heard, watch.unfinished, watch.session.unreadable) == (1, 0, 0)


def test_a_line_without_end_is_not_kept_for_ever() -> None:
    watch, wire, _ = begin()
    for _ in range(100):
        watch.feed("x" * 10_000)
    assert watch.unfinished < 10_000
    watch.feed("\n")
    feed(watch, wire.lease(mac("a", 0)))
    assert watch.heard == 1


def test_a_flood_ends_the_wait_and_nobody_is_asked() -> None:
    watch, wire, _ = begin()
    feed(watch, wire.lease(*(f"02:77:00:00:00:{number:02x}" for number in range(100))))
    assert watch.done
    assert watch.to_ask == []
