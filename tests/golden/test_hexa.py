# SPDX-License-Identifier: Apache-2.0
"""Every byte that hexa's machines get is in tests/golden/hexa. When a change of them is meant, write them anew:

    bin/flathood compile inventories/hexa --out tests/golden/hexa

and read the difference before it is committed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from flathood.plan import Options, load_plan
from flathood.plan.bundle import write_bundle

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "hexa"


def tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_the_compiled_files_of_hexa_are_those_that_were_read_and_committed(tmp_path: Path) -> None:
    write_bundle(load_plan(ROOT / "inventories/hexa"), tmp_path / "bundle", Options())
    made, golden = tree(tmp_path / "bundle"), tree(GOLDEN)
    assert sorted(made) == sorted(golden)
    different = [path for path in made if made[path] != golden[path]]
    assert different == [], "see the head of this file for how to renew them"


@pytest.mark.parametrize("path", ["a/etc/hosts", "head/etc/dnsmasq.d/fnn.conf"])
def test_the_golden_files_say_who_made_them(path: str) -> None:
    assert (GOLDEN / path).read_text().startswith("# Managed by flathood")
