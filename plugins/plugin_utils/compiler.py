# SPDX-License-Identifier: GPL-3.0-or-later
"""From the options of a task to those of the compiler. Import it after the library was found (see library.py)."""

from __future__ import annotations

from typing import Any

from flathood.plan import Options


def options(given: dict[str, Any] | None) -> Options:
    """The options that were given, the library's defaults for the rest."""
    chosen = {key: tuple(value) if isinstance(value, list) else value for key, value in (given or {}).items()}
    return Options(**{key: value for key, value in chosen.items() if value is not None})
