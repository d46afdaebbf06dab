# SPDX-License-Identifier: Apache-2.0
"""Sheets and lists: every cable once on each, nothing beside the paper, the same facts in every format."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree as ET

import pypdfium2
import pytest

from flathood.bench import synthetic
from flathood.drawing import Page, Text
from flathood.drawing.fonts import width
from flathood.labels import Options, make_book, products, save
from flathood.labels.listing import sheets
from flathood.labels.paper import A4, LETTER
from flathood.labels.products import differing
from flathood.labels.text import text
from tests.unit.labels.conftest import Case, case


def texts(page: Page) -> list[Text]:
    return [item for item in page.items if isinstance(item, Text)]


def beyond(page: Page) -> list[str]:
    """Texts that do not stand wholly on the page."""
    found = []
    for item in texts(page):
        wide = 0.0 if item.upwards else width(item.text, item.size, item.bold)
        left = item.x - {"start": 0, "middle": wide / 2, "end": wide}[item.anchor]
        if not (left >= 0 and left + wide <= page.width and item.size <= item.y <= page.height):
            found.append(item.text)
    return found


def test_every_cable_is_in_the_sheet_of_its_switch_and_in_the_list(any_case: Case) -> None:
    cluster, wiring = any_case
    book = make_book(cluster, wiring)
    expected = Counter(
        f"{node}:{slot}" for node, row in wiring.nodes.items() for slot, name in enumerate(row) if name is not None
    )
    expected.update(f"{name}:0" for name in (*cluster.spare_names, cluster.head.name))
    pages = sheets(book, cluster, wiring, A4)
    ends = Counter(item.text for page in pages for item in texts(page) if ":" in item.text and " " not in item.text)
    # In the front of the switch, in its table, and in the list.
    assert ends == Counter(dict.fromkeys(expected, 3))
    for switch in book.switches:
        sheet = next(page for page in pages if page.title.split(" ")[0] == switch.name)
        here = {item.text for item in texts(sheet)}
        assert all(cable.end in here for cable in book.of_switch(switch.name))


def test_ports_are_given_once_and_exist(racked: Case) -> None:
    book = make_book(*racked)
    for switch in book.switches:
        ports = [cable.port for cable in book.of_switch(switch.name)]
        assert ports == sorted(set(ports))
        assert ports[0] >= 1
        assert ports[-1] <= switch.ports


def test_cables_to_get_add_up(racked: Case) -> None:
    book = make_book(*racked)
    assert sum(counts.total() for _, counts in book.lengths()) == len(book.cables) == 64 * 4 + 9 + 2 + 1
    assert [length for length, _ in book.lengths()] == sorted({cable.metres for cable in book.cables if cable.metres})
    for switch, length, cables in book.by_colour():
        assert {(cable.switch, cable.metres) for cable in cables} == {(switch, length)}


@pytest.mark.parametrize("size", [A4, LETTER])
def test_nothing_stands_beside_the_paper(racked: Case, size: tuple[float, float]) -> None:
    for page in sheets(make_book(*racked), *racked, size):
        assert not beyond(page)
        assert sum(item.y > page.height - 10 for item in texts(page)) == 2, "only the foot is at the foot"
        assert sorted((page.width, page.height)) == sorted(size)


def test_nothing_is_too_small_to_read(racked: Case) -> None:
    """The smallest letters, those of the picture, are as high as a newspaper's listings."""
    pages = sheets(make_book(*racked), *racked, A4)
    assert min(item.size for page in pages for item in texts(page)) >= 1.5
    assert min(item.size for item in texts(pages[0])) >= 2.5


def test_large_switches_and_many_pages() -> None:
    spec = synthetic.cluster(256)
    wiring = synthetic.wiring(spec)
    book = make_book(spec, wiring)
    pages = sheets(book, spec, wiring, A4)
    assert not [wrong for page in pages for wrong in beyond(page)]
    numbers = [next(item.text for item in texts(page) if item.text.startswith("page ")) for page in pages]
    assert numbers == [f"page {number} of {len(pages)}" for number in range(1, len(pages) + 1)]


