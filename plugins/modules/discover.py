#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: discover
short_description: Find out which MACs are in a machine that is being powered on
version_added: 0.1.0
description:
  - The steps of C(playbooks/discover.yml), for a task on the head. Each reads all of the head's journal, so that a run
    that was killed goes on where it stopped.
  - What is proved is written to C(macs.yml) on the controller after each machine, atomically. Nothing is guessed.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.cluster
  - flathood.cluster.idempotent
  - ansible.builtin.action_common_attributes
attributes:
  check_mode:
    support: partial
    details: Nothing is written by V(survey); the other phases are not for check mode.
  diff_mode:
    support: none
  platform:
    platforms: debian
options:
  phase:
    description:
      - V(survey) writes what a killed run had learned and the head's own NIC, then returns the machines to power.
      - V(open) begins the turn of O(node), just before it is powered.
      - V(wait) waits until all its cabled NICs have asked for an address, O(settle) seconds more, and at most
        O(timeout).
      - V(close) ends the turn and writes what it proved.
      - V(judge) tells the state of O(nodes), and fails unless all is known and nothing needs a person.
    type: str
    choices: [survey, open, wait, close, judge]
    required: true
  node:
    description: The machine whose turn it is.
    type: str
  nodes:
    description: Machines to power or to judge; V(survey) takes all that are not known when it is empty.
    type: list
    elements: str
    default: []
  head_mac:
    description: The MAC of the head's NIC on the uplink, to be written with V(survey).
    type: str
  say:
    description: What to tell the operator when the turn begins.
    type: str
    default: ""
  reports:
    description: What machines that came up said of their own NICs, for V(close).
    type: list
    elements: str
    default: []
  timeout:
    description: Seconds that a machine gets to show its NICs.
    type: float
    default: 300
  settle:
    description: Seconds to listen on when all were heard, as a second machine may come up too.
    type: float
    default: 3
seealso:
  - module: flathood.cluster.discovery_head
"""

EXAMPLES = r"""
- name: Begin the turn of a machine
  flathood.cluster.discover:
    phase: open
    directory: "{{ inventory_dir }}"
    node: k07
"""

RETURN = r"""
todo:
  description: Machines to power, in the order of the racks.
  returned: when O(phase=survey)
  type: list
  elements: str
  sample: [k00, k01]
ask:
  description: MAC and address of each NIC that was heard.
  returned: when O(phase=wait)
  type: list
  elements: dict
script:
  description: What to run on a machine to have it tell of its NICs.
  returned: when O(phase=wait)
  type: str
outcome:
  description: What came of the turn.
  returned: when O(phase=close)
  type: str
  sample: complete
sentences:
  description: What a person has to know or do.
  returned: when O(phase=close)
  type: list
  elements: str
states:
  description: The state of each machine.
  returned: when O(phase=judge)
  type: dict
  sample: {k00: verified}
"""
