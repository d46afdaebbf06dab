#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Make one machine what the plan says of one role: the part that runs on the machine."""

from __future__ import annotations

DOCUMENTATION = r"""
module: install
short_description: Install one role of the compiled network on one machine
version_added: 0.1.0
description:
  - Compares what a machine has with what the plan says of one role, ships only the files that differ, makes them
    live (names of the NICs, systemd-networkd, sysctl, host name, dnsmasq) and waits until the kernel shows it.
  - Files are put in place whole or not at all. Files of the role that the plan no longer has are removed.
  - Where the files are right but the live state is not (a neighbor entry was deleted, an address removed), it is
    repaired and reported as changed.
  - The plan is compiled once per run on the controller. The first call of a run fetches the machine's state for all
    roles; a call that finds nothing to do makes no connection at all.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.cluster
  - flathood.cluster.cluster.routing
  - flathood.cluster.cluster.compiler
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.flow
attributes:
  action:
    support: full
  async:
    support: none
  become:
    support: full
  bypass_host_loop:
    support: none
  check_mode:
    support: full
  connection:
    support: full
  delegation:
    support: none
  diff_mode:
    support: full
    details: One difference per file; where all files are right, one per facet of the live state.
  interpolation:
    support: full
  loops:
    support: full
  platform:
    platforms: debian
  tags:
    support: full
  until:
    support: full
options:
  role:
    description: The role to install. V(all) is every role of the machine at one go, where many change often.
    type: str
    required: true
    choices: [links, arp, hosts, routes, multicast, mpi, head, all]
  patience:
    description:
      - Seconds that a machine which cannot be reached gets at the first contact of a run, as it may still be booting or
        waiting for its address.
    type: int
    default: 20
  settle:
    description: Seconds that the kernel and systemd-networkd get until they must show what the plan expects.
    type: int
    default: 30
  diff_lines:
    description: Changed lines to show per file with C(--diff); V(0) shows all.
    type: int
    default: 60
  payload:
    description: The role's files and expectations, packed by the action plugin. Not for playbooks.
    type: str
seealso:
  - module: flathood.cluster.state
  - module: flathood.cluster.check
"""

EXAMPLES = r"""
- name: Install the permanent neighbor entries of this machine
  flathood.cluster.install:
    role: arp
    directory: "{{ inventory_dir }}"

- name: Install links, with the node address on a portless bridge as this kernel has no dummy devices
  flathood.cluster.install:
    role: links
    directory: "{{ inventory_dir }}"
    options:
      node_device: bridge
    patience: 120
"""

RETURN = r"""
done:
  description: What was done, in order, one line each; empty in check mode.
  returned: when anything differed
  type: list
  elements: str
  sample: ["/etc/hosts: written"]
leasing_for:
  description: Seconds since dnsmasq began to lease addresses, V(0) when it does not run.
  returned: on the head
  type: int
no_carrier:
  description: The NICs that are up and have no carrier, with their neighborhood. Nothing fails for them.
  returned: when there are any
  type: list
  elements: str
  sample: ["fnn1 (blue)"]
state:
  description:
    - The machine's state after the change, as M(flathood.cluster.state) tells it. The action plugin takes it out of the
      result and keeps it for the next role.
  returned: when anything differed
  type: dict
"""

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.machine import diffs, role
from ansible_collections.flathood.cluster.plugins.module_utils.machine.options import INSTALL


def main() -> None:
    """Apply the payload to the real root."""
    module = AnsibleModule(argument_spec=INSTALL, supports_check_mode=True)
    root = Path("/")
    try:
        sent = role.unpack(module.params["payload"])
        outcome = role.converge(root, sent, check=module.check_mode, settle=module.params["settle"])
        result = {"changed": outcome.changed, "done": outcome.done, "state": role.state(root, sent.look)}
    except role.TROUBLE as error:
        module.fail_json(msg=str(error))
    if module._diff:
        result["diff"] = diffs.of(outcome, module.params["diff_lines"])
    if outcome.problems:
        module.fail_json(msg="; ".join(outcome.problems), **result)
    module.exit_json(**result)


if __name__ == "__main__":
    main()
