# SPDX-License-Identifier: Apache-2.0
"""Clears a lab away when the process that brings it up dies before it has finished, however it dies.

The guard is a process of its own in a session of its own. It waits at a pipe: a byte says that the lab is complete,
the pipe's end without one that its maker is gone.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from flathood.lab import state, teardown

#: Seconds that the guard waits for the lab's lock: its maker is dead, so only another verb can hold it.
_PATIENCE = 120.0
#: Seconds in which the last program that the maker had started comes to its end.
_LAST_CHILD = 1.0


@contextmanager
def guarded(lab: str, nonce: str) -> Iterator[None]:
    """While the body runs, the lab is cleared away if this process dies; when the body raises, at once."""
    package = Path(__file__).resolve().parents[2]
    reader, writer = os.pipe()
    try:
        guard = subprocess.Popen(
            (sys.executable, "-m", "flathood.lab.guard", lab, nonce),
            stdin=reader,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            cwd="/",
            env=os.environ | {"PYTHONPATH": str(package)},
        )
    finally:
        os.close(reader)
    try:
        yield
    except BaseException:
        teardown.clear(lab)
        raise
    finally:
        # Reached with the lab complete or cleared; a death before this line closes the pipe without the byte.
        with suppress(BrokenPipeError):  # somebody ended the guard
            os.write(writer, b".")
        os.close(writer)
        guard.wait()


def main() -> None:
    """Wait for the byte or for the end of the pipe; then clear away the lab that `nonce` names, no later one."""
    lab, nonce = sys.argv[1:]
    if os.read(0, 1):
        return
    with teardown.locked(lab, "clears away a lab whose maker died", _PATIENCE):
        current = state.load(lab)
        if current is None or current.nonce == nonce:
            teardown.clear(lab)
            time.sleep(_LAST_CHILD)
            if teardown.remains(lab):
                teardown.clear(lab)


if __name__ == "__main__":
    main()
