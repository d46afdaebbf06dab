# SPDX-License-Identifier: Apache-2.0
"""The IGMP querier: its packets, and whose turn it is to ask."""

from __future__ import annotations

from ipaddress import IPv4Address

from ansible_collections.flathood.cluster.plugins.module_utils.igmp import packets
from ansible_collections.flathood.cluster.plugins.module_utils.igmp.querier import Turns
from ansible_collections.flathood.cluster.plugins.module_utils.igmp.service import service
from hypothesis import given
from hypothesis import strategies as st

#: A general query of version 2 (RFC 2236) from 192.0.2.9, with IP header and Router Alert, as a raw socket gives it.
HEADER = bytes.fromhex("46c00020000040000102 0000 c0000209 e0000001 94040000".replace(" ", ""))
VERSION_2 = HEADER + bytes.fromhex("1164ee9b00000000")


def test_a_query_is_one_of_version_3_about_all_groups() -> None:
    found = packets.query()
    assert found[:2] + found[4:] == bytes((0x11, 100)) + bytes(4) + bytes((2, 125)) + bytes(2)
    assert packets.checksum(found) == 0


def test_who_asks_is_known_whatever_its_version() -> None:
    assert packets.asker(VERSION_2) == IPv4Address("192.0.2.9")
    assert packets.asker(HEADER + packets.query()) == IPv4Address("192.0.2.9")
    report = bytes.fromhex("1600") + packets.query()[2:]
    assert packets.asker(HEADER + report) is None
    assert packets.asker(HEADER + packets.query()[:-1] + b"\1") is None  # broken on its way


@given(st.binary(max_size=60))
def test_no_packet_of_a_stranger_is_an_error(noise: bytes) -> None:
    packets.asker(noise)
    packets.asker(HEADER + noise)


def test_it_asks_often_at_first_and_then_every_125_seconds() -> None:
    turns, moments = Turns(IPv4Address("10.78.0.254"), 0.0), []
    for _ in range(4):
        moments.append(turns.due)
        turns.asked(turns.due)
    assert moments == [0, 31.25, 156.25, 281.25]


def test_the_lower_address_asks_and_the_other_one_again_when_that_is_silent() -> None:
    turns = Turns(IPv4Address("10.78.0.254"), 0.0)
    turns.heard(IPv4Address("10.78.0.255"), 1.0)
    turns.heard(IPv4Address("0.0.0.0"), 1.0)  # noqa: S104 - a querier without an address
    assert turns.due == 0
    turns.heard(IPv4Address("10.78.0.1"), 1.0)
    assert turns.due == 1 + 255


def test_the_service_has_all_that_it_imports() -> None:
    files = {file.path.rpartition("/")[2]: (file.content or b"").decode() for file in service("fnn0").files()}
    assert "igmp.querier fnn0\n" in files["flathood-querier.service"]
    assert {"querier.py", "packets.py", "__init__.py"} < files.keys()
