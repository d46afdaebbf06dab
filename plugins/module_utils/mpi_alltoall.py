# SPDX-License-Identifier: GPL-3.0-or-later
"""The program that every rank runs, as text: it travels on mpirun's command line, no file has to be on the nodes."""

from __future__ import annotations

#: First every pair of ranks has to exchange a word within LIMIT seconds: who cannot is named, where an all-to-all would
#: hang and say nothing. Then every rank sends every rank a block that says who sent it to whom; small blocks go out
#: eagerly, large ones by rendezvous.
SOURCE = r"""
import hashlib, json, sys, time
from mpi4py import MPI
LIMIT = float(sys.argv[1])
comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
def block(source, target, size):
    return hashlib.sha256(b"%d>%d" % (source, target)).digest() * (size // 32)
def done(requests):
    try:
        return MPI.Request.Testall(requests)
    except MPI.Exception:
        return False
def word(peer):
    try:
        return [comm.Irecv(bytearray(8), peer, 1), comm.Isend(bytes(8), peer, 1)]
    except MPI.Exception:
        return None
silent = {peer: word(peer) for peer in range(ranks) if peer != rank}
end = MPI.Wtime() + LIMIT
while silent and MPI.Wtime() < end:
    silent = {peer: pair for peer, pair in silent.items() if pair is None or not done(pair)}
if silent:
    print("no-word", rank, *silent, file=sys.stderr, flush=True)
    time.sleep(LIMIT / 4)
    comm.Abort(3)
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
