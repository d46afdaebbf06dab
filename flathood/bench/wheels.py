# SPDX-License-Identifier: Apache-2.0
"""Message passing libraries on the nodes of a small lab, beside the Open MPI that every node has, and their start.

MPICH and PyTorch are Debian's; what else there is comes as wheels from PyPI, from a folder.
"""

from __future__ import annotations

import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from flathood.lab import Lab

#: Debian's, in the nodes' root file system, which is built for this.
PACKAGES = ("mpich", "python3-torch")
#: Where the wheels' files are on the nodes.
PLACE = "/opt/wheels"
#: Programs that are built for MPICH's binary interface look for it under another name, see `hand_out`.
MPICH = f"export LD_LIBRARY_PATH={PLACE}"
_UNPACK = f"tar -C /opt -xf - && ln -sf /usr/lib/*/libmpich.so.12 {PLACE}/libmpi.so.12"
#: Shells' words that start a Python program on all nodes: to be filled in with ``ranks`` and ``program``, quoted.
OPEN_MPI_START = "mpirun --allow-run-as-root -n {ranks} --mca mpi_yield_when_idle 1 python3 -c {program}"
MPICH_START = f"{MPICH} PYTHONPATH={PLACE}; mpirun.mpich -n {{ranks}} python3 -c {{program}}"
#: Gloo has no launcher of its own.
GLOO_START = OPEN_MPI_START.replace(" python3", " -x GLOO_SOCKET_IFNAME python3")


def hand_out(lab: Lab, wheels: Path | None) -> set[str]:
    """Unpack a folder's wheels on every node; programs among them may be run. The names of what was there."""
    files = sorted(wheels.glob("*.whl")) if wheels else []
    with tempfile.TemporaryDirectory(prefix="flathood-wheels-") as place:
        _hand_out(lab, files, Path(place))
    return {file.name.partition("-")[0] for file in files}


def _hand_out(lab: Lab, files: list[Path], place: Path) -> None:
    for wheel in files:
        shutil.unpack_archive(wheel, place / "wheels", "zip")
    (place / "wheels").mkdir(exist_ok=True)
    for program in (place / "wheels").glob("*.data/data/bin/*"):
        program.chmod(0o755)
    with tarfile.open(place / "wheels.tar", "w") as bundle:
        bundle.add(place / "wheels", arcname="wheels")
    for node in lab.machines:
        if node != "head":
            with (place / "wheels.tar").open("rb") as bundle_file:
                subprocess.run(lab.command(node, ["sh", "-c", _UNPACK]), stdin=bundle_file, check=True)
