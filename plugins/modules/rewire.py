#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rewire
short_description: One step of a rewiring
version_added: 0.1.0
description:
  - Finds out which plugs are to be moved for another wiring, in batches that cut no pair of nodes off, and keeps a
    journal beside C(cluster.yml) from which a rewiring goes on after any interruption, or back.
  - C(wiring.yml) is always what is plugged, with the cables of the batch under way idle, so that whatever is compiled
    from it is a cluster in which every pair talks.
  - Runs on the controller. The playbook C(rewire.yml) puts the steps together.
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
    support: partial
    details: V(begin) writes nothing; the other phases are not for check mode.
options:
  phase:
    description:
      - V(begin) begins a rewiring, or goes on with the one that is under way.
      - V(enter) makes the cables of the next batch idle in C(wiring.yml); when all are made, writes the last one.
      - V(plug) has the plugs of the batch moved, or says what people are to do.
      - V(judge) holds what M(flathood.cluster.switch_probe) found against the batch, and notes it as made.
      - V(end) notes that the last C(wiring.yml) is installed.
    type: str
    choices: [begin, enter, plug, judge, end]
    required: true
  profile:
    description: With O(phase=begin), the traffic to rewire for.
    type: str
  moves:
    description: The most plugs that may be moved for O(profile).
    type: int
  gain:
    description: The part of all that can be gained for O(profile) which is enough, V(0) to V(1).
    type: float
    default: 1.0
  without:
    description: Switches not to be used, such as one that is dead. Without O(profile) it is for the cluster's own.
    type: list
    elements: str
    default: []
  wiring:
    description: A C(wiring.yml) to rewire to, in place of O(profile).
    type: path
  undo:
    description: Go back to the wiring before the rewiring that is under way, or that was made last.
    type: bool
    default: false
  most:
    description: The most plugs in one batch.
    type: int
    default: 16
  seconds:
    description: How long to search for wirings for O(profile).
    type: float
    default: 20.0
  hands:
    description: Who moves plugs. V(auto) is the embedded lab where the playbook runs at its head, else people.
    type: str
    choices: [auto, lab, people]
    default: auto
  people:
    description:
      - How many people share the work. Each gets a list of his own of about equal length, and nobody goes to and fro
        between racks.
    type: int
    default: 1
  attempt:
    description: With O(phase=plug), how often the batch was tried before.
    type: int
    default: 0
  mistakes:
    description: How many plugs of a batch the lab's hands put into a wrong switch at first, for rehearsals.
    type: int
    default: 0
  problems:
    description: With O(phase=plug), what was found wrong after the attempt before.
    type: list
    elements: str
    default: []
  token:
    description: With O(phase=judge), what RV(token) of the plugging was.
    type: str
  silent:
    description: With O(phase=judge), the machines whose cables were moved and that do not answer.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: See what is to be moved for a torus, with at most 30 plugs
  flathood.cluster.rewire:
    phase: begin
    directory: "{{ inventory_dir }}"
    profile: torus3d
    moves: 30
"""

RETURN = r"""
batches:
  description: How many batches are left.
  returned: when O(phase=begin)
  type: int
alone:
  description: The nodes of the batch that have no other cable, which are out of reach while these are moved.
  returned: when O(phase=enter)
  type: list
  elements: str
alone_before:
  description: The same of the batch before, the way that it goes.
  returned: when O(phase=enter)
  type: list
  elements: str
ok:
  description: Whether every plug of the batch is where it belongs.
  returned: when O(phase=judge)
  type: bool
problems:
  description: What is not as it is to be, a sentence for each plug.
  returned: when O(phase=judge)
  type: list
  elements: str
token:
  description: What tells this attempt's frames from others.
  returned: when O(phase=plug)
  type: str
"""
