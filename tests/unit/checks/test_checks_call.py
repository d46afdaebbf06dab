# SPDX-License-Identifier: Apache-2.0
"""The call that finds a machine wherever it is plugged in."""

from __future__ import annotations

from ipaddress import IPv4Address

import pytest

from flathood.checks import call
from flathood.plan import Plan


def test_a_call_is_a_broadcast_frame_with_an_echo_request_for_one_machine() -> None:
    frame = call.frame(bytes.fromhex("020000000001"), IPv4Address("10.78.0.254"), IPv4Address("10.78.0.1"))
    assert len(frame) == 60
    assert frame[:14].hex() == "ff" * 6 + "020000000001" + "0800"
    assert (frame[26:30], frame[30:34]) == (bytes((10, 78, 0, 254)), bytes((10, 78, 0, 1)))
    assert frame[23] == 1
    assert frame[34:36] == b"\x08\x00"
    for part in (frame[14:34], frame[34:42]):  # a right checksum makes the sum of its part all ones
        total = sum(int.from_bytes(part[at : at + 2]) for at in range(0, len(part), 2))
        assert (total & 0xFFFF) + (total >> 16) == 0xFFFF


def test_who_is_not_the_head_calls_nobody(hexa: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call, "_nic_of", lambda address: "")
    assert call.call_everyone(hexa.cluster) == "this machine does not have the head's address 10.78.0.254"
