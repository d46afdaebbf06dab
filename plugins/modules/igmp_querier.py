#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The IGMP querier of the head."""

from __future__ import annotations

DOCUMENTATION = r"""
module: igmp_querier
short_description: Have a machine ask who is a member of which multicast group
version_added: 0.1.0
description:
  - Installs a service, C(flathood-querier.service), that sends general queries of IGMP (RFC 3376) on one NIC, every 125
    seconds, unless a querier with a lower address does.
  - Switches that snoop (RFC 4541) learn members from the answers, and forget them when nobody asks. Where no switch of
    the cluster asks, the head can.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.service
  - ansible.builtin.action_common_attributes
attributes:
  platform:
    platforms: linux
    details: It needs systemd and Python 3.
options:
  device:
    description: The NIC to ask on.
    type: str
    default: fnn0
"""

EXAMPLES = r"""
- name: Have the head ask who is a member of which group
  flathood.cluster.igmp_querier:
"""

RETURN = r"""
files:
  description: The files that changed, or would.
  returned: always
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.igmp.service import service
from ansible_collections.flathood.cluster.plugins.module_utils.machine import units


def main() -> None:
    """Install or remove the service."""
    module = AnsibleModule(
        argument_spec=units.STATE | {"device": {"type": "str", "default": "fnn0"}}, supports_check_mode=True
    )
    units.answer(module, service(module.params["device"]))


if __name__ == "__main__":
    main()