def test_names_as_long_as_they_may_be_stay_on_the_paper(hexa: Case) -> None:
    cluster, wiring = hexa
    long = {name: f"{name}-{'w' * (62 - len(name))}" for name in (*cluster.switch_names, *cluster.node_names)}
    switches = tuple(switch.model_copy(update={"name": long[switch.name]}) for switch in cluster.switches)
    nodes = cluster.nodes[0].model_copy(update={"names": tuple(map(long.__getitem__, cluster.node_names))})
    renamed = cluster.model_copy(update={"switches": switches, "nodes": (nodes,)})
    renamed = type(renamed).model_validate(renamed.model_dump(mode="json", exclude_unset=True))
    rows = {long[node]: tuple(long[name] for name in row if name) for node, row in wiring.nodes.items()}
    rewired = wiring.model_copy(update={"nodes": rows})
    for page in sheets(make_book(renamed, rewired), renamed, rewired, A4):
        assert not beyond(page)


def test_the_uplinks_sheet_has_the_marks_of_the_switches_on_it(racked: Case) -> None:
    book = make_book(*racked)
    sheet = next(page for page in sheets(book, *racked, A4) if page.title == "white (uplink)")
    found = Counter(item.text for item in texts(sheet))
    # In the front and in the table.
    assert all(found[switch.mark] == 2 for switch in book.switches if not switch.uplink)


@pytest.mark.parametrize("name", ["hexa", "octet", "klat2", "racked"])
def test_a_terminal_of_80_columns_has_it_all(name: str, racked: Case) -> None:
    book = make_book(*(racked if name == "racked" else case(name)))
    printed = text(book)
    assert max(map(len, printed.splitlines())) <= 80
    for cable in book.cables:
        listed = re.findall(
            rf"\[ \] +{cable.port} {re.escape(cable.end)}\b|\[ \] {cable.end} to {cable.port}\b", printed
        )
        assert len(listed) == 2, cable
    for machine in book.machines:
        assert re.search(rf"^{machine.name} .* 0=", printed, re.MULTILINE)


def test_print_and_screen_say_the_same(racked: Case) -> None:
    made = products(*racked, Options())
    for name in ("labels", "sheets"):
        pages = sorted(file for file in made.files if re.fullmatch(rf"{name}-[0-9]+\.svg", file))
        document = pypdfium2.PdfDocument(made.files[f"{name}.pdf"])
        assert len(document) == len(pages)
        for page, file in zip(document, pages, strict=True):
            drawn = ET.fromstring(made.files[file])  # noqa: S314 - our own text
            written = "".join(item.text for item in drawn.iter("{http://www.w3.org/2000/svg}text"))
            # Letters, not words: neighbors on paper are one word to the reader of a PDF file.
            assert Counter(written.replace(" ", "")) == Counter("".join(page.get_textpage().get_text_range().split()))
            millimetres = [float(drawn.attrib[side].removesuffix("mm")) for side in ("width", "height")]
            assert millimetres == pytest.approx([side / 72 * 25.4 for side in page.get_size()], abs=0.01)


def test_the_same_input_gives_the_same_bytes_and_a_second_run_changes_nothing(hexa: Case, tmp_path: Path) -> None:
    options = Options()
    made = products(*hexa, options)
    assert made == products(*hexa, options)
    folder = tmp_path / "labels"
    assert differing(folder, made, options) == sorted(made.files, key=list(made.files).index)
    assert not folder.exists()
    assert save(folder, made, options) == list(made.files)
    assert save(folder, made, options) == differing(folder, made, options) == []
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == made.files


def test_pages_that_there_are_no_more_go_and_nothing_else(hexa: Case, tmp_path: Path) -> None:
    options = Options()
    made = products(*hexa, options)
    for name in ("labels-98.svg", "sheets-99.svg", "reprint-01.svg", "notes.svg", "labels-98.txt"):
        (tmp_path / name).write_text("")
    assert save(tmp_path, made, options)[-2:] == ["labels-98.svg", "sheets-99.svg"]
    assert {path.name for path in tmp_path.iterdir()} == {*made.files, "reprint-01.svg", "notes.svg", "labels-98.txt"}
