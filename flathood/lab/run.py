# SPDX-License-Identifier: Apache-2.0
"""The one place where the lab starts short-lived programs of the system."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence

from flathood.lab.errors import LabError


def run(argv: Sequence[str], text: str | None = None, timeout: float = 60) -> str:
    """What `argv` prints, given `text` to read; LabError with its own complaint when it fails."""
    try:
        done = subprocess.run(argv, input=text, capture_output=True, text=True, timeout=timeout, check=False)
    except FileNotFoundError:
        raise LabError(f"{argv[0]}: no such program") from None
    except subprocess.TimeoutExpired:
        raise LabError(f"{' '.join(argv)}: not done after {timeout:.0f} s") from None
    if done.returncode:
        raise LabError(f"{' '.join(argv)}: {(done.stderr or done.stdout).strip() or f'exit code {done.returncode}'}")
    return done.stdout
