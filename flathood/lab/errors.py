# SPDX-License-Identifier: Apache-2.0
"""What can go wrong in the lab."""

from __future__ import annotations

from flathood.errors import FlathoodError


class LabError(FlathoodError):
    """The lab cannot do what was asked; the message says why and what to do."""
