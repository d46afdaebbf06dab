# SPDX-License-Identifier: Apache-2.0
"""Every example in the library's docstrings gives what it says."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

LIBRARY = Path(__file__).parents[2] / "flathood"
WITH_EXAMPLES = sorted(path for path in LIBRARY.rglob("*.py") if "    >>> " in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(LIBRARY)))
def test_examples(path: Path) -> None:
    name = ".".join(path.relative_to(LIBRARY.parent).with_suffix("").parts).removesuffix(".__init__")
    result = doctest.testmod(importlib.import_module(name))
    assert not result.failed
