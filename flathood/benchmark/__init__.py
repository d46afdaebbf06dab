# SPDX-License-Identifier: Apache-2.0
"""Measuring what the network delivers to MPI, in each mode of routing, beside what was predicted.

What belongs here: what is run and how it is started, what it told, and the report of it.
"""

from flathood.benchmark.results import keep, load, medium
from flathood.benchmark.work import Job, Wanted, job

__all__ = ["Job", "Wanted", "job", "keep", "load", "medium"]
