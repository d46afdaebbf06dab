#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The service that goes around what is dead."""

from __future__ import annotations

DOCUMENTATION = r"""
module: failover
short_description: Have a node go around dead NICs, cables and switches
version_added: 0.1.0
description:
  - Installs a service, C(flathood-failover.service), that watches this node's NICs, by their carriers and by short
    questions to other nodes, and tells all nodes by broadcast when one of them is dead, and when it lives again.
  - Every node that hears it reaches the addresses behind the dead NIC by another neighborhood that the two share, and
    where there is none through the uplink switch. Connections that are open live on.
  - The detours are in a routing table of their own, number 7706, with a rule that is there only as long as there are
    any. What systemd-networkd set up stays as it is.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.service
  - ansible.builtin.action_common_attributes
attributes:
  platform:
    platforms: linux
    details: It needs systemd, Python 3 and iproute2, and the files of the roles links, arp and routes.
"""

EXAMPLES = r"""
- name: Have every node go around what is dead
  flathood.cluster.failover:
"""

RETURN = r"""
files:
  description: The files that changed, or would.
  returned: always
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.failover.service import service
from ansible_collections.flathood.cluster.plugins.module_utils.machine import units


def main() -> None:
    """Install or remove the service."""
    module = AnsibleModule(argument_spec=units.STATE, supports_check_mode=True)
    units.answer(module, service())


if __name__ == "__main__":
    main()
