#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: benchmark
short_description: Make a benchmark's command line, or the report of what it printed
version_added: 0.1.0
description:
  - Without O(output), makes the C(mpirun) command line that measures the network in one mode of routing, by the
    operations of the Intel MPI Benchmarks and by plain connections. Run it on the first node with
    M(ansible.builtin.command).
  - With O(output), writes what that command printed to C(ROUTING.json), and makes C(results.json), plots and
    C(report.html) of all modes that were measured into the same folder.
  - Runs on the controller and makes no connection.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  check_mode:
    support: full
    details: The report is written in check mode too; nothing else is.
  platform:
    details: It runs on the controller. Nodes need C(openmpi-bin), C(python3-mpi4py), C(iperf3) and C(mptcpize).
options:
  routing:
    description: The mode that the nodes are in. By default what C(cluster.yml) says.
    type: str
    choices: [basic, advanced, tree]
  benchmarks:
    description: What to measure.
    type: list
    elements: str
    choices: [tcp, mptcp, barrier, pingpong, sendrecv, exchange, alltoall]
    default: [tcp, mptcp, barrier, pingpong, sendrecv, exchange, alltoall]
  sizes:
    description: Bytes of a message, each at most 16 MiB.
    type: list
    elements: int
    default: [0, 65536, 1048576]
  groups:
    description: Ranks in a group. By default 2, and all nodes.
    type: list
    elements: int
    default: []
  seconds:
    description: How long each case is repeated.
    type: float
    default: 2.0
  root:
    description: Whether root will run the command, which Open MPI has to be told.
    type: bool
    default: false
  output:
    description: What the command printed.
    type: str
  directory:
    description: Where the results and the report are written; made if it is not there. Needed with O(output).
    type: path
"""

EXAMPLES = r"""
- name: Make the command line
  flathood.cluster.benchmark:
    benchmarks: [exchange]
    sizes: [65536, 4194304]
  register: work
  run_once: true

- name: Measure
  ansible.builtin.command:
    argv: "{{ work.argv }}"
  register: measured
  changed_when: false
  run_once: true

- name: Write the report
  flathood.cluster.benchmark:
    output: "{{ measured.stdout }}"
    directory: build/klat2/benchmark
  run_once: true
"""

RETURN = r"""
argv:
  description: The command line.
  returned: when O(output) is not given
  type: list
  elements: str
outlook:
  description: How many cases it measures, and about how long that takes.
  returned: when O(output) is not given
  type: str
  sample: 7 cases, about 12 min
report:
  description: Path of the page.
  returned: when O(output) is given
  type: str
notes:
  description: What limits the figures, and how well they were predicted.
  returned: when O(output) is given
  type: list
  elements: str
"""
