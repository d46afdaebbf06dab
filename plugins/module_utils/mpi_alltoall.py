# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that every rank runs, as text: it travels on mpirun's command line, no file has to be on the nodes."""

from __future__ import annotations

#: Every rank sends every rank a block that says who sent it to whom; small blocks go out eagerly, large ones by
#: rendezvous.
SOURCE = r"""
import hashlib, json, sys
from mpi4py import MPI
comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
def block(source, target, size):
    return hashlib.sha256(b"%d>%d" % (source, target)).digest() * (size // 32)
comm.Barrier()
began = MPI.Wtime()
wrong = []
for size in (1024, 98304):
    sent = b"".join(block(rank, target, size) for target in range(ranks))
    received = bytearray(len(sent))
    comm.Alltoall([sent, MPI.BYTE], [received, MPI.BYTE])
    for source in range(ranks):
        if received[source * size:(source + 1) * size] != block(source, rank, size):
            wrong.append([source, rank, size])
seconds = MPI.Wtime() - began
words = comm.gather((MPI.Get_processor_name(), wrong))
if rank == 0:
    machines = sorted({name for name, _ in words})
    print(json.dumps({"ranks": ranks, "machines": machines, "seconds": seconds, "wrong": sum((w for _, w in words),
    [])}))
"""
