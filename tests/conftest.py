# SPDX-License-Identifier: Apache-2.0
"""Who may run which test, and that no test is a matter of how fast the machine is."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

# By default hypothesis fails an example that takes 200 ms, or a test whose examples are slow to be made: a busy machine
# would fail tests that are right.
settings.register_profile("any speed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any speed")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the lab make namespaces and mounts: only root can."""
    if os.geteuid() == 0:
        return
    for item in items:
        if item.get_closest_marker("lab"):
            item.add_marker(pytest.mark.skip(reason="the lab needs root: sudo bin/test"))
