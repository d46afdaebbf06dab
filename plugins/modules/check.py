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
  - flathood.cluster.controller
  - flathood.cluster.cluster
  - flathood.cluster.cluster.routing
  - flathood.cluster.cluster.compiler
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
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
