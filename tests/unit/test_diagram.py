# SPDX-License-Identifier: Apache-2.0
"""The picture of a wiring: every cable ends at the bar of its switch, colour is not the only signal, it is current."""

from __future__ import annotations

import itertools
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from flathood.bench import synthetic
from flathood.cabling.diagram import Picture, layout, rows_of
from flathood.cabling.marks import letters, marks
from flathood.cabling.sketch import pages, svg
from flathood.cli.main import cli
from flathood.drawing import Page, Text
from flathood.inventory import Inventory, load
from flathood.spec import load_cluster
from flathood.wiring import Wiring

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["hexa", "octet", "klat2"])
def inventory(request: pytest.FixtureRequest) -> Inventory:
    return load(ROOT / "inventories" / request.param, need_macs=False)


def whole(inventory: Inventory) -> Picture:
    return layout(inventory.cluster, inventory.wiring, rows_of(inventory.cluster))


def drawn_wiring(picture: Picture) -> dict[str, list[str]]:
    """The wiring as an eye reads it: from each NIC up its cable to the bar where the cable ends."""
    nodes: dict[str, list[str]] = {}
    for node in picture.nodes:
        nodes[node.text] = []
        for cable in picture.cables:
            if node.x < cable.x1 < node.x + node.width and node.y - node.height < cable.y1 < node.y + node.height:
                assert cable.x1 == cable.x2
                ends = [
                    bar
                    for bar in picture.bars
                    if bar.x < cable.x2 < bar.x + bar.width and bar.y < cable.y2 < bar.y + bar.height
                ]
                assert [bar.fill for bar in ends] == [cable.colour]
                nodes[node.text].append(ends[0].text)
    return nodes


def test_an_eye_reads_the_wiring_from_the_picture(inventory: Inventory) -> None:
    picture = whole(inventory)
    assert drawn_wiring(picture) == {node: list(slots) for node, slots in inventory.wiring.nodes.items()}


def test_every_nic_and_bar_has_its_switchs_letters(inventory: Inventory) -> None:
    picture = whole(inventory)
    short = marks(inventory.cluster)
    assert len(set(short.values())) == len(short)
    assert [box.text for box in picture.nics] == [
        short[name] for slots in inventory.wiring.nodes.values() for name in slots
    ]
    assert [box.text for box in picture.letters] == [short[bar.text] for bar in picture.bars]


def test_boxes_stay_on_the_sheet_and_apart(inventory: Inventory) -> None:
    picture = whole(inventory)
    boxes = [*picture.bars, *picture.nodes, *picture.machines, picture.uplink]
    for box in boxes:
        assert box.x >= 0
        assert box.x + box.width <= picture.width
        assert box.y >= 0
        assert box.y + box.height <= picture.height
    for one, other in itertools.pairwise(boxes):
        apart = one.x + one.width <= other.x or other.x + other.width <= one.x
        assert apart or one.y + one.height <= other.y or other.y + other.height <= one.y


def test_racks_are_named_below_their_nodes_and_beside_their_switches() -> None:
    cluster = load_cluster(ROOT / "inventories/klat2/cluster.yml")
    nodes = cluster.nodes[0].model_copy(update={"rack": ("left", "right")})
    switches = tuple(switch.model_copy(update={"rack": "top of left"}) for switch in cluster.switches)
    racked = cluster.model_copy(update={"nodes": (nodes,), "switches": switches})
    wiring = load(ROOT / "inventories/klat2", need_macs=False).wiring
    picture = layout(racked, wiring, rows_of(racked))
    assert [rack.text for rack in picture.racks] == ["left", "left", "right", "right"]
    assert {place.text for place in picture.places} == {"top of left"}
    for rack, row in zip(picture.racks, rows_of(racked), strict=True):
        above = [node.text for node in picture.nodes if rack.x <= node.x < rack.x + rack.width and node.y < rack.y]
        assert above[-len(row) :] == list(row)


def texts(page: Page) -> set[str]:
    return {item.text for item in page.items if isinstance(item, Text)}


def test_a_large_cluster_is_on_as_many_pages_as_can_be_read() -> None:
    spec = synthetic.cluster(52)
    wiring = synthetic.wiring(spec)
    drawn = pages(spec, wiring)
    assert [sum(f"n{number:04d}" in texts(page) for number in range(52)) for page in drawn] == [8] * 6 + [4]
    text = svg(spec, wiring)
    assert all(f">n{number:04d}<" in text for number in range(52))


def test_a_slot_that_is_not_used_has_no_cable() -> None:
    cluster = load_cluster(ROOT / "inventories/hexa/cluster.yml")
    nodes = dict.fromkeys(cluster.node_names, ("red", None))
    text = svg(cluster, Wiring(cluster="hexa", nodes=nodes, design={"mode": "sparse"}))
    assert text.count("<circle") == 6
    assert "Every pair of nodes shares a switch: a and b meet on red." in text
    ET.fromstring(text)  # noqa: S314 - our own text


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["red", "green", "blue"], ("R", "G", "B")),
        (["green", "grey", "red"], ("GE", "GY", "R")),
        (["s1", "s2", "s3"], ("S1", "S2", "S3")),
        (["sw10", "sw11", "sw2"], ("10", "11", "2")),
        (["s00", "s01", "s10", "uplink"], ("00", "01", "10", "U")),
        (["neighborhood-aaaa", "neighborhood-bbbb-1", "neighborhood-bbbb-2"], ("1", "2", "3")),
        (["a", "ab", "b"], ("1", "2", "B")),
    ],
)
def test_letters_are_all_different(names: list[str], short: tuple[str, ...]) -> None:
    assert letters(names) == short


def test_the_figure_in_the_documentation_is_current(tmp_path: Path) -> None:
    out = tmp_path / "hexa.svg"
    result = CliRunner().invoke(cli, ["draw", str(ROOT / "inventories/hexa"), "--out", str(out)])
    assert result.exit_code == 0
    again = "draw it again: bin/flathood draw inventories/hexa --out docs/figures/hexa.svg"
    assert out.read_bytes() == (ROOT / "docs/figures/hexa.svg").read_bytes(), again
