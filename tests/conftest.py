# SPDX-License-Identifier: Apache-2.0
"""Who may run which test."""

from __future__ import annotations

import os

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the lab make namespaces and mounts: only root can."""
    if os.geteuid() == 0:
        return
    for item in items:
        if item.get_closest_marker("lab"):
            item.add_marker(pytest.mark.skip(reason="the lab needs root: sudo bin/test"))
