#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cabling_switches
short_description: Switch switches off and on while the machines record their carriers
version_added: 0.1.0
description:
  - Takes the power from the uplink switch for the first round of probes, then from every neighborhood switch, one
    after the other. A NIC that loses its carrier with a switch is on it. Every switch is switched on again.
  - In the embedded lab it does that by itself and reads the switches' MAC tables as well. Elsewhere it asks the
    operator, and waits for Enter.
  - Switches that can be asked by SNMP are asked for their MAC tables when every NIC has sent its probes.
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
    details: Every switch is on again in the end, so the action does the same in check mode.
options:
  phase:
    description:
      - V(ready) tells how long switching takes, so that O(at) and O(pause) can be chosen. Where people switch, it
        waits until somebody is ready.
      - V(switch) switches.
    type: str
    choices: [ready, switch]
    default: switch
  at:
    description:
      - When the first round of probes begins, in seconds since 1970, as M(flathood.cluster.cabling) has it.
      - Needed with O(phase=switch).
    type: float
  pause:
    description: Seconds from the end of the first round to the beginning of the second. Needed with O(phase=switch).
    type: float
  reach:
    description: Seconds that people get to switch the uplink switch off, and on again.
    type: float
    default: 60.0
  power:
    description: Whether any switch is switched off. If not, the MAC tables and lldpd are the evidence.
    type: bool
    default: true
  flips:
    description: Whether the neighborhood switches are switched off too; without that the probes are the evidence.
    type: bool
    default: true
  snmp:
    description:
      - How switches are asked by SNMP - C(switches), by name, and C(defaults), with what they have in common.
      - Each has C(address), C(port) (161), and either C(community) (v2c) or C(user) (v3) with C(auth_key),
        C(auth) (V(md5), V(sha), V(sha224), V(sha256), V(sha384), V(sha512); V(sha)), C(priv_key),
        C(priv) (V(des), V(aes), V(aes192), V(aes256); V(aes)) and C(context).
      - C(vlan) is the VLAN that is this neighborhood, where one switch is several. C(uplinks) are the names of the
        ports that lead to other switches; they are found out where they are not given.
      - Needs the Python package pysnmp on the controller.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Switch the switches off and on
  flathood.cluster.cabling_switches:
    at: "{{ audit_at }}"
    pause: 12
    snmp:
      defaults: {user: auditor, auth_key: "{{ vault_snmp_auth }}", priv_key: "{{ vault_snmp_priv }}"}
      switches:
        red: {address: 10.0.0.11}
        green: {address: 10.0.0.12, vlan: 20}
        blue: {address: 10.0.0.12, vlan: 30}
  run_once: true
"""

RETURN = r"""
reach:
  description: Seconds that it may take until the uplink switch is off, and until it is on again.
  returned: when O(phase=ready)
  type: float
flips:
  description: For each switch, when it went off and was on again, in seconds since 1970.
  returned: when O(phase=switch)
  type: list
  elements: dict
tables:
  description: MAC tables and the ports of the uplink cables; null where switches cannot be asked.
  returned: when O(phase=switch)
  type: dict
notes:
  description: Switches that did not tell their tables, and why, in sentences.
  returned: when O(phase=switch)
  type: list
  elements: str
untold:
  description: Machines that were not told of the rounds, as nobody could reach them.
  returned: when O(phase=switch)
  type: list
  elements: str
dark:
  description: Whether the uplink switch was off for the first round.
  returned: when O(phase=switch)
  type: bool
late:
  description: Whether the uplink switch was off or on too late for the rounds of probes, which then tell nothing.
  returned: when O(phase=switch)
  type: bool
"""
