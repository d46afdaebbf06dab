# SPDX-License-Identifier: Apache-2.0
"""The genetic search on two islands: two processes of this machine and MPI with two ranks write the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MPI = ("mpirun", "--oversubscribe", "-n", "2", sys.executable, "-m", "mpi4py.futures", "-m", "flathood")


def design(folder: Path, *command: str) -> bytes:
    folder.mkdir()
    shutil.copy(ROOT / "inventories/octet/cluster.yml", folder)
    options = ("--engine", "genetic", "--profile", "ring", "--rounds", "1", "--jobs", "2")
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    subprocess.run(
        [*command, "design", folder, *options],
        cwd=ROOT,
        env=os.environ | root,
        capture_output=True,
        timeout=180,
        check=True,
    )
    return (folder / "wiring.yml").read_bytes()


def test_processes_and_mpi_write_the_same_bytes(tmp_path: Path) -> None:
    here = design(tmp_path / "processes", sys.executable, "-m", "flathood")
    assert b'engine: "genetic"' in here or b"engine: genetic" in here
    assert design(tmp_path / "mpi", *MPI) == here
