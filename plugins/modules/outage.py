#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: outage
short_description: Go on without a switch or a NIC that is dead
version_added: 0.1.0
description:
  - Has C(wiring.yml) say that the cables of a dead switch, or of a dead NIC, carry nothing, so that what is compiled
    from it goes round them; or that they are back.
  - A machine whose outside NIC is dead is out of the head's reach until its outside address is on another NIC. Until
    then it is reached over another machine, which this finds.
  - Runs on the controller.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - flathood.cluster.cluster
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  check_mode:
    support: full
    details: Nothing is written in check mode.
options:
  phase:
    description:
      - V(mark) writes C(wiring.yml).
      - V(way) says how the machine that the task runs for is reached, where it needs another way.
    type: str
    choices: [mark, way]
    required: true
  dead:
    description: Switches by their names, NICs as NODE:SLOT.
    type: list
    elements: str
    default: []
  back:
    description: They work again.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Go on without the switch red
  flathood.cluster.outage:
    phase: mark
    directory: "{{ inventory_dir }}"
    dead: [red]
  run_once: true
"""

RETURN = r"""
nics:
  description: The NICs that are newly idle, or newly back, each with its machine and slot.
  returned: when O(phase=mark)
  type: list
  elements: list
address:
  description: The machine's address as the one in between sees it, for C(ansible_host).
  returned: when O(phase=way) and it needs another way
  type: str
arguments:
  description: What ssh needs to go over the one in between, for C(ansible_ssh_common_args).
  returned: when O(phase=way) and it needs another way
  type: str
"""
