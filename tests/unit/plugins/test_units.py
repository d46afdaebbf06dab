# SPDX-License-Identifier: Apache-2.0
"""Services of our own: installed once, left alone when nothing differs, and taken away whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible_collections.flathood.cluster.plugins.module_utils.cabling.service import service as recorder
from ansible_collections.flathood.cluster.plugins.module_utils.failover.service import service as failover
from ansible_collections.flathood.cluster.plugins.module_utils.igmp.service import service as querier
from ansible_collections.flathood.cluster.plugins.module_utils.machine import units


@pytest.mark.parametrize("service", [recorder("k17"), failover(), querier("fnn0")], ids=lambda one: one.unit)
def test_a_service_is_installed_once_and_taken_away_whole(
    service: units.Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders: list[tuple[str, ...]] = []
    monkeypatch.setattr(units, "run", lambda *words: orders.append(words))
    monkeypatch.setattr("os.fchown", lambda *_: None)
    foreseen = units.install(tmp_path, service, present=True, check=True)
    assert not list(tmp_path.rglob("*.py"))
    assert units.install(tmp_path, service, present=True, check=False) == foreseen
    assert len(foreseen) == len(service.modules) + len(service.packages) + 1
    assert orders[-1] == ("systemctl", "restart", service.unit)
    orders.clear()
    assert units.install(tmp_path, service, present=True, check=False) == []
    assert orders == []
    assert len(units.install(tmp_path, service, present=False, check=False)) == len(foreseen)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
    assert units.install(tmp_path, service, present=False, check=False) == []
