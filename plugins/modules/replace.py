#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Documentation of flathood.cluster.replace, which runs on the controller as an action plugin."""

from __future__ import annotations

DOCUMENTATION = r"""
module: replace
short_description: One step of putting a spare into the place of a dead node
version_added: 0.1.0
description:
  - A node's machine and a spare change places. Names, addresses and C(wiring.yml) stay, the MACs of the two are
    exchanged in C(macs.yml), and the same once more is the way back.
  - A journal beside C(cluster.yml) tells what is exchanged, and from where to go on after any interruption.
  - The playbook C(replace.yml) puts the steps together.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.cluster
  - flathood.cluster.controller
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
      - V(begin) tells what is to be done, and refuses what cannot be. It writes nothing.
      - V(keys) has the C(known_hosts) files of ssh say whose host key is whose since the last exchange, should that
        have been cut short.
      - V(look) holds who answers against who should, and refuses to go on where that is not so.
      - V(exchange) writes the journal and C(macs.yml).
      - V(plug) has the cables changed over, or says what people are to do.
      - V(judge) holds what M(flathood.cluster.switch_probe) found against that.
      - V(end) notes that it has come to its end, and has the keys of the two hosts change places in C(known_hosts).
    type: str
    choices: [begin, keys, look, exchange, plug, judge, end]
    required: true
  node:
    description: The node whose machine is dead, or with O(back=true) repaired.
    type: str
  spare:
    description: The spare that takes its place; with O(back=true) it need not be told.
    type: str
  back:
    description: Put the node's own machine back.
    type: bool
    default: false
  witnesses:
    description: With O(phase=look), the nodes that were asked whether they hear the dead one.
    type: list
    elements: str
    default: []
  silent:
    description: With O(phase=judge), the machines whose cables were moved and that do not answer.
    type: list
    elements: str
    default: []
  among:
    description: The machines that can be asked where cables are.
    type: list
    elements: str
    default: []
  hands:
    description: Who moves plugs. V(auto) is the embedded lab where the playbook runs at its head, else people.
    type: str
    choices: [auto, lab, people]
    default: auto
  attempt:
    description: With O(phase=plug), how often it was tried before.
    type: int
    default: 0
  mistakes:
    description: How many plugs the lab's hands put into a wrong switch at first, for rehearsals.
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
seealso:
  - module: flathood.cluster.rewire
  - module: flathood.cluster.outage
"""

EXAMPLES = r"""
- name: See what is to be done to have k64 take the place of k17
  flathood.cluster.replace:
    phase: begin
    directory: "{{ inventory_dir }}"
    node: k17
    spare: k64
  run_once: true
"""

RETURN = r"""
todo:
  description: Whether anything is left to do.
  returned: when O(phase=begin)
  type: bool
machines:
  description:
    - The two machines, the one that works first. C(now) and C(becomes) are its names before and after, C(old) and
      C(new) its outside addresses, C(alias) the one by which ssh knows its host key until the end, C(mac) is the MAC of
      its first NIC, C(name) the name that it has for now, and C(at) the address to look for it.
  returned: when O(phase=begin) and RV(todo)
  type: list
  elements: dict
files:
  description: The C(known_hosts) files that were changed.
  returned: when O(phase=keys) or O(phase=end)
  type: list
  elements: str
tell:
  description: The machines that have to be given the address that they are about to have.
  returned: when O(phase=look)
  type: list
  elements: dict
silent:
  description: The names that machines are about to have which do not answer.
  returned: when O(phase=look)
  type: list
  elements: str
witnesses:
  description: For nodes that share a switch with the dead one, its addresses there, at which it must not answer.
  returned: when O(phase=begin) and RV(todo)
  type: dict
ok:
  description: Whether every plug is where it belongs.
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
