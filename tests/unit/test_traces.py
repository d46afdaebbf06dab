# SPDX-License-Identifier: Apache-2.0
"""Recordings of MPI programs: one that Open MPI wrote, ranks on nodes, and what is wrong with files told."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from flathood.design.profiles import name_of, traffic
from flathood.design.traces import read_trace
from flathood.errors import InvalidInput

DATA = Path(__file__).parent / "data" / "traces"
HALO = DATA / "halo"


def copy(folder: Path, count: int = 8) -> Path:
    for rank in range(count):
        shutil.copy(DATA / f"halo.{rank}.prof", folder)
    return folder / "halo"


def test_a_recording_of_open_mpi_holds_what_its_program_sent() -> None:
    sent = read_trace(HALO, 8)
    assert (sent == sent.T).all()
    assert not sent.diagonal().any()
    # Twenty rounds of 1,024 bytes each way along a row, and what the collectives sent on the same way.
    assert sent[0, 1] == 2 * 20 * 1024 + 4456 + 312
    assert sent[4, 7] == 2 * 20 * 1024
    # One put, one get; ranks 2 and 4 have only a step of a collective in common, 1 and 6 nothing.
    assert sent[0, 7] == 50_000
    assert sent[2, 5] == 30_000
    assert sent[2, 4] == 4144
    assert sent[1, 6] == 0
    # The two rows of the grid: 4,096 bytes each way.
    assert all(2 * 20 * 4096 <= sent[rank, rank + 4] < 2 * 20 * 4096 + 5000 for rank in range(4))


@pytest.mark.parametrize(("ranks", "group"), [("block", lambda rank: rank // 2), ("cyclic", lambda rank: rank % 4)])
def test_ranks_on_one_node_need_no_network(ranks: str, group: object) -> None:
    alone, sent = read_trace(HALO, 8), read_trace(HALO, 4, ranks)
    expected = np.zeros((4, 4))
    for i in range(8):
        for j in range(8):
            if group(i) != group(j):
                expected[group(i), group(j)] += alone[i, j]
    assert (sent == expected).all()


def test_a_recording_is_a_profile() -> None:
    weights = traffic({"trace": "halo"}, 8, DATA)
    assert weights == pytest.approx(read_trace(HALO, 8) * 8 / read_trace(HALO, 8).sum())
    assert name_of({"trace": "halo"}) == "halo"
    mix = [{"profile": {"trace": "halo", "ranks": "cyclic"}, "weight": 1}, {"profile": "ring", "weight": 1}]
    assert traffic(mix, 4, DATA).sum() == pytest.approx(4)


def test_other_versions_name_the_kinds_the_other_way_round(tmp_path: Path) -> None:
    (tmp_path / "run.0.prof").write_text("# POINT TO POINT\nI\t0\t1\t7 bytes\t1 msgs sent\t0,1\n# RMA\n")
    (tmp_path / "run.1.prof").write_text("E\t1\t0\t5 bytes\t1 msgs sent\n")
    assert read_trace(tmp_path / "run", 2)[0, 1] == 12


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    (copy(tmp_path).with_name("halo.3.prof")).unlink()
    with pytest.raises(InvalidInput) as caught:
        read_trace(tmp_path / "halo", 8)
    assert [problem.message.partition(":")[0] for problem in caught.value.problems] == [
        "a recording of 7 ranks for 8 nodes; it holds several ranks on a node when their number is a multiple of the "
        "nodes'",
        "halo.3.prof is missing",
    ]


def test_what_is_no_recording_is_told_line_by_line(tmp_path: Path) -> None:
    (tmp_path / "run.0.prof").write_text("E\t0\t1\t7 bytes\t1 msgs sent\nE\t1\t0\t1 bytes\t1 msgs sent\n0.5,0.5\n")
    (tmp_path / "run.1.prof").write_text("E\t1\t2\t7 bytes\t1 msgs sent\nE\t1\t0\t-7 bytes\t1 msgs sent\n")
    with pytest.raises(InvalidInput) as caught:
        read_trace(tmp_path / "run", 2)
    told = [(Path(problem.file).name, problem.line, problem.message) for problem in caught.value.problems]
    assert told == [
        ("run.0.prof", 2, "is of rank 1, not of rank 0 as the file's name"),
        ("run.0.prof", 3, told[1][2]),
        ("run.1.prof", 1, "a peer of rank 2, but there are 2 files"),
        ("run.1.prof", 2, told[1][2]),
    ]
    assert told[1][2].startswith("not understood: a file of Open MPI's monitoring has lines such as")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "there is no file run.0.prof: give NAME"),
        ({"run.0.prof": "", "run.1.prof": "#\n"}, "no bytes went from one node to another"),
        ({"run.0.prof": b"\xff", "run.1.prof": ""}, "is not UTF-8"),
    ],
)
def test_recordings_without_use(tmp_path: Path, files: dict[str, str | bytes], message: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InvalidInput, match=message):
        read_trace(tmp_path / "run", 2)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="the recording cannot be read: No such file"):
        read_trace(tmp_path / "none" / "run", 2)
