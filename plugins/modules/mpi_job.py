#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run an all-to-all over the cluster with the node's own Open MPI."""

from __future__ import annotations

DOCUMENTATION = r"""
module: mpi_job
short_description: Run a checked MPI all-to-all with the files that role mpi wrote
version_added: 0.1.0
description:
  - Starts C(mpirun --hostfile) on this node with a small mpi4py program in which every pair of ranks exchanges a word,
    and then every rank sends every other rank blocks whose contents the receiver checks. Pairs between which no word
    passes are named.
  - The libraries are the distribution's own; all that makes them work on this network is in the files of role C(mpi)
    and in the routes.
  - A job that does not end in time is killed with everything it started.
  - In a run of the playbook C(validate) there is no job when a node took no part or when plain traffic has failed
    already.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
    details: The module changes nothing, so it does the same in check mode.
  diff_mode:
    support: none
  platform:
    platforms: linux
    details: It needs C(openmpi-bin) and C(python3-mpi4py) on every node, and ssh between the nodes.
options:
  hostfile:
    description: The hostfile, on this node. By default the one that role C(mpi) writes.
    type: path
  ranks:
    description: How many ranks to start. By default one on every node of the plan.
    type: int
  seconds:
    description: How long the job may take. By default a minute, and two seconds more for each rank.
    type: int
"""

EXAMPLES = r"""
- name: Run an all-to-all over all nodes
  flathood.cluster.mpi_job:
  run_once: true
"""

RETURN = r"""
reason:
  description: Why no job could be started; empty when there was one.
  returned: always
  type: str
trouble:
  description: What was wrong with the job; empty when all blocks arrived unchanged.
  returned: always
  type: str
ranks:
  description: How many ranks took part.
  returned: always
  type: int
seconds:
  description: How long mpirun ran, start and end included.
  returned: always
  type: float
"""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.mpi_alltoall import SOURCE

#: How many pairs are named.
NAMED = 10


def missing(hostfile: str) -> str:
    """What is not there and without which there is no job."""
    if not shutil.which("mpirun"):
        return "there is no mpirun on this node (Debian: openmpi-bin)"
    if subprocess.run(["python3", "-c", "import mpi4py"], capture_output=True, check=False).returncode:
        return "there is no mpi4py on this node (Debian: python3-mpi4py)"
    return "" if Path(hostfile).is_file() else f"there is no {hostfile} on this node: run site.yml with --tags mpi"


def launch(hostfile: str, ranks: int, seconds: int) -> tuple[str, str]:
    """What the job printed, and what was wrong with it."""
    # Ranks that busy-wait would keep each other from running where a machine has fewer processors than ranks (as in
    # the lab).
    argv = ["mpirun", "--hostfile", hostfile, "-n", str(ranks), "--mca", "mpi_yield_when_idle", "1"]
    if os.geteuid() == 0:
        argv.append("--allow-run-as-root")
    job = subprocess.Popen(
        [*argv, "python3", "-c", SOURCE, str(seconds / 2)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        output, complaints = job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        # TERM first: mpirun then ends its daemons on the other nodes as well.
        os.killpg(job.pid, signal.SIGTERM)
        try:
            job.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
            job.communicate()
        return "", f"the job was not done after {seconds} s and was killed"
    if job.returncode:
        apart = silent_pairs(complaints, machines(hostfile))
        if apart:
            return output, apart
        lines = [line for line in complaints.splitlines() if line.strip(" -")]
        return output, f"mpirun ended with {job.returncode}: {' / '.join(lines[:4])}"
    return output, ""


def machines(hostfile: str) -> list[str]:
    """The machines of a hostfile, in the order in which ranks are dealt out to them."""
    lines = Path(hostfile).read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


def silent_pairs(complaints: str, names: list[str]) -> str:
    """Who exchanged no word with whom, of what the ranks said; "" when none said so."""
    pairs = set()
    for line in complaints.splitlines():
        word, _, ranks = line.partition(" ")
        if word == "no-word" and all(rank.isdecimal() and int(rank) < len(names) for rank in ranks.split()):
            one, *others = (names[int(rank)] for rank in ranks.split())
            pairs |= {tuple(sorted((one, other))) for other in others}
    told = [f"{one} and {other}" for one, other in sorted(pairs)]
    more = f", and {len(told) - NAMED} more pairs" if len(told) > NAMED else ""
    return f"no word passes by MPI between {', '.join(told[:NAMED])}{more}" if told else ""


def verdict(output: str, ranks: int) -> str:
    """What is wrong with what the job says of itself."""
    try:
        word = json.loads(output.strip().splitlines()[-1])
    except (ValueError, IndexError):
        return f"the job printed no result: {output[-200:]!r}"
    if word["ranks"] != ranks or len(word["machines"]) != ranks:
        return f"{word['ranks']} ranks ran on {len(word['machines'])} machines, not {ranks} on {ranks}"
    if word["wrong"]:
        source, target, size = word["wrong"][0]
        return f"{len(word['wrong'])} blocks came changed, the first from rank {source} to {target} ({size} bytes)"
    return ""


def main() -> None:
    """Run the job."""
    module = AnsibleModule(
        argument_spec={
            "hostfile": {"type": "path"},
            "ranks": {"type": "int"},
            "seconds": {"type": "int"},
        },
        supports_check_mode=True,
    )
    hostfile, ranks = module.params["hostfile"], module.params["ranks"]
    began = time.monotonic()
    reason, trouble = missing(hostfile), ""
    if not reason:
        output, trouble = launch(hostfile, ranks, module.params["seconds"])
        trouble = trouble or verdict(output, ranks)
    seconds = round(time.monotonic() - began, 1)
    module.exit_json(changed=False, reason=reason, trouble=trouble, ranks=ranks, seconds=seconds)


if __name__ == "__main__":
    main()
