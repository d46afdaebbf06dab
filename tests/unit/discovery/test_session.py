# SPDX-License-Identifier: Apache-2.0
"""Who a MAC belongs to, told as stories on the wire: each oddity that a real power-on brings."""

from __future__ import annotations

import tracemalloc

import pytest

from flathood.discovery import session as session_module
from flathood.discovery.decide import Finding, Outcome
from flathood.discovery.journal import parse_line
from flathood.discovery.replay import Replayed
from flathood.discovery.session import Session
from flathood.discovery.work import Work
from flathood.registry.model import Nic, Registry, State, macs_of

from .conftest import LEASE, Wire, cluster, mac, registry, wiring

A = tuple(mac("a", slot) for slot in range(4))
B = tuple(mac("b", slot) for slot in range(4))
STRANGER = "02:66:66:66:66:66"


def last(done: Replayed) -> Finding:
    return done.findings[-1]


def text(done: Replayed) -> str:
    return "\n".join(last(done).sentences)


def states(done: Replayed, node: str) -> list[str | None]:
    return [nic.state.value if nic else None for nic in done.registry.nodes.get(node, ())]


def test_what_comes_up_with_a_machine_is_its_own(wire: Wire) -> None:
    done = wire.turn("a", *A).turn("b", *B).replay()
    assert [finding.outcome for finding in done.findings] == [Outcome.COMPLETE, Outcome.COMPLETE]
    assert (macs_of(done.registry, "a"), macs_of(done.registry, "b")) == (A, B)
    # The order heard is no proof of the slots.
    assert states(done, "a") == ["seen"] * 4


def test_a_slot_without_a_cable_is_not_waited_for(wire: Wire) -> None:
    done = wire.turn("d", mac("d", 0), mac("d", 2), mac("d", 3)).replay()
    assert last(done).outcome is Outcome.COMPLETE
    assert macs_of(done.registry, "d") == (mac("d", 0), None, mac("d", 2), mac("d", 3))


