# SPDX-License-Identifier: Apache-2.0
"""The paper's clusters, klat2 in racks, and an eye that reads printed pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pypdfium2
import pytest
import yaml
import zxingcpp

from flathood.inventory import load
from flathood.spec import Cluster
from flathood.wiring import Wiring

ROOT = Path(__file__).parents[3]
_POINTS = 72 / 25.4
_DPI = 203  # of a plain label printer

Case = tuple[Cluster, Wiring]


def case(name: str) -> Case:
    loaded = load(ROOT / "inventories" / name, need_macs=False)
    return loaded.cluster, loaded.wiring


@pytest.fixture(params=["hexa", "octet", "klat2"])
def any_case(request: pytest.FixtureRequest) -> Case:
    return case(request.param)


@pytest.fixture(scope="session")
def hexa() -> Case:
    return case("hexa")


@pytest.fixture(scope="session")
def racked() -> Case:
    """klat2 on its five shelves: its nodes on the outer four, two abreast, the switches in the middle."""
    keys = yaml.safe_load((ROOT / "inventories/klat2/cluster.yml").read_text())
    keys["nodes"] |= {"rack": ["l1", "l2", "r1", "r2"], "height": 4, "abreast": 2}
    keys["spares"] |= {"rack": "mid", "unit": 1}
    keys["head"] = {"rack": "mid"}
    for switch in (*keys["switches"], keys["uplink"]):
        switch["rack"] = "mid"
    keys["racks"] = ["l1", "l2", "mid", "r1", "r2"]
    return Cluster.model_validate(keys), case("klat2")[1]


@dataclass(frozen=True)
class Seen:
    """What an eye and a phone see on one label: its words, and the address of its QR code."""

    words: list[str]
    address: str | None


def seen(pdf: bytes, corners: list[tuple[float, float]], label: tuple[float, float]) -> Iterator[Seen]:
    """Look at each label of printed pages, as a printer of 203 dots per inch prints them."""
    document = pypdfium2.PdfDocument(pdf)
    for page in document:
        high = page.get_height()
        image = page.render(scale=_DPI / 72, grayscale=True).to_numpy()
        text = page.get_textpage()
        for x, y in corners:
            left, top, right, bottom = (value * _POINTS for value in (x, y, x + label[0], y + label[1]))
            words = text.get_text_bounded(left, high - bottom, right, high - top).split()
            rows, columns = (slice(int(a * _DPI / 72), int(b * _DPI / 72)) for a, b in ((top, bottom), (left, right)))
            codes = zxingcpp.read_barcodes(image[rows, columns].copy())
            if words:
                yield Seen(words, codes[0].text if codes else None)
