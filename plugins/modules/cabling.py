#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node's side of the evidence of the cabling."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cabling
short_description: Record carriers and probes of every NIC, as evidence of what is plugged where
version_added: 0.1.0
description:
  - Leaves a process on the machine that notes every change of a carrier, and at the times that it was told sends raw
    broadcast frames from every NIC and notes whose it hears. It needs nobody meanwhile, so switches can be switched
    off, the uplink switch too. It writes nothing and ends by itself.
  - A machine that could not be told, as nobody reached it then, is asked for what its own recorder noted, where
    M(flathood.cluster.cabling_recorder) has installed one.
  - NICs that are down are brought up.
author:
  - The flathood contributors
extends_documentation_fragment:
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: full
    details: Recording changes nothing that stays, so it is done in check mode too.
  diff_mode:
    support: none
  platform:
    platforms: linux
    details: It needs raw sockets (root) and iproute2.
options:
  phase:
    description:
      - V(clock) says what the machine's clock shows, which opens the connection as well.
      - V(start) begins to record, and returns what lldpd says if it runs; later, switches will have been off.
      - V(collect) ends that, and returns the machine's NICs and all that was recorded.
    type: str
    choices: [clock, start, collect]
    required: true
  work:
    description:
      - Name of the machine, token of the run, times of the rounds. Set by the action plugin.
    type: dict
    default: {}
  at:
    description:
      - When the first round of probes begins, in seconds since 1970 by the controller's clock.
      - Needed to start and to collect.
    type: float
  pause:
    description: Seconds from the end of the first round to the beginning of the second. Needed to start and to collect.
    type: float
  about:
    description: Machines of which to pass on what was heard, as nobody could reach them.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Begin to record, and to probe at a time
  flathood.cluster.cabling:
    phase: start
    at: "{{ audit_at }}"
    pause: 12

- name: Collect what was recorded
  flathood.cluster.cabling:
    phase: collect
    at: "{{ audit_at }}"
    pause: 12
    about: "{{ switched.untold }}"
"""

RETURN = r"""
time:
  description: The machine's clock, in seconds since 1970.
  returned: always
  type: float
nics:
  description: The machine's NICs in the kernel's order, each with C(device), C(mac), C(path) and C(carrier).
  returned: when O(phase=collect)
  type: list
  elements: dict
changes:
  description: Carriers that came or went, each as device, time and whether it came.
  returned: when O(phase=collect)
  type: list
heard:
  description: For each round and device, the NICs that were heard.
  returned: when O(phase=collect)
  type: list
words:
  description: What was heard of the NICs of machines that nobody could reach.
  returned: when O(phase=collect)
  type: dict
lldp:
  description: Neighbors that lldpd knows, each as device, system name, chassis number and port.
  returned: when O(phase=start)
  type: list
"""

import time

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.flathood.cluster.plugins.module_utils.cabling import lldp, nics, runs


def main() -> None:
    """Do one phase."""
    module = AnsibleModule(
        argument_spec={
            "phase": {"type": "str", "choices": ["clock", "start", "collect"], "required": True},
            "work": {"type": "dict", "default": {}},
            "at": {"type": "float"},
            "pause": {"type": "float"},
            "about": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    now, work = time.time(), module.params["work"]
    if module.params["phase"] == "clock":
        module.exit_json(changed=False, time=now)
    try:
        if module.params["phase"] == "start":
            if work["rounds"][0][0] < 0:
                module.fail_json(
                    msg="the first round of probes was to begin before this machine was told: allow more time"
                )
            runs.start(work["machine"], work["token"], work["rounds"], int(work["lifetime"]))
            module.exit_json(changed=False, time=now, lldp=lldp.neighbors())
        recorded = runs.collect(work["token"], len(work["rounds"]), module.params["about"])
        if recorded is None:
            module.fail_json(msg="nothing was recorded on this machine: it was not told to, or restarted meanwhile")
        module.exit_json(changed=False, time=now, nics=nics.nics(), **recorded)
    except OSError as error:
        module.fail_json(msg=f"{module.params['phase']}: {error}")


if __name__ == "__main__":
    main()