def test_the_kernels_own_order_proves_the_slots(wire: Wire) -> None:
    done = wire.open("a").lease(*reversed(A)).told(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A
    assert states(done, "a") == ["verified"] * 4


def test_a_client_that_says_its_slot_is_believed(wire: Wire) -> None:
    wire.open("a")
    for slot in (2, 0, 3, 1):
        wire.say("add", mac=A[slot], ip="198.18.1.1", expires=int(wire.now) + LEASE, vendor=f"flathood:slot:{slot}")
    done = wire.close("a").replay()
    assert macs_of(done.registry, "a") == A
    assert states(done, "a") == ["verified"] * 4


def test_clients_that_claim_one_slot_are_not_believed(wire: Wire) -> None:
    wire.open("a").lease(A[0], A[1])
    for each in A[2:]:
        wire.say("add", mac=each, ip="198.18.1.1", expires=int(wire.now) + LEASE, user="flathood:slot:2")
    done = wire.close("a").replay()
    assert done.registry.nodes == {}
    assert "contradict" in text(done)


def test_a_nic_that_never_shows_is_named_by_its_slot_when_the_kernel_tells_it(wire: Wire) -> None:
    done = wire.open("a").lease(A[0], A[1], A[3]).told(*A).close("a").replay()
    assert last(done).outcome is Outcome.INCOMPLETE
    assert "slot 2 (s2) is in the machine and did not ask" in text(done)
    assert macs_of(done.registry, "a") == A


def test_a_nic_that_never_shows_is_named_by_its_slot_when_a_list_has_it(wire: Wire) -> None:
    wire.registry = registry()
    done = wire.turn("a", A[3], A[0], A[1]).replay()
    assert "slot 2 (s2) did not ask" in text(done)
    assert states(done, "a") == ["seen", "seen", "expected", "seen"]


def test_slots_that_cannot_be_told_are_not_guessed_and_not_forgotten(wire: Wire) -> None:
    done = wire.turn("a", A[0], A[1], A[3]).replay()
    assert done.registry.nodes == {}
    assert "which slot cannot be told" in text(done)
    assert set(last(done).loose) == {A[0], A[1], A[3]}
    # The cable is mended: what was heard before is this machine's, also when it is heard only when a renewal is due.
    wire.wait(60).open("a").lease(A[0], A[1], A[2], A[3], event="old").close("a")
    assert last(wire.replay()).outcome is Outcome.COMPLETE


def test_what_one_machine_had_without_slots_is_not_taken_for_the_next(wire: Wire) -> None:
    done = wire.turn("a", *A[:3]).wait(10).turn("b", *B[:3], A[2]).replay()
    assert set(last(done).loose) == set(B[:3])


def test_two_machines_at_once_prove_nothing(wire: Wire) -> None:
    done = wire.turn("a", A[0], B[0], A[1], B[1], A[2], B[2], A[3], B[3]).replay()
    assert last(done).outcome is Outcome.AMBIGUOUS
    assert done.registry.nodes == {}
    assert "8 new MACs were heard where 4 NICs can be" in text(done)


def test_two_machines_at_once_that_tell_of_themselves_prove_nothing_either(wire: Wire) -> None:
    done = wire.open("a").lease(*A, *B).told(*A).told(*B).close("a").replay()
    assert last(done).outcome is Outcome.AMBIGUOUS
    assert done.registry.nodes == {}


def test_a_second_machine_with_few_nics_is_seen_by_what_it_tells(wire: Wire) -> None:
    done = wire.open("a").lease(A[0], A[1], B[0], B[1]).told(*A).told(*B).close("a").replay()
    assert last(done).outcome is Outcome.AMBIGUOUS


def test_a_strange_machine_on_the_wire_before_stays_out(wire: Wire) -> None:
    wire.lease(STRANGER).wait(58).open("a").lease(*A).wait(2).lease(STRANGER, event="old").close("a")
    done = wire.replay()
    assert macs_of(done.registry, "a") == A


def test_a_strange_machine_in_the_window_voids_it_and_the_next_turn_tells_them_apart(wire: Wire) -> None:
    wire.open("a").lease(*A[:2], STRANGER, *A[2:])
    unclear = Wire(lines=[*wire.lines], now=wire.now).close("a").replay()
    assert last(unclear).outcome is Outcome.AMBIGUOUS
    assert unclear.registry.nodes == {}
    # The one that tells of its NICs may be the stranger: a machine that was powered by mistake and was quicker.
    wire.told(*A).close("a")
    told = wire.replay()
    assert last(told).outcome is Outcome.AMBIGUOUS
    assert told.registry.nodes == {}
    assert last(told).strangers == (*A[:2], STRANGER, *A[2:])
    assert STRANGER in text(told)
    done = wire.wait(9).open("a").lease(*A).told(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_a_strange_machine_is_no_matter_when_the_other_tells_nics_that_the_list_has_here(wire: Wire) -> None:
    wire.registry = registry()
    done = wire.open("a").lease(*A[:3], STRANGER).told(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A
    assert last(done).strangers == (STRANGER,)
    assert "slot 3 (s3)" in text(done)


def test_a_machine_that_boots_twice_is_heard_once(wire: Wire) -> None:
    done = wire.open("a").lease(A[0]).wait(9).lease(*A, event="old").wait(9).lease(*A, event="old").close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_a_machine_that_boots_again_in_anothers_turn_changes_nothing(wire: Wire) -> None:
    done = wire.turn("a", *A).wait(5).open("b").lease(*A, event="old").lease(*B[:3]).close("b").replay()
    assert set(last(done).loose) == set(B[:3])
    assert last(done).disputed == ()
    assert states(done, "a") == ["seen"] * 4


def test_one_mac_of_another_machine_in_place_of_a_missing_one_is_a_conflict(wire: Wire) -> None:
    done = wire.turn("a", *A).wait(5).open("b").lease(A[1], event="old").lease(*B[:3]).close("b").replay()
    assert last(done).disputed == (A[1],)
    assert states(done, "a") == ["seen", "conflicting", "seen", "seen"]
    assert "two NICs have one MAC, or it was moved" in text(done)


def test_a_renewal_that_is_due_is_no_conflict(wire: Wire) -> None:
    done = wire.turn("a", *A).wait(55).open("b").lease(A[1], event="old").lease(*B[:3]).close("b").replay()
    assert last(done).disputed == ()


def test_a_renewal_counts_from_when_the_client_first_asked(wire: Wire) -> None:
    """The server's first answers were lost: its lease is 13 seconds younger than the client takes it to be."""
    wire.lease(STRANGER).wait(4).lease(STRANGER, event="old").wait(9).lease(STRANGER, event="old")
    done = wire.open("a").lease(*A[:3]).wait(45).lease(STRANGER, event="old").close("a").replay()
    assert STRANGER not in (*macs_of(done.registry, "a"), *last(done).loose)


def test_a_twin_that_the_kernel_tells_is_a_conflict_and_its_slot_stays_open(wire: Wire) -> None:
    wire.turn("a", *A).wait(5).open("b").lease(*B[:2], B[3]).told(B[0], B[1], A[1], B[3]).close("b")
    done = wire.replay()
    assert macs_of(done.registry, "b") == (B[0], B[1], None, B[3])
    assert states(done, "a")[1] == "conflicting"
    assert "did not ask" not in text(done)


def test_a_mac_that_a_list_has_elsewhere_is_for_a_person_to_decide(wire: Wire) -> None:
    wire.registry = registry()
    done = wire.turn("a", *B).replay()
    assert states(done, "b") == ["conflicting"] * 4
    assert states(done, "a") == ["expected"] * 4
    assert "was the right machine powered?" in text(done)


def test_a_list_is_confirmed_in_its_own_slots_whatever_the_order(wire: Wire) -> None:
    wire.registry = registry()
    done = wire.turn("a", *reversed(A)).replay()
    assert macs_of(done.registry, "a") == A
    assert states(done, "a") == ["seen"] * 4


def test_a_list_with_wrong_slots_gives_way_to_the_kernel(wire: Wire) -> None:
    swapped = (A[1], A[0], A[2], A[3])
    wire.registry = Registry(cluster="c", nodes={"a": tuple(Nic(mac=each) for each in swapped)})
    done = wire.open("a").lease(*A).told(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A
    assert "macs.yml had" in text(done)


def test_an_exchanged_nic_is_taken_only_with_proof(wire: Wire) -> None:
    new = "02:00:00:00:61:99"
    wire.registry = registry(State.VERIFIED, without=("b",))
    unproved = Wire(registry=wire.registry, lines=[*wire.lines]).turn("a", *A[:3], new).replay()
    assert macs_of(unproved.registry, "a") == A
    assert states(unproved, "a")[3] == "conflicting"
    done = wire.open("a").lease(*A[:3], new).told(*A[:3], new).close("a").replay()
    assert macs_of(done.registry, "a") == (*A[:3], new)
    assert states(done, "a") == ["verified"] * 4


def test_a_machine_that_was_on_already_is_not_taken_until_its_leases_have_ended(wire: Wire) -> None:
    wire.lease(*A).wait(58).open("a").lease(*A, event="old").close("a")
    assert last(wire.replay()).outcome is Outcome.SILENT
    assert "if it was on already" in text(wire.replay())
    done = wire.wait(LEASE).end(*A).turn("a", *A).replay()
    assert macs_of(done.registry, "a") == A


def test_a_machine_that_was_on_already_is_taken_when_it_boots_at_once(wire: Wire) -> None:
    done = wire.lease(*A).wait(10).open("a").wait(10).lease(*A, event="old").close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_silence_is_said(wire: Wire) -> None:
    done = wire.open("a").wait(300).close("a").replay()
    assert last(done).outcome is Outcome.SILENT
    assert "check its power" in text(done)
    assert done.registry.nodes == {}


def test_dnsmasq_that_was_killed_and_tells_all_leases_again_adds_and_loses_nothing(wire: Wire) -> None:
    wire.lease(STRANGER)
    born = wire.now
    wire.wait(5).open("a").lease(A[0], A[1])
    early = wire.now
    # One of these was given while the hook did not run: only the lease itself tells when.
    wire.wait(20).lease(STRANGER, event="old", granted=born).lease(A[0], A[1], A[2], event="old", granted=early)
    done = wire.lease(A[3]).close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_a_turn_that_was_broken_off_goes_on_where_it_stopped(wire: Wire) -> None:
    done = wire.open("a").lease(A[0], A[1]).wait(30).open("a").lease(A[2], A[3]).close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_a_turn_that_was_given_up_leaves_its_macs_to_nobody(wire: Wire) -> None:
    done = (
        wire.open("a").lease(A[0], A[1]).wait(60).open("b").lease(A[0], A[1], event="old").lease(*B).close("b").replay()
    )
    assert macs_of(done.registry, "b") == B


def test_a_name_that_moves_from_nic_to_nic_is_no_event(wire: Wire) -> None:
    wire.lease(STRANGER)
    born = wire.now
    done = wire.wait(5).open("a").lease(*A[:3]).lease(STRANGER, event="old", granted=born).close("a").replay()
    assert STRANGER not in last(done).loose


def test_a_flood_takes_bounded_memory_and_no_place(wire: Wire) -> None:
    wire.open("a").lease(*A[:2])
    wire.lease(*(f"02:99:00:00:{number >> 8:02x}:{number & 255:02x}" for number in range(10_000)))
    done = wire.lease(*A[2:]).close("a").replay()
    assert done.registry.nodes == {}
    assert last(done).outcome is Outcome.AMBIGUOUS
    assert "flood" in text(done)


def test_memory_has_an_end_and_what_it_lost_is_not_taken_for_new(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_module, "MAX_REMEMBERED", 200)
    known = [f"02:77:00:00:{number >> 8:02x}:{number & 255:02x}" for number in range(300)]
    wire.lease(*known).wait(60).open("a").lease(*known[:4], event="old").close("a")
    done = wire.replay()
    assert done.session.remembered == 200
    assert done.registry.nodes == {}


def test_memory_of_a_burst_is_small() -> None:
    session = Session(Work.of(cluster(), wiring(), Registry(cluster="c")))
    tracemalloc.start()
    wire = Wire()
    for number in range(40_000):
        wire.lease(f"02:88:00:{number >> 16:02x}:{number >> 8 & 255:02x}:{number & 255:02x}")
        session.feed(parse_line(wire.lines.pop()))
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert used < 20_000_000
    assert session.remembered == session_module.MAX_REMEMBERED


def test_a_lease_from_before_that_is_told_for_the_first_time_stays_out(wire: Wire) -> None:
    """As when the journal began anew, and dnsmasq told all its leases."""
    born = wire.now
    done = wire.wait(50).open("a").lease(STRANGER, event="old", granted=born).lease(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_a_lease_from_just_before_that_is_told_again_stays_out(wire: Wire) -> None:
    wire.lease(STRANGER)
    born = wire.now
    done = wire.open("a").lease(STRANGER, event="old", granted=born).lease(*A).close("a").replay()
    assert macs_of(done.registry, "a") == A


def test_what_a_list_expects_is_not_seen_by_a_renewal_that_is_due(wire: Wire) -> None:
    wire.registry = registry()
    done = wire.lease(*A).wait(58).open("a").lease(*A, event="old").close("a").replay()
    assert last(done).outcome is Outcome.SILENT
    assert states(done, "a") == ["expected"] * 4
