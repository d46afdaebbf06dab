# SPDX-License-Identifier: Apache-2.0
"""Evidence files: what is written is read back, what is broken is told, the shipped schema is the model's."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from flathood import inventory
from flathood.bench.miswired import World
from flathood.cabling.evidence import evidence_schema, load_evidence, save_evidence
from flathood.errors import InvalidInput

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def file(tmp_path):
    base = inventory.load(ROOT / "inventories" / "hexa", need_macs=True)
    path = tmp_path / "evidence.json"
    save_evidence(path, World.of(base, 1).evidence(["carriers", "frames", "tables", "people"]))
    return path


def test_what_is_written_is_read_back_and_fits_the_schema(file):
    evidence = load_evidence(file)
    assert evidence.kinds == ("carriers", "frames", "tables", "people")
    assert not save_evidence(file, evidence)
    jsonschema.Draft202012Validator(json.loads(evidence_schema())).validate(json.loads(file.read_text()))


def test_shipped_schema_is_that_of_the_model():
    shipped = (ROOT / "schemas" / "evidence.schema.json").read_text(encoding="utf-8")
    assert shipped == evidence_schema(), "make it anew: flathood schema --write schemas"


def _with(**keys):
    return lambda data: data | keys


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_with(flathood_evidence=2), "version 2 is not known here"),
        (_with(extra=1), "extra"),
        (_with(cluster="No Name"), "is no host name"),
        (_with(taken={"begin": "2026-03-01T12:00:00", "end": "2026-03-01T12:00:00+00:00"}), "no moment"),
        (_with(taken={"begin": "2026-03-02T12:00:00Z", "end": "2026-03-01T12:00:00Z"}), "ends before it begins"),
        (_with(frames=[{"uplink": False, "heard": [], "by": {"a/eth0": 0}}]), "cut short"),
        (_with(frames=[{"uplink": False, "heard": [["zz/eth0"]], "by": {}}]), "no NIC of any machine"),
        (_with(carriers={"flips": [{"switch": "red", "off": 9, "on": 3}], "changes": []}), "before it went off"),
        (_with(people=[{"node": "a", "slot": -1, "switch": None}]), "slot"),
    ],
)
def test_what_is_wrong_is_told(file, change, message):
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    with pytest.raises(InvalidInput, match=message):
        load_evidence(file)


@pytest.mark.parametrize("text", ["", "[]", "{", '{"a": NaN}', '{"a": 1, "a": 2}', "[" * 100_000])
def test_what_is_no_evidence_at_all_is_refused(file, text):
    file.write_text(text)
    with pytest.raises(InvalidInput):
        load_evidence(file)
