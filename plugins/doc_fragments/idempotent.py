# SPDX-License-Identifier: GPL-3.0-or-later
"""What those plugins have in common of which a second run changes nothing."""

from __future__ import annotations


class ModuleDocFragment:
    """The attribute that says so; Ansible's own fragments have none for it."""

    DOCUMENTATION = r"""
attributes:
  idempotent:
    description: When run twice in a row outside check mode, the second time reports no change.
    support: full
"""
