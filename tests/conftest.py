# SPDX-License-Identifier: Apache-2.0
"""Who may run which test, and when a skipped test is a failure."""

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


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> object:
    """Where everything is there (bin/test as root), a test that skips itself hides something: it fails."""
    report: pytest.TestReport = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("FLATHOOD_NO_SKIPS"):
        report.outcome = "failed"
        report.longrepr = f"skipped where nothing may be: {report.longrepr}"
    return report
