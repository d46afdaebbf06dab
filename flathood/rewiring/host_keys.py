# SPDX-License-Identifier: Apache-2.0
"""Which host key is whose, in the files where ssh looks that up, when two machines have changed places.

A machine keeps its key and gets another one's names. So what those files (known_hosts, see sshd(8)) say of the names of
either place is exchanged: in lines for just these names, in plain text or hashed. Patterns, authorities and revoked
keys stay, and so does everything where the keys of the two are the same, or one of them is not known.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from flathood.errors import FlathoodError
from flathood.writing import save

#: A public key: its type and the key itself, as ssh writes them.
Key = tuple[str, str]
#: The keys of a node's machine, and those of a spare's.
Pair = tuple[frozenset[Key], frozenset[Key]]


@dataclass(frozen=True)
class _Line:
    """A line of known_hosts about hosts' own keys; ``hosts``: the names or hashes that it is for."""

    hosts: tuple[str, ...]
    key: Key

    @classmethod
    def of(cls, text: str) -> _Line | None:
        """A line from its text; None: it is about something else."""
        words = text.split()
        if len(words) < 3 or words[0][0] in "#@":
            return None
        return cls(tuple(words[0].split(",")), (words[1], words[2]))

    def among(self, names: Iterable[str]) -> dict[str, str]:
        """Those of its hosts that are one of these names, each with that name."""
        return {host: name for host in self.hosts for name in names if _means(host, name)}


def files(ssh: Sequence[str], address: str) -> tuple[Path, ...]:
    """The files that ssh looks the key of an address up in; ``ssh``: the command with the options that it is given.

    Raises FlathoodError where ssh takes these options for wrong.
    """
    try:
        done = subprocess.run([*ssh, "-G", address], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", "") or error
        raise FlathoodError(f"{ssh[0]} does not tell where it looks up host keys: {str(said).strip()}") from error
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    names = [name for key in ("userknownhostsfile", "globalknownhostsfile") for name in told.get(key, "").split()]
    # What it cannot read it does not use either.
    return tuple(path for name in names if (path := Path(name)).is_file() and os.access(path, os.R_OK))


def known(paths: Iterable[Path], names: Sequence[str]) -> frozenset[Key]:
    """The keys that files have for these names."""
    lines = [line for path in paths for text in _read(path).split("\n") if (line := _Line.of(text))]
    return frozenset(line.key for line in lines if line.among(names))


def change_over(paths: Iterable[Path], names: tuple[Sequence[str], Sequence[str]], keys: Pair) -> tuple[Path, ...]:
    """Have files say that two machines have each other's names now; those that were changed.

    ``names``: of the node's place and the spare's. ``keys``: of the machine that was at each before. It may be done
    again. Raises FlathoodError, when all is done that can be, for files that cannot be written.
    """
    if not all(keys) or keys[0] & keys[1]:
        return ()
    changed, problems = [], []
    for path in paths:
        text = after = _read(path)
        # What is exchanged for the one place is not looked at for the other: no name is of both.
        for place, (stale, right) in zip(names, (keys, keys[::-1]), strict=True):
            after = _put(after, place, stale, right)
        if after == text:
            continue
        try:
            save(path, after.encode("utf-8", "surrogateescape"))
            changed.append(path)
        except OSError as error:
            exchange = f"exchange the keys of {names[0][0]} and {names[1][0]} there"
            problems.append(f"{path} cannot be written ({error.strerror}): {exchange}")
    if problems:
        raise FlathoodError("; ".join(problems))
    return tuple(changed)


def _put(text: str, names: Sequence[str], stale: frozenset[Key], right: frozenset[Key]) -> str:
    """The text of a file in which these names have the right keys in the place of stale ones."""
    rows = [(row, _Line.of(row)) for row in text.split("\n")]
    there = {(name, line.key) for _, line in rows if line for name in line.among(names).values()}
    out = []
    for row, line in rows:
        mine = line.among(names) if line and line.key in stale else {}
        if line is None or not mine:
            out.append(row)
            continue
        if rest := [host for host in line.hosts if host not in mine]:
            out.append(row.replace(",".join(line.hosts), ",".join(rest), 1))
        for key in sorted(right):
            if hosts := [host for host, name in mine.items() if (name, key) not in there]:
                out.append(" ".join([",".join(hosts), *key]))
                there |= {(mine[host], key) for host in hosts}
    return "\n".join(out)


def _means(host: str, name: str) -> bool:
    """Whether a host of a line is this name: in plain text, or by its hash (``|1|salt|hash``, HMAC-SHA1)."""
    if not host.startswith("|1|"):
        return host.lower() == name
    try:
        salt, digest = (base64.b64decode(part) for part in host[3:].split("|"))
    except (ValueError, binascii.Error):
        return False
    return hmac.compare_digest(hmac.digest(salt, name.encode(), "sha1"), digest)


def _read(path: Path) -> str:
    """What a file has, whatever its comments are written in. Raises FlathoodError."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError as error:
        raise FlathoodError(f"{path}: cannot be read: {error.strerror}") from error
