#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: switch_evidence
short_description: Ask the switches which cables they see, and what crosses the uplink
version_added: 0.1.0
description:
  - Reachability proves nothing about the cabling of a flat neighborhood network, as the uplink switch makes
    everything reach everything. The switches themselves can tell - by their MAC tables, and by the unicast frames
    that come into the uplink switch.
  - Runs on the controller. In the embedded lab the switches are bridges that can be read; where the switches cannot
    be asked, the result says so, and the checks that need them are not run.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  check_mode:
    support: full
    details: The action changes nothing, so it does the same in check mode.
options:
  phase:
    description:
      - V(call) has every machine send a frame, so that the switches know where it is now. A node whose cable was moved
        is silent, and for minutes its frames would be sent to where it was. Needs the head's NIC and root on the
        controller; without them nothing is sent, and the result says why.
      - V(watch) begins to count frames on the uplink switch.
      - V(collect) ends that and reads the MAC tables.
    type: str
    choices: [call, watch, collect]
    required: true
"""

EXAMPLES = r"""
- name: Watch the uplink switch
  flathood.cluster.switch_evidence:
    phase: watch
  run_once: true
"""

RETURN = r"""
obstacle:
  description: Why nobody was called; empty when all were.
  returned: when O(phase=call)
  type: str
witness:
  description: Who was asked; empty when the switches cannot be asked.
  returned: when O(phase=watch) or O(phase=collect)
  type: str
word:
  description:
    - MAC tables (C(tables)), unicast frames on the uplink switch (C(crossed)), and frames that were not counted
      (C(lost)).
  returned: when O(phase=collect)
  type: dict
"""
