# SPDX-License-Identifier: Apache-2.0
"""The probe's readers: what the kernel prints and what comes from the wire, in the words of the plan."""

from __future__ import annotations

import json
import socket
import struct
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.probe import echo, kernel, listen, names, packets
from ansible_collections.flathood.cluster.plugins.modules import mpi_job

MAC = "02:00:00:00:00:07"


def ipv4(payload: bytes, source: str, options: int = 0) -> bytes:
    head = struct.pack("!BBHHHBBH", 0x45 + options, 0, 20 + 4 * options + len(payload), 0, 0, 64, 1, 0)
    return head + socket.inet_aton(source) + socket.inet_aton("10.80.0.1") + b"\0" * 4 * options + payload


def test_an_echo_request_has_the_size_asked_for_and_a_right_checksum() -> None:
    request = packets.echo_request(7, 3, 1500)
    assert len(request) == 1500 - 20
    assert packets.checksum(request) == 0
    assert struct.unpack_from("!BBHHH", request)[3:] == (7, 3)


@pytest.mark.parametrize("options", [0, 2])
def test_a_reply_is_known_by_its_identifier(options: int) -> None:
    reply = bytearray(packets.echo_request(7, 3, 84))
    reply[0] = packets.ECHO_REPLY
    packet = ipv4(bytes(reply), "10.80.0.2", options)
    assert packets.parse_icmp(packet, 7) == (packets.ECHO_REPLY, 0, 3, "10.80.0.2", len(packet))
    assert packets.parse_icmp(packet, 8) is None


def test_an_unreachable_is_known_by_the_request_that_it_quotes() -> None:
    quoted = ipv4(packets.echo_request(7, 9, 84), "10.80.0.1")
    packet = ipv4(struct.pack("!BBHI", packets.UNREACHABLE, packets.FRAGMENTATION_NEEDED, 0, 0) + quoted, "10.80.0.9")
    assert packets.parse_icmp(packet, 7) == (3, 4, 9, "10.80.0.9", len(packet))


@pytest.mark.parametrize(
    "junk", [b"", b"\x45", b"\x4f" * 30, ipv4(b"\x03\x00\0\0\0\0\0\0", "10.0.0.1"), ipv4(b"\x08" * 8, "1.1.1.1")]
)
def test_junk_is_no_reply(junk: bytes) -> None:
    assert packets.parse_icmp(junk, 7) is None
    assert packets.parse_arp(junk) is None


def test_an_arp_request_tells_who_asks_for_what() -> None:
    body = struct.pack("!HHBBH", 1, 0x0800, 6, 4, 1) + bytes.fromhex(MAC.replace(":", ""))
    body += socket.inet_aton("10.80.0.7") + b"\0" * 6 + socket.inet_aton("10.80.0.9")
    frame = b"\xff" * 6 + bytes.fromhex(MAC.replace(":", "")) + b"\x08\x06" + body
    assert packets.parse_arp(frame) == ("request", MAC, "10.80.0.7", "10.80.0.9")


def test_an_announcement_is_a_whole_broadcast_frame_from_the_nic() -> None:
    frame = packets.announcement(MAC)
    assert len(frame) == 60
    assert frame[:12].hex(":") == f"ff:ff:ff:ff:ff:ff:{MAC}"
    assert packets.parse_arp(frame) is None


def test_links_are_told_by_name_and_property() -> None:
    raw = [{"ifname": "fnn0", "address": MAC, "mtu": 1500, "ifalias": "red", "flags": ["UP", "LOWER_UP", "NOARP"]}]
    assert kernel.links(raw) == {
        "fnn0 mac": MAC,
        "fnn0 alias": "red",
        "fnn0 mtu": "1500",
        "fnn0 carrier": "up",
        "fnn0 arp": "off",
    }
    assert kernel.links([{"ifname": "fnn1", "flags": []}])["fnn1 carrier"] == "down"


def test_only_permanent_neighbors_count_and_those_in_no_plan_are_listed() -> None:
    raw = [
        {"dst": "10.80.0.2", "dev": "fnn0", "lladdr": MAC, "state": ["PERMANENT"]},
        {"dst": "10.80.0.3", "dev": "fnn0", "lladdr": MAC, "state": ["REACHABLE"]},
        {"dst": "10.80.0.9", "dev": "fnn0", "lladdr": MAC, "state": ["PERMANENT"]},
        {"dst": "192.0.2.1", "dev": "eth9", "lladdr": MAC, "state": ["PERMANENT"]},
    ]
    expected = {"fnn0 10.80.0.2": MAC, "fnn0 10.80.0.3": MAC, "fnn0 others": "none", "fnn1 others": "none"}
    seen = kernel.neighbors(raw, expected)
    assert kernel.deviations(expected, seen) == {"fnn0 10.80.0.3": "", "fnn0 others": f"10.80.0.9 {MAC}"}


def test_routes_are_told_in_the_words_of_the_plan() -> None:
    raw = [
        {"dst": "10.80.2.3", "gateway": "10.80.0.3", "dev": "fnn0", "prefsrc": "10.80.0.1"},
        {"dst": "10.80.0.2", "dev": "fnn0", "prefsrc": "10.80.0.1"},
    ]
    assert kernel.routes(raw) == {
        "10.80.2.3": "via 10.80.0.3 dev fnn0 src 10.80.0.1",
        "10.80.0.2": "dev fnn0 src 10.80.0.1",
    }


