# SPDX-License-Identifier: Apache-2.0
"""The three inventories are the networks of the KLAT2 paper, and the shipped schemas describe them.

Dietz and Mattox, "KLAT2's Flat Neighborhood Network" (2000): sections 2 (six PCs), 3 (KLAT2) and 6 (eight PCs).
"""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import jsonschema
import pytest
import yaml

from flathood.inventory import load
from flathood.registry import Nic, Registry, save_registry
from flathood.schemas import MODELS, schema_text

ROOT = Path(__file__).parents[2]
NAMES = ("hexa", "octet", "klat2")


def _shared(name):
    """How many switches each pair of nodes shares, and the inventory."""
    inventory = load(ROOT / "inventories" / name, need_macs=False)
    sets = {node: {switch for switch in slots if switch} for node, slots in inventory.wiring.nodes.items()}
    return inventory, {(a, b): len(sets[a] & sets[b]) for a, b in combinations(inventory.cluster.node_names, 2)}


def _used(inventory):
    """Ports in use on each neighborhood switch."""
    slots = [switch for switches in inventory.wiring.nodes.values() for switch in switches if switch]
    return {switch: slots.count(switch) for switch in inventory.cluster.switch_names}


def test_hexa_is_the_first_example():
    inventory, _ = _shared("hexa")
    assert [switch.ports for switch in inventory.cluster.switches] == [4, 4, 4]
    assert inventory.wiring.matrix(inventory.cluster).tolist() == [[0, 1], [0, 1], [0, 2], [0, 2], [1, 2], [1, 2]]
    assert set(_used(inventory).values()) == {4}


def test_octet_is_the_second_example():
    inventory, shared = _shared("octet")
    assert inventory.cluster.node_names == tuple("abcdefgh")
    assert [switch.ports for switch in inventory.cluster.switches] == [4] * 6
    assert set(_used(inventory).values()) == {4}
    assert shared["a", "b"] == 3
    assert shared["a", "c"] == 1
    assert min(shared.values()) == 1
    assert 2 * sum(shared.values()) / (8 * 7) == pytest.approx(((4 * 3) * 6) / (8 * 7))


def test_klat2_has_the_hardware_of_the_paper():
    inventory, shared = _shared("klat2")
    cluster = inventory.cluster
    assert (cluster.node_names[0], cluster.node_names[-1], len(cluster.node_names)) == ("k00", "k63", 64)
    assert cluster.spare_names == ("k64", "k65")
    assert sum(cluster.nic_counts.values()) == 264
    assert [switch.ports for switch in cluster.switches] == [31] * 9
    assert cluster.uplink.ports == 32
    assert cluster.links.rate == 100_000_000
    assert min(shared.values()) >= 1
    assert max(_used(inventory).values()) <= 31


@pytest.mark.parametrize("name", list(MODELS))
def test_shipped_schemas_are_those_of_the_models(name):
    shipped = (ROOT / "schemas" / f"{name}.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(name), "make them anew: flathood schema --write schemas"


def _valid(schema, data):
    validator = jsonschema.Draft202012Validator(json.loads(schema_text(schema)))
    return [error.message for error in validator.iter_errors(data)]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["cluster", "wiring"])
def test_schemas_accept_the_inventories(name, kind):
    assert _valid(kind, yaml.safe_load((ROOT / "inventories" / name / f"{kind}.yml").read_text())) == []


def test_schema_accepts_a_saved_registry(tmp_path):
    path = tmp_path / "macs.yml"
    save_registry(path, Registry(cluster="hexa", nodes={"a": (Nic(mac="02:00:5e:10:00:01"), None)}))
    assert _valid("macs", yaml.safe_load(path.read_text())) == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (
            "cluster",
            {"cluster": "x", "nodes": {"count": 2}, "switches": [{"name": "r", "colour": "#00000g", "ports": 1}]},
        ),
        ("cluster", {"cluster": "x", "nodes": {"nics": 2}, "switches": []}),
        ("wiring", {"cluster": "x", "nodes": {"no host name": ["red"]}}),
        ("wiring", {"cluster": "x", "nodes": {"a": "red"}}),
        ("macs", {"cluster": "x", "nodes": {"a": [{"mac": "02:00"}]}}),
    ],
)
def test_schemas_refuse_what_is_wrong(kind, data):
    assert _valid(kind, data)


@pytest.mark.parametrize("name", NAMES)
def test_editors_find_the_schemas(name):
    for path in (ROOT / "inventories" / name).glob("*.yml"):
        mark, _, schema = path.read_text().splitlines()[0].partition("$schema=")
        assert mark == "# yaml-language-server: "
        assert (path.parent / schema).resolve() == ROOT / "schemas" / f"{path.stem}.schema.json"


def test_every_key_is_in_the_reference():
    reference = "".join((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("files.md", "options.md"))
    definitions = [json.loads(schema_text(name)) for name in MODELS]
    keys = {
        key
        for schema in definitions
        for shape in (schema, *schema["$defs"].values())
        for key in shape.get("properties", {})
    }
    assert [key for key in sorted(keys) if f"`{key}`" not in reference and f"{key}:" not in reference] == []
