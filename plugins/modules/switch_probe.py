#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Find out which switch a cable is in, by what switches learn and flood."""

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_probe
short_description: Find out which switch a cable is in while everything runs
version_added: 0.1.0
description:
  - NICs whose cables were moved send one frame per neighborhood, each from an address that nobody has, to NICs that are
    known to be there. The head then calls these addresses. What the uplink switch has not learnt it floods, and
    listeners hear it; that tells which frame stayed within one switch.
  - Any switch will do, none is asked or switched off, and no traffic is held up.
  - Listeners leave a process behind that ends when it is collected, or by itself after ten minutes. NICs to be asked
    about that are down are brought up.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
    details: Nothing changes that stays, so it is done in check mode too.
  diff_mode:
    support: none
  platform:
    platforms: linux
    details: It needs raw sockets (root) and iproute2.
options:
  phase:
    description:
      - V(listen) leaves a listener behind.
      - V(speak) waits for carriers and sends the frames of the NICs in question.
      - V(call) has the head call.
      - V(collect) ends the listener.
      - V(announce) leaves a process behind that has every NIC say hello about once a second, as cables are about to be
        moved and nobody else would tell the switches. It ends by itself after a day.
      - V(hush) ends it.
    type: str
    choices: [listen, speak, call, collect, announce, hush]
    required: true
  work:
    description: C(token), C(listen), C(speak), from M(flathood.cluster.rewire).
    type: dict
    default: {}
  mac:
    description: With O(phase=call), the MAC of the head's NIC.
    type: str
  addresses:
    description: With O(phase=call), the addresses to call.
    type: list
    elements: str
    default: []
  token:
    description: With O(phase=call), the token of the run.
    type: str
  patience:
    description: With O(phase=speak), seconds until carriers have to be there.
    type: float
    default: 10
"""

EXAMPLES = r"""
- name: Send from the NICs whose cables were moved
  flathood.cluster.switch_probe:
    phase: speak
    work: "{{ rewiring.work[inventory_hostname] }}"
"""

RETURN = r"""
carriers:
  description: Whether each NIC in question has a carrier, by its MAC.
  returned: when O(phase=speak)
  type: dict
spoken:
  description: Addresses whose frames were heard.
  returned: when O(phase=collect)
  type: list
  elements: str
called:
  description: Addresses whose calls were flooded.
  returned: when O(phase=collect)
  type: list
  elements: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.cabling import where

#: Seconds after which a listener that nobody collects ends by itself.
LIFETIME = 600
#: The same of an announcer: people may take their time with a cable.
ANNOUNCED = 86400
#: The phases.
PHASES = ["listen", "speak", "call", "collect", "announce", "hush"]


def main() -> None:
    """Do one phase."""
    module = AnsibleModule(
        argument_spec={
            "phase": {"type": "str", "choices": PHASES, "required": True},
            "work": {"type": "dict", "default": {}},
            "mac": {"type": "str"},
            "addresses": {"type": "list", "elements": "str", "default": []},
            "token": {"type": "str", "no_log": False},
            "patience": {"type": "float", "default": 10},
        },
        supports_check_mode=True,
    )
    given, phase = module.params, module.params["phase"]
    work = given["work"]
    try:
        if phase == "listen":
            where.listen(work["token"], work["listen"], LIFETIME)
        elif phase == "speak":
            module.exit_json(changed=False, carriers=where.speak(work["token"], work["speak"], given["patience"]))
        elif phase == "call":
            where.call(given["token"], given["mac"], given["addresses"])
        elif phase == "announce":
            where.announce(given["token"] or "", ANNOUNCED)
        elif phase == "hush":
            where.hush()
        else:
            heard = where.collect()
            if heard is None:
                module.fail_json(msg="the listener on this machine was gone before it could be asked (did it restart?)")
            module.exit_json(changed=False, **heard)
    except OSError as error:
        module.fail_json(msg=f"{phase}: {error}")
    module.exit_json(changed=False)


if __name__ == "__main__":
    main()
