# SPDX-License-Identifier: Apache-2.0
"""What the designer's commands print at 80 columns is in tests/golden/commands, a file for each. When a change of it is
meant, write it anew (here the first one) and read the difference before it is committed:

    COLUMNS=80 bin/flathood evaluate inventories/hexa > tests/golden/commands/evaluate-hexa.txt
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from flathood.cli.main import cli

ROOT = Path(__file__).parents[2]
COMMANDS = {
    "evaluate-hexa": ["evaluate", "inventories/hexa"],
    "evaluate-octet-ring": ["evaluate", "inventories/octet", "--profile", "ring"],
    "evaluate-klat2": ["evaluate", "inventories/klat2"],
    "design-hexa": ["design", "inventories/hexa", "--dry-run"],
    "design-octet-json": ["design", "inventories/octet", "--dry-run", "--json"],
    "compare-octet": ["compare", "inventories/octet"],
    "labels-hexa": ["labels", "inventories/hexa", "--output", "-"],
    "sizes-of-nodes": ["sizes", "--nodes", "60-66", "--nics", "2-5"],
    "sizes-of-ports": ["sizes", "--ports", "4-12", "--nics", "2-6"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_what_was_read_and_committed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    printed = CliRunner().invoke(cli, COMMANDS[name], env={"COLUMNS": "80", "NO_COLOR": "1"}, catch_exceptions=False)
    assert printed.exit_code == 0
    golden = ROOT / "tests/golden/commands" / f"{name}.txt"
    assert printed.stdout == golden.read_text(encoding="utf-8"), "see the head of this file for how to renew it"
