# SPDX-License-Identifier: GPL-3.0-or-later
"""Running another program on this machine, and what is said when it refuses."""

from __future__ import annotations

import subprocess

#: A program that has not answered by then will not.
SECONDS = 60


class MachineError(Exception):
    """Something on this machine refused; the sentence is for the operator."""


def run(*command: str, stdin: str | None = None) -> str:
    """Run a command and return what it printed; MachineError with its own words when it fails."""
    try:
        done = subprocess.run(
            command,
            input=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=True,
        )
    except FileNotFoundError as error:
        raise MachineError(f"`{command[0]}` is not installed here") from error
    except subprocess.TimeoutExpired as error:
        raise MachineError(f"`{' '.join(command)}` has not come to an end in {SECONDS} s") from error
    except subprocess.CalledProcessError as error:
        raise MachineError(f"`{' '.join(command)}` failed: {error.output.strip()}") from error
    return done.stdout
