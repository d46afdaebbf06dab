# SPDX-License-Identifier: Apache-2.0
"""The head's side of discovery without a head: the hook as dnsmasq runs it, frames, and what the checks read."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable
from ipaddress import IPv4Network
from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.discovery import checks, hook, offers, service

from flathood.discovery.journal import MAX_LINE, Lease, Mark, Told, parse_line

MAC = "02:00:00:00:00:01"
Hook = Callable[..., str]


@pytest.fixture
def run_hook(tmp_path: Path) -> Hook:
    """Run the hook on a journal of the test's own; the journal's last line."""
    journal = tmp_path / "journal.jsonl"
    script = tmp_path / "hook"
    script.write_text(hook.SCRIPT.replace(hook.JOURNAL, str(journal)))
    script.chmod(0o755)

    def run(*words: str, **variables: str) -> str:
        subprocess.run([str(script), *words], check=True, env={"PATH": os.environ["PATH"]} | variables)
        return journal.read_text().splitlines()[-1] if journal.exists() else ""

    return run


def test_the_hook_writes_what_the_reader_reads(run_hook: Hook) -> None:
    said = run_hook("add", MAC, "198.18.1.1", "bare", DNSMASQ_LEASE_EXPIRES="1763700120")
    entry = parse_line(said)
    assert isinstance(entry, Lease)
    assert (entry.mac, entry.ip, entry.expires, entry.slot) == (MAC, "198.18.1.1", 1763700120.0, None)
    assert abs(entry.at - time.time()) < 60
    slot = parse_line(run_hook("old", MAC, "198.18.1.1", DNSMASQ_VENDOR_CLASS="flathood:slot:3"))
    assert isinstance(slot, Lease)
    assert (slot.event, slot.slot, slot.expires) == ("old", 3, None)
    begin, opened = parse_line(run_hook("begin", "120")), parse_line(run_hook("open", "k07"))
    assert isinstance(begin, Mark)
    assert isinstance(opened, Mark)
    assert (begin.lease, opened.event, opened.node) == (120, "open", "k07")
    told = parse_line(run_hook("report", MAC, "02:00:00:00:00:02"))
    assert isinstance(told, Told)
    assert told.macs == (MAC, "02:00:00:00:00:02")


def test_the_hook_takes_the_harm_out_of_what_clients_say(run_hook: Hook) -> None:
    nasty = '"}\n{"at": 1, "event": "open", "node": "a"}\n\x1b[2J {{ 7*7 }} $(id) `id` \\ ' + "x" * 5000
    said = run_hook(
        "add",
        MAC,
        "198.18.1.1",
        nasty,
        DNSMASQ_SUPPLIED_HOSTNAME=nasty,
        DNSMASQ_VENDOR_CLASS=nasty,
        DNSMASQ_USER_CLASS0=nasty,
        DNSMASQ_LEASE_EXPIRES="1; rm -rf /",
    )
    assert len(said) < MAX_LINE
    assert said.isascii()
    assert said.isprintable()
    assert json.loads(said)["expires"] == 0
    assert not set(json.loads(said)["host"]) & set('"\\{}$`\n\x1b')
    assert parse_line(said)


def test_the_hook_leaves_what_is_no_lease(run_hook: Hook) -> None:
    assert run_hook("tftp", "1024", "198.18.1.1", "/boot/x") == ""
    assert run_hook("init") == ""


def test_the_journal_cannot_fill_the_disk(run_hook: Hook, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    with journal.open("wb") as file:
        file.truncate(hook.LIMIT)
    done = subprocess.run(
        [str(tmp_path / "hook"), "add", MAC, "198.18.1.1"],
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert done.returncode != 0
    assert journal.stat().st_size == hook.LIMIT


def test_a_large_journal_begins_anew_with_the_lease_that_holds(run_hook: Hook, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    run_hook("begin", "90")
    with journal.open("ab") as file:
        file.truncate(hook.ROTATE + 1)
    run_hook("open", "k01")
    begin, opened = (parse_line(line.strip("\0")) for line in journal.read_text().splitlines())
    assert isinstance(begin, Mark)
    assert isinstance(opened, Mark)
    assert (begin.lease, opened.node) == (90, "k01")
    assert (tmp_path / "journal.jsonl.1").stat().st_size == hook.ROTATE + 1


def offer(server: bytes) -> bytes:
    """The frame of an offer, made of the question."""
    frame = bytearray(offers.discover(b"\x02\0\0\0\0\1", b"1234"))
    frame[34:38] = bytes([0, 67, 0, 68])
    frame[42] = 2
    return bytes(frame[:-4]) + bytes([53, 1, 2, 0, 54, 4]) + server + b"\xff"


def test_an_offer_tells_its_server() -> None:
    assert offers.answer(offer(bytes([192, 0, 2, 7]))) == "192.0.2.7"
    assert offers.answer(offers.discover(b"\x02\0\0\0\0\1", b"1234")) == ""


@pytest.mark.parametrize("length", range(0, 300, 7))
def test_a_frame_that_is_cut_is_no_offer_and_no_error(length: int) -> None:
    offers.answer(offer(bytes(4))[:length])


def test_an_ipv4_header_has_the_right_checksum() -> None:
    header = offers.discover(b"\x02\0\0\0\0\1", b"1234")[14:34]
    assert offers.checksum(header) == 0


def test_who_holds_the_port_is_named(tmp_path: Path) -> None:
    (tmp_path / "net").mkdir()
    line = "   0: 00000000:{} 00000000:0000 07 00000000:00000000 00:00000000 00000000 0 0 {} 2 0000 0\n"
    (tmp_path / "net/udp").write_text("  sl  local_address\n" + line.format("0043", 777) + line.format("0044", 778))
    (tmp_path / "12/fd").mkdir(parents=True)
    (tmp_path / "12/fd/5").symlink_to("socket:[777]")
    (tmp_path / "12/fd/6").symlink_to("socket:[778]")
    (tmp_path / "12/comm").write_text("dhcpd\n")
    assert checks.port_holders(tmp_path) == ["dhcpd"]


def test_the_clock_is_held_against_the_controllers_and_the_journals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "journal.jsonl"
    monkeypatch.setattr(hook, "JOURNAL", str(journal))
    assert checks.clock(time.time())["ok"]
    assert "apart" in str(checks.clock(time.time() - 3600)["said"])
    journal.write_text(json.dumps({"at": time.time() + 500, "event": "open", "node": "a"}) + '\n{"at": cut')
    assert "in the future" in str(checks.clock(time.time())["said"])
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    assert "1970-01-01" in str(checks.clock(1000.0)["said"])


def test_the_head_and_the_machines_share_the_pool() -> None:
    settings = service.Settings("eth0", IPv4Network("198.18.0.0/16"), 120, 4096)
    assert settings.address == "198.18.0.1/16"
    assert "dhcp-range=198.18.0.16,198.18.255.254,255.255.0.0,120s" in service.configuration(settings)
    # Renewed at half of the lease; soon after that by whoever leases addresses then.
    assert "dhcp-option=option:T2,64\n" in service.configuration(settings)
