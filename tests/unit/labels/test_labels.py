# SPDX-License-Identifier: Apache-2.0
"""Labels as people meet them: printed, read by an eye and by a phone, in colour and without."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from flathood.cabling.marks import contrast, ink_on, marks
from flathood.drawing import Cells, Rect, Text
from flathood.labels import Options, make_book, paper_of, products
from flathood.labels.book import page_address
from flathood.labels.paper import PAPERS, UnknownPaper
from flathood.labels.tag import machine_tag, switch_tag
from tests.unit.labels.conftest import ROOT, Case, seen


@pytest.mark.parametrize("paper", ["avery-l7163", "avery-5160", "dymo-30252", "a4"])
def test_an_eye_and_a_phone_read_each_label(any_case: Case, paper: str) -> None:
    cluster, wiring = any_case
    options = Options(formats=("pdf",), paper=PAPERS[paper], report="https://head.example.org/report.html")
    made = products(cluster, wiring, options)
    found = list(seen(made.files["labels.pdf"], list(options.paper.corners()), options.paper.label))
    mark = marks(cluster)
    names = [*cluster.node_names, *cluster.spare_names, cluster.head.name, *cluster.switch_names, cluster.uplink.name]
    assert [label.words[0] if label.words[0] in names else label.words[1] for label in found] == names
    for name, label in zip(names, found, strict=True):
        if name in wiring.nodes:
            assert label.address == f"https://head.example.org/report.html#{name}"
            colours = [word for word in label.words if word in cluster.switch_names]
            assert colours == list(wiring.nodes[name])
            assert [word for word in label.words if word in mark.values()] == [mark[colour] for colour in colours]


def test_codes_lead_to_sections_of_the_report(hexa: Case) -> None:
    page = (ROOT / "tests/golden/validate/report.html").read_text()
    book = make_book(*hexa)
    assert book.machines[0].link == "http://head/report.html#a"
    sections = set(re.findall(r'<section [^>]*id="([^"]*)"', page))
    assert {machine.link.split("#")[1] for machine in book.machines} == sections


@pytest.mark.parametrize(
    ("report", "address"),
    [
        ("http://head/report.html", "http://head/report.html#k17"),
        ("https://rooms/{}?a=1", "https://rooms/k17?a=1"),
        ("", ""),
    ],
)
def test_where_a_page_is(report: str, address: str) -> None:
    assert page_address(report, "k17") == address


def test_a_code_that_a_printer_would_blur_is_left_out_and_told(hexa: Case) -> None:
    cluster, wiring = hexa
    small = products(cluster, wiring, Options(formats=("svg",), paper=PAPERS["avery-l7651"]))
    assert small.without_code == (*cluster.node_names, "head")
    endless = products(cluster, wiring, Options(formats=("svg",), report=f"http://{'x' * 5000}"))
    assert endless.without_code == small.without_code
    none = products(cluster, wiring, Options(formats=("svg",), report=""))
    assert none.without_code == ()
    assert b"<path" not in none.files["labels-01.svg"]


@pytest.mark.parametrize("name", ["hexa", "octet", "klat2"])
def test_no_colour_is_alone(name: str, request: pytest.FixtureRequest, racked: Case) -> None:
    """In each block of a colour stands its mark, in ink that can be read on it also in black and white."""
    cluster, wiring = racked if name == "klat2" else request.getfixturevalue("hexa")
    book = make_book(cluster, wiring)
    mark = {switch.colour: switch.mark for switch in book.switches}
    tags = [machine_tag(machine, (99.1, 38.1))[0] for machine in book.machines]
    tags += [switch_tag(book, switch, (99.1, 38.1)) for switch in book.switches]
    for items in tags:
        for block in (item for item in items if isinstance(item, Rect) and item.fill and item.fill != "#ffffff"):
            inside = [
                item
                for item in items
                if isinstance(item, Text) and 0 < item.x - block.x < block.width and 0 < item.y - block.y < block.height
            ]
            assert mark[block.fill] in [text.text for text in inside]
            assert all(contrast(text.colour, block.fill) >= 4.5 for text in inside)  # WCAG 2.2, level AA


def test_one_ink_is_enough(hexa: Case) -> None:
    """A printer of black dots alone prints nothing grey, and everything that colours say is still there."""
    options = Options(formats=("pdf", "svg"), paper=PAPERS["dymo-99012"], mono=True, report="http://head/r.html")
    made = products(*hexa, options)
    assert set(re.findall(rb"#[0-9a-f]{6}", made.files["labels-01.svg"])) == {b"#000000", b"#ffffff"}
    assert set(re.findall(rb"#[0-9a-f]{6}", made.files["sheets-07.svg"])) == {b"#000000", b"#ffffff"}
    first = next(seen(made.files["labels.pdf"], list(options.paper.corners()), options.paper.label))
    assert (sorted(first.words), first.address) == (
        sorted(["a", "0", "R", "red", "port", "1", "1", "G", "green", "port", "1"]),
        "http://head/r.html#a",
    )


def test_ink_is_the_better_of_the_two() -> None:
    for fill in ("#000000", "#ef6c00", "#767676", "#ffffff"):
        assert contrast(ink_on(fill), fill) == max(contrast(ink, fill) for ink in ("#ffffff", "#1f2933"))


def test_places_ports_and_lengths_are_on_the_label(racked: Case) -> None:
    book = make_book(*racked)
    first = book.machines[1]
    assert (first.name, first.place) == ("k01", "l1 · 1b")
    texts = [item.text for item in machine_tag(first, (99.1, 38.1))[0] if isinstance(item, Text)]
    assert "l1 · 1b" in texts
    for cable in first.slots:
        assert cable is not None
        assert f"port {cable.port}" in texts
        assert f"{cable.metres:g} m" in texts
        assert cable.metres in racked[0].cabling.lengths


def test_a_slot_without_cable_says_so(hexa: Case) -> None:
    cluster, wiring = hexa
    nodes = wiring.nodes | {"f": ("blue", None)}
    book = make_book(cluster, wiring.model_copy(update={"nodes": nodes, "design": {"mode": "sparse"}}))
    items, _ = machine_tag(book.machines[5], (63.5, 38.1))
    assert [item.text for item in items if isinstance(item, Text)][-3:] == ["\N{EN DASH}", "1", "no cable"]


def test_one_label_again_on_a_page_that_is_begun(hexa: Case, tmp_path: Path) -> None:
    cluster, wiring = hexa
    options = Options(formats=("pdf", "text"), paper=PAPERS["avery-l7163"], only=("c", "red"), skip=14 + 3)
    made = products(cluster, wiring, options)
    assert sorted(made.files) == ["reprint.pdf", "reprint.txt"]
    corners = list(options.paper.corners())
    assert next(seen(made.files["reprint.pdf"], corners[3:4], options.paper.label)).words[0] == "c"
    assert not list(seen(made.files["reprint.pdf"], corners[:3], options.paper.label))
    assert made.files["reprint.txt"].decode() == "c  0=R red:3  1=B blue:1\n"


def test_papers_have_room_for_their_labels() -> None:
    for paper in PAPERS.values():
        for x, y in paper.corners():
            assert x >= -1e-9
            assert y >= -1e-9
            assert x + paper.label[0] <= paper.page[0] + 1e-9
            assert y + paper.label[1] <= paper.page[1] + 1e-9
        assert len(list(paper.corners())) == paper.each


def test_grids_are_where_the_makers_say() -> None:
    """First corner and pitch, from the makers' own drawings of these sheets."""
    first = {name: next(PAPERS[name].corners()) for name in ("avery-5160", "avery-5163", "avery-l7160", "avery-l7163")}
    assert first["avery-5160"] == pytest.approx((4.7625, 12.7))
    assert first["avery-5163"] == pytest.approx((3.96875, 12.7))
    assert first["avery-l7160"] == pytest.approx((7.25, 15.15))
    assert first["avery-l7163"] == pytest.approx((4.65, 15.15))


def test_a_size_is_a_paper_and_a_wrong_name_is_told_with_the_nearest() -> None:
    assert paper_of("62x29").page == (62.0, 29.0)
    assert paper_of("AVERY-L7163") is PAPERS["avery-l7163"]
    with pytest.raises(UnknownPaper, match=r"no paper: did you mean avery-l7163\?"):
        paper_of("avery-7163")
    with pytest.raises(UnknownPaper, match="from 10 to 300 mm"):
        paper_of("5x29")


def test_a_code_has_cells_that_phones_can_read(racked: Case) -> None:
    book = make_book(*racked)
    for paper in PAPERS.values():
        for item in machine_tag(book.machines[0], paper.label)[0]:
            if isinstance(item, Cells):
                assert item.side >= 0.375
                assert 4 * item.side <= item.x
