#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""The recorder that a machine has from boot on."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cabling_recorder
short_description: Have a machine record its carriers from boot on, and answer probes that it hears
version_added: 0.1.0
description:
  - Installs a service, C(flathood-recorder.service), that notes every change of a carrier, in bounded memory. It sends
    nothing by itself, and listens for the probes of M(flathood.cluster.cabling).
  - A machine that the head cannot reach - its first cable is dead, its switch has no uplink - hears the probes of its
    neighbors and sends its own then. They tell its NICs to the neighbors, so that an audit can judge its cables.
  - What it recorded is collected by M(flathood.cluster.cabling) where the machine could not be told of a run.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.service
  - ansible.builtin.action_common_attributes
attributes:
  platform:
    platforms: linux
    details: It needs systemd, Python 3 and iproute2.
options:
  machine:
    description: What the machine is called in C(cluster.yml).
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Have every machine record its carriers
  flathood.cluster.cabling_recorder:
    machine: "{{ inventory_hostname }}"
"""

RETURN = r"""
files:
  description: The files that changed, or would.
  returned: always
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.cabling.service import service
from ansible_collections.flathood.cluster.plugins.module_utils.machine import units


def main() -> None:
    """Install or remove the service."""
    module = AnsibleModule(
        argument_spec=units.STATE | {"machine": {"type": "str", "required": True}}, supports_check_mode=True
    )
    units.answer(module, service(module.params["machine"]))


if __name__ == "__main__":
    main()
