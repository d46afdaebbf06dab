# SPDX-License-Identifier: Apache-2.0
"""The benchmarks that every rank runs, as text: it travels on mpirun's command line, no file has to be on the nodes.

The operations are those of the Intel MPI Benchmarks 2021 (IMB-MPI1) and are counted as there: groups of consecutive
ranks, one group or all at once (its -multi), a time for each group. Ranks that have nothing to do sleep, as they
would keep others from running where machines share processors. `tcp` and `mptcp` are one connection of iperf3 each, by
the name that the node's own /etc/hosts has for the other; mptcpize(8) makes it one of MPTCP.
"""

from __future__ import annotations

#: Its argument: JSON with ``seconds`` (how long to repeat each), ``most`` (repetitions), and ``cases``, a list of
#: [benchmark, size, group, multi], or [tcp, seconds, other rank, false]. It prints one JSON line a case.
SOURCE = r"""
import json, shutil, subprocess, sys, time
from mpi4py import MPI
world = MPI.COMM_WORLD
rank, ranks = world.Get_rank(), world.Get_size()
work = json.loads(sys.argv[1])

def calm(comm):
    request = comm.Ibarrier()
    while not request.Test():
        time.sleep(0.002)

def operation(name, comm, size):
    me, p = comm.Get_rank(), comm.Get_size()
    left, right = (me - 1) % p, (me + 1) % p
    out, first, second = bytearray(size), bytearray(size), bytearray(size)
    if name == "barrier":
        return comm.Barrier
    if name == "pingpong":
        def play():
            if me == 0:
                comm.Send(out, 1)
                comm.Recv(first, 1)
            else:
                comm.Recv(first, 0)
                comm.Send(out, 0)
        return play
    if name == "sendrecv":
        return lambda: comm.Sendrecv(out, right, 0, first, left, 0)
    if name == "exchange":
        def play():
            sent = [comm.Isend(out, right), comm.Isend(out, left)]
            comm.Recv(first, left)
            comm.Recv(second, right)
            MPI.Request.Waitall(sent)
        return play
    block, all_blocks = bytearray(size * p), bytearray(size * p)
    return lambda: comm.Alltoall([block, size, MPI.BYTE], [all_blocks, size, MPI.BYTE])

def timed(name, comm, size):
    play = operation(name, comm, size)
    comm.Barrier()
    began = time.perf_counter()
    play()
    once = comm.allreduce(time.perf_counter() - began, MPI.MAX)
    count = int(min(work["most"], max(1, work["seconds"] / max(once, 1e-9))))
    comm.Barrier()
    began = time.perf_counter()
    for _ in range(count):
        play()
    took = (time.perf_counter() - began) / count / (2 if name == "pingpong" else 1)
    return comm.allreduce(took, MPI.MAX), count

def bench(name, size, group, multi):
    color = rank // group if rank < ranks // group * group else MPI.UNDEFINED
    if not multi and color != 0:
        color = MPI.UNDEFINED
    comm = world.Split(color, rank)
    calm(world)
    told = None
    if comm != MPI.COMM_NULL:
        told = timed(name, comm, size)
        told = told if comm.Get_rank() == 0 else None
        comm.Free()
    calm(world)
    return told

def connection(name, seconds, other):
    iperf = ["mptcpize", "run", "iperf3"] if name == "mptcp" else ["iperf3"]
    absent = [tool for tool in ("iperf3", iperf[0]) if rank in (0, other) and not shutil.which(tool)]
    lacks = f"{MPI.Get_processor_name()} has no {absent[0]}: apt-get install {absent[0]}" if absent else ""
    if lacking := [word for word in world.allgather(lacks) if word]:
        raise OSError(lacking[0])
    server, told = None, None
    if rank == other:
        words = [*iperf, "--server", "--one-off", "--forceflush"]
        server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while (line := server.stdout.readline()) and "listening" not in line:
            pass
    where = world.allgather(MPI.Get_processor_name())[other]
    if rank == 0:
        words = ["timeout", str(seconds + 60), *iperf, "--client", where]
        words += ["--time", str(seconds), "--omit", "1", "--json"]
        told = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
    calm(world)
    if server:
        server.kill()
        server.wait()
    told = world.bcast(told)
    try:
        return json.loads(told)["end"]["sum_received"]["bits_per_second"] / 8
    except (ValueError, LookupError):
        raise OSError(f"iperf3 to {where} failed: {told.strip()[-300:]}") from None

for name, size, group, multi in work["cases"]:
    word = {"benchmark": name, "size": size, "group": group, "multi": multi}
    if name in ("tcp", "mptcp"):
        try:
            word["bytes_per_second"] = connection(name, size, group)
        except OSError as error:
            word["trouble"] = str(error)
    else:
        told = world.gather(bench(name, size, group, multi))
        if rank == 0:
            each = [one for one in told if one]
            word["seconds"] = [seconds for seconds, _ in each]
            word["repetitions"] = min(count for _, count in each)
    if rank == 0:
        print(json.dumps(word), flush=True)
"""
