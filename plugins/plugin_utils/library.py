# SPDX-License-Identifier: GPL-3.0-or-later
"""How the plugins that run on the controller find the library: installed, or beside them in the collection."""

from __future__ import annotations

import sys
from pathlib import Path

from ansible.errors import AnsibleError

COLLECTION = Path(__file__).resolve().parents[2]


def find_library() -> None:
    """Make `import flathood` work; an error names what pip has to install when it cannot."""
    try:
        import flathood.errors  # noqa: PLC0415 - whether it can be imported is the question
    except ModuleNotFoundError:
        sys.path.insert(0, str(COLLECTION))
    try:
        import flathood.plan  # noqa: F401, PLC0415 - the same, for what the library itself needs
    except ModuleNotFoundError as error:
        raise AnsibleError(
            f"flathood's library needs the Python package {error.name!r}, which {sys.executable} does not have: "
            f"install what it needs with `{sys.executable} -m pip install {COLLECTION}`"
        ) from error
