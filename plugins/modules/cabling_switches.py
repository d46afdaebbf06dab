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
options:
  at:
    description: When the first round of probes begins, in seconds since 1970, as M(flathood.cluster.cabling) has it.
    type: float
    required: true
  flips:
    description: Whether the neighborhood switches are switched off too; without that the probes are the evidence.
    type: bool
    default: true
attributes:
  check_mode:
    description: Every switch is on again in the end, so the action does the same in check mode.
    support: full
  diff_mode:
    description: There is nothing to show a difference of.
    support: none
  platform:
    description: Runs on the controller.
    support: full
    platforms: linux
author:
  - The flathood authors
"""

EXAMPLES = r"""
- name: Switch the switches off and on
  flathood.cluster.cabling_switches:
    at: "{{ audit_at }}"
  run_once: true
"""

RETURN = r"""
flips:
  description: For each switch, when it went off and was on again, in seconds since 1970.
  returned: always
  type: list
  elements: dict
tables:
  description: MAC tables and the ports of the uplink cables; null where switches cannot be asked.
  returned: always
  type: dict
late:
  description: Whether the uplink switch was off too late for the first round of probes, which then tells nothing.
  returned: always
  type: bool
"""
