# SPDX-License-Identifier: Apache-2.0
"""The paper's networks with MACs, and words of witnesses that have seen nothing wrong: each test spoils one of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from flathood.checks.catalogue import Catalogue
from flathood.checks.observed import HostWord, JobWord, Observed, SwitchWord
from flathood.checks.places import Places
from flathood.plan import Plan, load_plan

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def hexa() -> Plan:
    return load_plan(ROOT / "inventories/hexa")


@pytest.fixture(scope="session")
def octet() -> Plan:
    return load_plan(ROOT / "inventories/octet")


@pytest.fixture(scope="session")
def catalogue(hexa: Plan) -> Catalogue:
    return Catalogue.of(hexa)


@pytest.fixture
def places(hexa: Plan) -> Places:
    return Places(hexa)


@pytest.fixture
def tables(places: Places) -> dict[str, dict[str, str]]:
    """What the switches learn when every cable is where it belongs."""
    uplink = places.plan.cluster.uplink.name
    tables: dict[str, dict[str, str]] = {name: {} for name in (*places.plan.switches, uplink)}
    for mac, place in places.by_mac.items():
        for switch, table in tables.items():
            table[mac] = "" if switch == place.switch else place.switch if switch == uplink else uplink
    return tables


@pytest.fixture
def healthy(places: Places, tables: dict[str, dict[str, str]]) -> Observed:
    hosts = {host: HostWord(echoes={place.nic: (10, 0) for place in of}) for host, of in places.by_host.items()}
    return Observed(hosts, SwitchWord("the test's switches", "", tables), JobWord(True, "", "", 6, 1.5))


Spoil = Callable[..., Observed]


@pytest.fixture
def spoil(healthy: Observed) -> Spoil:
    """The healthy words with one host's word changed."""

    def change(host: str, **fields: object) -> Observed:
        return replace(healthy, hosts=healthy.hosts | {host: replace(healthy.hosts[host], **fields)})

    return change