def test_addresses_are_sorted_text() -> None:
    info = [{"local": "10.80.0.1", "prefixlen": 24}, {"local": "10.78.0.1", "prefixlen": 24}]
    assert kernel.addresses([{"ifname": "fnn0", "addr_info": info}, {}]) == {"fnn0": "10.78.0.1/24 10.80.0.1/24"}


def test_a_batch_is_one_list_a_line_and_failed_lines_are_missing() -> None:
    assert kernel.documents('[{"dst":"a"}]\n[{}]\n[{"dst":"b"},\n{"dst":"c"}]\n') == [{"dst": d} for d in "abc"]
    assert kernel.documents("") == []


def test_settings_are_read_and_a_missing_one_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    (tmp_path / "net" / "range").write_text("1\t2\n")
    assert kernel.sysctls(["net.range", "net.none"], tmp_path) == {"net.range": "1 2"}


@pytest.mark.parametrize(
    ("heard", "wrong"),
    [
        ([["b", 0, "fnn0", 1], ["b", 1, "fnn0", 1]], {}),
        ([["b", 0, "fnn0", 1]], {"b": "1 of 2 once by fnn0 (came: 1 by fnn0)"}),
        ([["b", 0, "fnn0", 2], ["b", 1, "fnn0", 1]], {"b": "1 of 2 once by fnn0 (came: 3 by fnn0)"}),
        (
            [["b", 0, "fnn0", 1], ["b", 0, "fnn1", 1], ["b", 1, "fnn0", 1]],
            {"b": "1 of 2 once by fnn0 (came: 2 by fnn0, 1 by fnn1)"},
        ),
        ([], {"b": "0 of 2 once by fnn0 (none came)"}),
        ([["z", 0, "fnn0", 1], ["b", 0, "fnn0", 1], ["b", 1, "fnn0", 1]], {}),
    ],
)
def test_each_datagram_has_to_come_once_by_the_planned_nic(heard: list[list[object]], wrong: dict[str, str]) -> None:
    assert listen.multicast_deviations({"b": "fnn0"}, heard, 2) == wrong


def test_names_come_from_the_system_and_a_missing_one_is_empty() -> None:
    assert names.resolve_all(["localhost", "no-such-name.invalid"]) == {
        "localhost": "127.0.0.1",
        "no-such-name.invalid": "",
    }


@pytest.mark.parametrize(
    ("facts", "failed", "repeats"),
    [
        ({"done": True, "repeats": 1}, {}, {}),
        ({"done": True, "repeats": 2}, {}, {"fnn0": 1}),
        ({"done": True, "reason": "the reply came in by fnn1"}, {"10.80.0.2": "the reply came in by fnn1"}, {}),
        ({"small": True, "repeats": 4}, {"10.80.0.2": "only small packets pass"}, {}),
        ({"repeats": 5}, {"10.80.0.2": "no reply"}, {}),
    ],
)
def test_what_an_address_is_told_to_have_done(
    facts: dict[str, object], failed: dict[str, str], repeats: dict[str, int]
) -> None:
    tally = echo.tally([echo.Target("10.80.0.2", "10.80.0.2", ("fnn0",), True, **facts)])
    assert (tally.failed, tally.repeats, tally.echoes) == (failed, repeats, {"fnn0": 1})


@pytest.mark.parametrize(
    ("output", "trouble"),
    [
        (json.dumps({"ranks": 2, "machines": ["a", "b"], "wrong": []}), ""),
        ("warning\n" + json.dumps({"ranks": 2, "machines": ["a", "b"], "wrong": []}) + "\n", ""),
        (json.dumps({"ranks": 2, "machines": ["a"], "wrong": []}), "2 ranks ran on 1 machines, not 2 on 2"),
        (
            json.dumps({"ranks": 2, "machines": ["a", "b"], "wrong": [[0, 1, 1024]]}),
            "1 blocks came changed, the first from rank 0 to 1 (1024 bytes)",
        ),
        ("", "the job printed no result: ''"),
    ],
)
def test_what_is_wrong_with_a_job(output: str, trouble: str) -> None:
    assert mpi_job.verdict(output, 2) == trouble


def test_pairs_of_machines_that_mpi_does_not_connect_are_named_once(tmp_path: Path) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("# ours\na slots=1\nb slots=1\nc slots=1\n")
    names = mpi_job.machines(str(hosts))
    assert names == ["a", "b", "c"]
    said = "no-word 0 2\nno-word 2 0 1\nsomething else\n"
    assert mpi_job.silent_pairs(said, names) == "no word passes by MPI between a and c, b and c"
    assert mpi_job.silent_pairs("no-word 9 1\n", names) == mpi_job.silent_pairs("", names) == ""


def test_a_text_with_choices_is_met_by_any_of_them() -> None:
    expected = {"10.79.0.2": "dev fnn0 src x | dev fnn1 src y"}
    assert kernel.deviations(expected, {"10.79.0.2": "dev fnn1 src y"}) == {}
    assert kernel.deviations(expected, {"10.79.0.2": "dev fnn2 src z"}) == {"10.79.0.2": "dev fnn2 src z"}


def test_a_reply_may_come_in_by_any_nic_that_was_named() -> None:
    target = echo.Target("10.79.0.2%fnn1", "10.79.0.2", ("fnn0", "fnn1"), False)
    echo._accept(target, "fnn1", small=False)
    assert echo.tally([target]).failed == {}
    other = echo.Target("10.79.0.2", "10.79.0.2", ("fnn0", "fnn1"), False)
    echo._accept(other, "fnn2", small=False)
    assert echo.tally([other]).failed == {"10.79.0.2": "the reply came in by fnn2"}
