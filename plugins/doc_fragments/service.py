# SPDX-License-Identifier: GPL-3.0-or-later
"""What modules have in common that install a service of our own."""

from __future__ import annotations


class ModuleDocFragment:
    """Whether it is there, and what can be seen beforehand."""

    DOCUMENTATION = r"""
attributes:
  check_mode:
    support: full
    details: It says which files would change.
  diff_mode:
    support: full
    details: It shows how the unit changes; of the code, its digests.
options:
  state:
    description: Whether the service is there.
    type: str
    choices: [present, absent]
    default: present
"""
