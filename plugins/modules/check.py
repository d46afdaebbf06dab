# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of flathood.cluster.check, which runs on the controller as an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: check
short_description: Prove offline that every pair of machines talks as planned
version_added: 0.1.0
description:
  - Compiles every machine's files and proves over their bytes, without touching a machine, that each ordered pair of
    nodes goes from name to address to route to NIC to neighbor entry to cable to the peer's NIC across one switch.
  - It runs on the controller and makes no connection, whatever machine the task is for. Run it once per play.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  action:
    support: full
  async:
    support: none
  become:
    support: none
  bypass_host_loop:
    support: none
  bypass_task_loop:
    support: none
  check_mode:
    support: full
  connection:
    support: none
  delegation:
    support: none
  diff_mode:
    support: none
  interpreter_discovery:
    support: none
  platform:
    platforms: all
  tags:
    support: full
  until:
    support: full
  idempotent:
    description: When run twice in a row outside check mode, the second time reports no change.
    support: full
options:
  directory:
    description: Directory of the cluster's three files (C(cluster.yml), C(wiring.yml), C(macs.yml)) on the controller.
    type: path
    required: true
  routing:
    description: How pairs use the switches that they share. By default what C(cluster.yml) says.
    type: str
    choices: [basic, advanced, tree]
  options:
    description: Role inputs that change the compiled files, as those of M(flathood.cluster.install).
    type: dict
    suboptions:
      node_device:
        description: Kind of the device C(node0), which has the node address.
        type: str
        choices: [dummy, ifb, bridge]
      mpi_slots:
        description: Ranks that MPI starts on a node.
        type: int
      hosts_extra:
        description: Lines to add to C(/etc/hosts).
        type: list
        elements: str
seealso:
  - module: flathood.cluster.install
"""

EXAMPLES = r"""
- name: Prove the plan before any machine is touched
  flathood.cluster.check:
    directory: "{{ inventory_dir }}"
  run_once: true
"""

RETURN = r"""
proved:
  description: How many statements of each kind were proved.
  returned: always
  type: dict
  sample: {names: 4032, paths: 36864, arp: 256}
"""
