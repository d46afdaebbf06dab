# SPDX-License-Identifier: Apache-2.0
"""The shipped catalogue: an example that is right, dated, and of which every switch can be used.

What is wrong in a catalogue is told by tests/corpus/catalogue.
"""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path

import jsonschema
import pytest
import yaml

from flathood.catalogue import EXAMPLE, load_catalogue
from flathood.schemas import schema_text

ROOT = Path(__file__).parents[2]


def _valid(data) -> bool:
    return jsonschema.Draft202012Validator(json.loads(schema_text("catalogue"))).is_valid(data)


def test_example_is_dated_and_says_that_it_is_one():
    catalogue = load_catalogue()
    assert catalogue.date == date(2026, 11, 21)
    assert catalogue.currency == "USD"
    head = EXAMPLE.read_text().split("currency:")[0]
    assert "An example to begin with" in head
    assert "no offers and no vendor's figures" in head


def test_example_has_parts_of_several_rates():
    catalogue = load_catalogue()
    assert {switch.rate for switch in catalogue.switches} >= {10**9, 2_500_000_000, 10**10, 25 * 10**9, 10**11}
    onboard = next(nic for nic in catalogue.nics if nic.slots == 0)
    assert (onboard.price, onboard.most) == (0, 1)


def test_example_is_found_by_editors_and_accepted_by_the_schema():
    mark, _, schema = EXAMPLE.read_text().splitlines()[0].partition("$schema=")
    assert mark == "# yaml-language-server: "
    assert (EXAMPLE.parent / schema).resolve() == ROOT / "schemas" / "catalogue.schema.json"
    assert _valid(yaml.safe_load(EXAMPLE.read_text()))


@pytest.mark.parametrize(
    ("old", "new"), [("price: 15,", "price: -15,"), ("plug: rj45", "plug: rj-45"), ("USD", "usd"), ("ports: 5,", "")]
)
def test_schema_refuses_what_is_wrong(old, new):
    assert not _valid(yaml.safe_load(EXAMPLE.read_text().replace(old, new)))
