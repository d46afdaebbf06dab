#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cabling_report
short_description: Hold the cabling that was found against the plan
version_added: 0.1.0
description:
  - Writes what M(flathood.cluster.cabling) and M(flathood.cluster.cabling_switches) brought back as an evidence file,
    audits the cabling by it, and says what differs and what to move.
  - Runs on the controller. Fails when the cabling differs from the plan, or when nothing could be judged.
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
    details: The evidence is written in check mode too; C(macs.yml) and C(wiring.yml) are not.
options:
  directory:
    description: Where C(evidence.json) and C(audit.json) are written; made if it is not there.
    type: path
    required: true
  adopt:
    description:
      - Write the valid wiring that is nearest to what was found to C(wiring.yml). The task then fails only while cables
        have to be moved for it.
    type: bool
    default: false
  macs:
    description:
      - Write which MAC is in which slot to C(macs.yml) first, where it has none or is not certain.
      - As C(verified) only what the machine's own kernel proves; as C(seen) what the cables make likely.
    type: bool
    default: false
  names:
    description:
      - What switches call themselves in LLDP (a system name, or a chassis number) and their names in C(cluster.yml).
      - A system name whose first label is the switch's name needs no entry.
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Audit the cabling
  flathood.cluster.cabling_report:
    directory: build/klat2/audit
  run_once: true
"""

RETURN = r"""
code:
  description: 0 as planned, 1 something differs, 2 nothing was judged, 3 as planned as far as is known.
  returned: always
  type: int
findings:
  description: What differs, one sentence each.
  returned: always
  type: list
  elements: str
moves:
  description: What to move, one sentence each.
  returned: always
  type: list
  elements: str
evidence:
  description: Path of the evidence file.
  returned: always
  type: str
"""
