# SPDX-License-Identifier: Apache-2.0
"""Mutation testing of the offline proof: whatever single line of the compiled files changes, it is found."""

from __future__ import annotations

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from flathood.plan import Options
from flathood.plan.bundle import machine_files, machines
from flathood.plan.proof import prove
from tests.plans import HEXA, InMemory, compiled, plan_of

PLAN = plan_of((*HEXA, (None, "green", "blue")), spares=1)
FILES = compiled(PLAN, Options())


def meaningful(line: bytes) -> bool:
    """Lines that are neither empty nor comments."""
    return bool(line) and not line.startswith(b"#")


#: Every meaningful line: machine, path, place in the file.
LINES = [
    (host, path, place)
    for host in machines(PLAN)
    for path, data in FILES[host].items()
    for place, line in enumerate(data.split(b"\n"))
    if meaningful(line)
]


def failures(host: str, path: str, lines: list[bytes]) -> int:
    files = FILES | {host: FILES[host] | {path: b"\n".join(lines)}}
    return len(prove(PLAN.cluster, PLAN.wiring, PLAN.registry, InMemory(files), Options()).failures)


@given(st.sampled_from(LINES))
@settings(max_examples=150, deadline=None)
def test_a_line_that_is_left_out_is_missed(where: tuple[str, str, int]) -> None:
    host, path, place = where
    lines = FILES[host][path].split(b"\n")
    del lines[place]
    assert failures(host, path, lines)


@given(st.sampled_from(LINES), st.data())
@settings(max_examples=150, deadline=None)
def test_a_digit_or_letter_that_is_another_is_seen(where: tuple[str, str, int], data: st.DataObject) -> None:
    host, path, place = where
    lines = FILES[host][path].split(b"\n")
    line = lines[place]
    at = data.draw(st.integers(0, len(line) - 1))
    byte = data.draw(st.sampled_from(b"0123456789abcdefxyz./=-: "))
    assume(byte != line[at])
    lines[place] = line[:at] + bytes([byte]) + line[at + 1 :]
    assume(meaningful(lines[place]))
    assert failures(host, path, lines)


@given(st.sampled_from(LINES), st.sampled_from(LINES))
@settings(max_examples=150, deadline=None)
def test_a_line_from_elsewhere_in_place_of_another_is_seen(
    one: tuple[str, str, int], two: tuple[str, str, int]
) -> None:
    host, path, place = one
    lines = FILES[host][path].split(b"\n")
    other = FILES[two[0]][two[1]].split(b"\n")[two[2]]
    assume(other != lines[place])
    lines[place] = other
    assert failures(host, path, lines)


@given(st.sampled_from(LINES))
@settings(max_examples=100, deadline=None)
def test_a_line_that_is_there_twice_is_seen(where: tuple[str, str, int]) -> None:
    host, path, place = where
    lines = FILES[host][path].split(b"\n")
    assume(not lines[place].startswith(b"["))  # an empty section more means nothing
    lines.insert(place, lines[place])
    assert failures(host, path, lines)


def test_the_unbroken_files_are_proved() -> None:
    report = prove(PLAN.cluster, PLAN.wiring, PLAN.registry, InMemory(FILES), Options())
    assert report.failures == []
    assert {file.path for file in machine_files(PLAN, "n0", Options())} == set(FILES["n0"])
