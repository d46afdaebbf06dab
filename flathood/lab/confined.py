# SPDX-License-Identifier: Apache-2.0
"""Runs what builds file systems: neither its mounts nor its processes can outlive this process, however it ends."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from flathood.lab.errors import LabError
from flathood.lab.progress import Note

_CONFINED = ("setpriv", "--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL")
#: Lines of a failed build's log that are shown.
_TAIL = 15
#: Characters of a note.
_WIDTH = 60


def build(argv: Sequence[str], environment: Mapping[str, str], log: Path, note: Note) -> None:
    """Run `argv` to its end in mount and process namespaces of its own; all that it says goes to `log`.

    `note` is told each line that begins with ``I: ``, as debootstrap writes them. Raises LabError with the log's end
    when it fails; the log stays then, else it goes.
    """
    with log.open("w") as record:
        maker = subprocess.Popen(
            (*_CONFINED, "--mount-proc", *argv),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | environment,
        )
        with maker:
            try:
                for line in maker.stdout or ():
                    record.write(line)
                    record.flush()
                    if line.startswith("I: "):
                        note(line[3:].strip()[:_WIDTH])
            except BaseException:
                maker.kill()
                raise
    if maker.returncode:
        tail = "".join(f"  {line}\n" for line in log.read_text().splitlines()[-_TAIL:])
        raise LabError(f"{argv[0]} failed ({maker.returncode}); {log} ends with:\n{tail}".rstrip())
    log.unlink()
