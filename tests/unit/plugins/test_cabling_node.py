# SPDX-License-Identifier: Apache-2.0
"""The node's side of the evidence: probes as bytes, what lldpd tells, and a recorder that joins what it hears of."""

from __future__ import annotations

import json
import socket
import struct

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.cabling import frames, lldp, recorder, service
from hypothesis import given
from hypothesis import strategies as st

MAC = "02:00:5e:10:00:01"
NICS = [{"device": "fnn0", "mac": MAC, "path": None, "carrier": True}]


def test_a_probe_says_which_nic_sent_it_and_which_its_machine_has() -> None:
    frame = frames.probe(MAC, "77.abc", 1, "k17/fnn2", frames.word(NICS))
    assert frames.parse(frame) == ("77.abc", 1, "k17/fnn2", b'[["fnn0","02:00:5e:10:00:01",true]]')
    assert frame[:12].hex() == "ffffffffffff02005e100001"
    assert len(frames.probe(MAC, "t", 0, "a/b")) == 60  # Ethernet's least, so that no driver adds foreign bytes
    assert frames.parse(frames.probe(MAC, "t", 0, "a/b")) == ("t", 0, "a/b", b"")


def test_a_probe_fits_the_least_mtu_whatever_the_machine_has() -> None:
    many = [{"device": f"enp{number}s0f0np0"[:15], "mac": MAC, "carrier": False} for number in range(40)]
    for count in range(41):
        frame = frames.probe(MAC, "9" * 16, 255, "n" * 63 + "/" + "d" * 15, frames.word(many[:count]))
        assert len(frame) <= 14 + 576
    assert frames.word(many) == b""


@given(st.binary(max_size=700))
def test_no_frame_of_a_stranger_is_an_error(noise: bytes) -> None:
    assert frames.parse(noise) is None
    real = frames.probe(MAC, "77.abc", 1, "k17/fnn2", frames.word(NICS))
    frames.parse(real[:47] + noise)
    frames.link_changes(noise)


@pytest.mark.parametrize("name", ["k17", "a/b/c", "a/\x1b[2J", ""])
def test_names_that_are_no_nic_are_no_probe(name: str) -> None:
    assert frames.parse(frames.probe(MAC, "t", 0, name)) is None


def message(kind: int, index: int, flags: int, family: int = socket.AF_UNSPEC) -> bytes:
    return struct.pack("=IHHII", 32, kind, 0, 0, 0) + struct.pack("=BxHiII", family, 1, index, flags, 0)


def test_netlink_tells_carriers_and_links_that_are_gone() -> None:
    data = message(16, 3, 1 << 16) + message(16, 4, 0) + message(17, 5, 0) + message(16, 6, 0, socket.AF_BRIDGE)
    assert frames.link_changes(data) == [(3, True), (4, False), (5, None)]


#: What lldpcli 1.0.16 prints, cut to what matters.
HEARD = {
    "lldp": [
        {
            "interface": [
                {
                    "name": "fnn0",
                    "via": "LLDP",
                    "chassis": [{"id": [{"type": "mac", "value": "02:00:00:00:00:00"}], "name": [{"value": "red"}]}],
                    "port": [{"id": [{"type": "ifname", "value": "m0.0"}]}],
                },
                {"name": "fnn1", "chassis": [{"id": [{"type": "local", "value": "sw\x1b[31m7"}]}]},
            ]
        }
    ]
}


def test_lldp_neighbors_are_told_by_name_number_and_port() -> None:
    assert lldp.read(HEARD) == [["fnn0", "red", "02:00:00:00:00:00", "m0.0"], ["fnn1", "", "sw[31m7", ""]]


@pytest.mark.parametrize("heard", [{}, {"lldp": [{}]}, [], {"lldp": {"interface": 3}}, {"lldp": [{"interface": [7]}]}])
def test_no_neighbors_are_none(heard: object) -> None:
    assert lldp.read(heard) == []


