#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""The DHCP server of power-on discovery, on the head."""

from __future__ import annotations

DOCUMENTATION = r"""
module: discovery_head
short_description: Check the head for power-on discovery, and run its DHCP server with a journal
version_added: 0.1.0
description:
  - V(checked) looks whether discovery can begin - dnsmasq, the DHCP port, other DHCP servers on the wire, the clock,
    the cable, the addresses. It changes nothing.
  - V(started) runs dnsmasq so that it leases an address from O(pool) to whoever asks, and writes each lease to the
    journal C(/var/lib/flathood/discovery/journal.jsonl). The service C(dnsmasq.service) stops meanwhile. If it is
    killed it comes back by itself.
  - V(stopped) ends that. The journal and the leases stay; C(dnsmasq.service) runs again if it is enabled.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
  diff_mode:
    support: none
  platform:
    platforms: debian
options:
  state:
    description: What to do.
    type: str
    choices: [checked, started, stopped]
    required: true
  address:
    description: The head's address on the uplink, by which its NIC is found.
    type: str
    required: true
  pool:
    description: Addresses for machines that are being discovered. The head gets the first one meanwhile.
    type: str
    default: 198.18.0.0/16
  lease:
    description: Seconds that a lease lasts. A machine that was discovered asks again within this time.
    type: int
    default: 120
  most:
    description: Most leases at a time.
    type: int
    default: 4096
  controller_time:
    description: The controller's clock, in seconds since 1970.
    type: float
seealso:
  - module: flathood.cluster.discover
"""

EXAMPLES = r"""
- name: Look whether discovery can begin
  flathood.cluster.discovery_head:
    state: checked
    address: 10.78.0.254
    controller_time: "{{ now(utc=true).timestamp() }}"
"""

RETURN = r"""
checks:
  description: What was looked at; C(said) has what to do where C(ok) is false.
  returned: when O(state=checked)
  type: list
  elements: dict
  sample: [{name: clock, ok: true, said: the clock is sane}]
device:
  description: The head's NIC on the uplink.
  returned: success
  type: str
  sample: fnn0
mac:
  description: Its MAC address.
  returned: success
  type: str
  sample: 02:00:5e:10:00:01
journal:
  description: The journal on the head.
  returned: success
  type: str
  sample: /var/lib/flathood/discovery/journal.jsonl
"""

import subprocess
from ipaddress import IPv4Network

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.discovery import checks, hook, service
from ansible_collections.flathood.cluster.plugins.module_utils.machine.command import MachineError

ARGUMENTS = {
    "state": {"type": "str", "choices": ["checked", "started", "stopped"], "required": True},
    "address": {"type": "str", "required": True},
    "pool": {"type": "str", "default": "198.18.0.0/16"},
    "lease": {"type": "int", "default": 120},
    "most": {"type": "int", "default": 4096},
    "controller_time": {"type": "float"},
}


def main() -> None:
    """Do what `state` says."""
    module = AnsibleModule(argument_spec=ARGUMENTS, supports_check_mode=True)
    wanted = module.params
    try:
        pool = IPv4Network(wanted["pool"])
        if pool.prefixlen > 24:
            raise ValueError(f"{pool}: the pool must have room for a lease per NIC: take a /24 or larger")
        device, mac = service.nic_with(wanted["address"])
        result = {"changed": False, "device": device, "mac": mac, "journal": hook.JOURNAL, "hook": hook.HOOK}
        if wanted["state"] == "checked":
            result["checks"] = checks.all_checks(device, pool, wanted["controller_time"])
            wrong = [str(check["said"]) for check in result["checks"] if not check["ok"]]
            if wrong:
                module.fail_json(msg="; ".join(wrong), **result)
        elif wanted["state"] == "started" and not module.check_mode:
            settings = service.Settings(device, pool, wanted["lease"], wanted["most"])
            result["changed"] = service.start(settings)
        elif not module.check_mode:
            result["changed"] = service.stop()
    except (OSError, ValueError, subprocess.SubprocessError, MachineError) as error:
        module.fail_json(msg=str(error))
    module.exit_json(**result)


if __name__ == "__main__":
    main()
