# SPDX-License-Identifier: Apache-2.0
"""The trials of the live audit: all kinds of faults, and a verdict that hides nothing. The lab itself is not needed."""

from __future__ import annotations

from flathood.bench.audit_live import FAULTS, FINE, KINDS, TRIALS, first_kind, trials, verdict
from flathood.bench.miswired import KINDS as ALL_KINDS


def test_trials_one_after_another_begin_with_every_kind_and_have_all_numbers_of_faults():
    planned = trials(FAULTS, TRIALS, 5)
    assert {first_kind(seed) for _, seed in planned} == set(KINDS)
    assert {count for count, _ in planned} == set(FAULTS)
    assert len({seed for _, seed in planned}) == TRIALS


def test_only_machines_that_no_file_knows_are_not_tried_in_the_lab():
    assert set(ALL_KINDS) - set(KINDS) == {"stranger"}


def test_a_verdict_names_all_that_is_not_as_it_should_be():
    fine = {"missed": [], "invented": [], "left": []}
    assert verdict(fine) == FINE
    assert verdict(fine | {"missed": ["dark"], "invented": ["place"], "left": ["a:0 is not judged"]}) == (
        "missed: dark; invented: place; not as planned afterwards: a:0 is not judged"
    )
