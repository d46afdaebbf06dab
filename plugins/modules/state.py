#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tell what a machine has of the roles' files, and what its kernel shows."""

from __future__ import annotations

DOCUMENTATION = r"""
module: state
short_description: Tell what a machine has of flathood's files and live network state
version_added: 0.1.0
description:
  - Returns signatures of the files that the roles own on a machine, and digests of the network state that its kernel
    shows.
  - M(flathood.cluster.install) calls it once per run and machine, and compares the answer with the plan on the
    controller, so that a machine on which all is right costs one call for all roles together.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  platform:
    platforms: debian
options:
  look:
    description: For each role, the shell patterns of the files that tell its state.
    type: dict
    required: true
seealso:
  - module: flathood.cluster.install
"""

EXAMPLES = r"""
- name: Ask what is installed of the role hosts
  flathood.cluster.state:
    look:
      hosts: [/etc/hosts, /etc/hostname]
  register: machine
"""

RETURN = r"""
state:
  description: What the machine has and shows.
  returned: success
  type: dict
  contains:
    files:
      description: For each role, the mode and SHA-256 of each of its files.
      type: dict
      returned: always
    live:
      description: For each facet of the network state (links, addresses, neighbors and so on) the SHA-256 of its lines.
      type: dict
      returned: always
    leasing_for:
      description: Seconds since dnsmasq began to lease addresses, V(0) when it does not run.
      type: int
      returned: on the head
    no_carrier:
      description: The NICs that are up and have no carrier, with their neighborhood.
      type: list
      elements: str
      sample: ["fnn1 (blue)"]
      returned: always
    sysctl:
      description: For each role, the SHA-256 of the kernel's values of the keys that the role's sysctl file sets.
      type: dict
      returned: always
"""

from pathlib import Path

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.machine import role


def main() -> None:
    """Answer from the real root."""
    module = AnsibleModule(argument_spec={"look": {"type": "dict", "required": True}}, supports_check_mode=True)
    try:
        module.exit_json(changed=False, state=role.state(Path("/"), module.params["look"]))
    except role.TROUBLE as error:
        module.fail_json(msg=f"this machine's state cannot be read: {error}")


if __name__ == "__main__":
    main()