class Ear:
    """A socket that has heard one frame, and keeps what is sent."""

    def __init__(self) -> None:
        self.next = b""
        self.sent: list[bytes] = []

    def recv(self, _size: int) -> bytes:
        return self.next

    def send(self, frame: bytes) -> None:
        self.sent.append(frame)


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> tuple[recorder.Recorder, Ear]:
    """A recorder that joins, with one NIC and an ear at it."""
    monkeypatch.setattr(recorder.nics, "nics", list)
    made = recorder.Recorder("k17", joins=True)
    ear = Ear()
    made._ears, made._nics, made._own = {ear: 7}, {7: dict(NICS[0])}, frames.word(NICS)
    return made, ear


def hear(made: recorder.Recorder, ear: Ear, token: str, number: int, name: str = "k18/fnn0") -> None:
    ear.next = frames.probe(MAC, token, number, name, b'[["fnn0","02:00:5e:10:00:02",true]]')
    made._hear(ear)


def test_who_hears_of_a_round_takes_part_and_tells_its_nics(standing: tuple[recorder.Recorder, Ear]) -> None:
    made, ear = standing
    made._send()
    assert ear.sent == []
    hear(made, ear, "77.abc", 0)
    made._send()
    assert [frames.parse(frame) for frame in ear.sent] == [("77.abc", 0, "k17/fnn0", frames.word(NICS))]
    record = made._record()
    assert record["heard"] == [["77.abc", 0, {"fnn0": ["k18/fnn0"]}]]
    assert json.loads(record["words"]["k18"]) == [["fnn0", "02:00:5e:10:00:02", True]]


def test_a_nic_that_has_gone_is_told_of_no_more(standing: tuple[recorder.Recorder, Ear]) -> None:
    made, _ = standing
    kernel, made._links = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    made._nics[8] = {"device": "fnn1", "mac": "02:00:5e:10:00:03", "carrier": True}
    for said, told in (
        (message(16, 8, 0), [["fnn0", MAC, True], ["fnn1", "02:00:5e:10:00:03", False]]),
        (message(17, 8, 0), [["fnn0", MAC, True]]),
    ):
        kernel.send(said)
        made._note()
        assert json.loads(made._own) == told
    kernel.close()
    made._links.close()


def test_forged_rounds_fill_neither_wire_nor_memory(standing: tuple[recorder.Recorder, Ear]) -> None:
    made, ear = standing
    for number in range(300):
        hear(made, ear, f"forged{number}", number % 256, f"m{number}/fnn0")
    made._send()
    assert len(ear.sent) == 2
    assert len(made._record()["heard"]) == 2


def test_who_was_told_of_a_run_joins_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder.nics, "nics", list)
    made, ear = recorder.Recorder("k17"), Ear()
    made._ears, made._nics = {ear: 7}, {7: dict(NICS[0])}
    made.plan("77.abc", [(0.0, 30.0), (100.0, 30.0)])
    hear(made, ear, "other", 0)
    hear(made, ear, "77.abc", 1)
    assert made._record()["heard"] == [["77.abc", 0, {"fnn0": []}], ["77.abc", 1, {"fnn0": ["k18/fnn0"]}]]
    assert made._send() < 1
    assert len(ear.sent) == 1


def test_the_service_has_all_that_it_imports() -> None:
    files = {wanted.path: wanted.content for wanted in service.service("k17").files()}
    unit = files.pop("/etc/systemd/system/flathood-recorder.service").decode()
    assert unit.rstrip().endswith("WantedBy=multi-user.target")
    assert "cabling.standing k17\n" in unit
    for path, content in files.items():
        for line in content.decode().splitlines():
            if line.startswith("from . import "):
                for name in line.removeprefix("from . import ").split(", "):
                    assert any(other.endswith(f"/cabling/{name}.py") for other in files), (path, line)
            assert not line.startswith("from .."), (path, line)
