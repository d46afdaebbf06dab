#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validation_report
short_description: Judge what a validation run has seen, and write its report
version_added: 0.1.0
description:
  - Holds every check of the plan's catalogue against what M(flathood.cluster.probe),
    M(flathood.cluster.switch_evidence) and M(flathood.cluster.mpi_job) brought back, finds the causes of what did not
    pass, and writes C(report.json) and C(report.html).
  - Runs on the controller. Fails when a check failed, or when nothing was checked.
author:
  - The flathood contributors
extends_documentation_fragment:
  - flathood.cluster.controller
  - flathood.cluster.cluster.routing
  - ansible.builtin.action_common_attributes
  - ansible.builtin.action_common_attributes.conn
  - ansible.builtin.action_common_attributes.flow
attributes:
  check_mode:
    support: full
    details: The report is written in check mode too; nothing else is.
options:
  directory:
    description: Where the report is written; made if it is not there.
    type: path
    required: true
"""

EXAMPLES = r"""
- name: Write the report
  flathood.cluster.validation_report:
    directory: build/klat2/validate
  run_once: true
"""

RETURN = r"""
code:
  description: 0 passed, 1 failed, 2 nothing was checked, 3 warnings or checks that were not run.
  returned: always
  type: int
report:
  description: Path of the page.
  returned: always
  type: str
"""
