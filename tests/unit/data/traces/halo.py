# SPDX-License-Identifier: Apache-2.0
"""The program behind halo.*.prof: a halo exchange on a 2 x 4 grid, a sum in every step, one put and one get."""

import numpy as np
from mpi4py import MPI

grid = MPI.COMM_WORLD.Create_cart([2, 4], periods=[False, True])
for _ in range(20):
    for side, size in ((0, 4096), (1, 1024)):
        low, high = grid.Shift(side, 1)
        for source, target in ((low, high), (high, low)):
            grid.Sendrecv(np.zeros(size, "u1"), target, 0, np.zeros(size, "u1"), source, 0)
    grid.Allreduce(MPI.IN_PLACE, np.zeros(1))
window = MPI.Win.Allocate(1 << 16, comm=grid)
window.Fence()
if grid.rank == 0:
    window.Put(np.zeros(50_000, "u1"), 7)
if grid.rank == 5:
    window.Get(np.zeros(30_000, "u1"), 2)
window.Fence()
window.Free()
