# SPDX-License-Identifier: Apache-2.0
"""Recordings of what the ranks of an MPI program send to each other, as Open MPI's monitoring component writes them.

One file a rank, NAME.RANK.prof, whose lines are tab-separated: kind, rank, peer, "N bytes", "N msgs sent", and for some
a histogram of sizes. Kinds (ompi/mca/common/monitoring in Open MPI's source):

- E and I: messages of the point-to-point layer, of programs and of the library itself (other versions exchange the two
  letters); what collectives send is among them.
- S and R: bytes put to and got from the peer by one-sided operations, which that layer does not see.
- C, D, O2A, A2O, A2A: the same collectives again, by what the program asked for instead of what was sent.

So E, I, S and R are added up. (`profile2mat.pl`, which comes with Open MPI, adds C as well and so counts collectives
twice.)
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from flathood.errors import InvalidInput, Problem, enough
from flathood.text import decode, read_bytes

Ranks = Literal["block", "cyclic"]

_SENT = re.compile(r"([EISR])\t(\d{1,9})\t(\d{1,9})\t(\d{1,20}) bytes\t\d{1,20} msgs sent(?:\t[\d,]*)?")
_OTHER = re.compile(r"|#.*|C\t.*|D\t.*|O2A\t.*|A2O\t.*|A2A\t.*")
_LOOKS_LIKE = "a file of Open MPI's monitoring has lines such as `E<tab>0<tab>1<tab>1024 bytes<tab>8 msgs sent`"
_MOST_RANKS = 65_536


def read_trace(name: Path, n: int, ranks: Ranks = "block") -> npt.NDArray[np.float64]:
    """Add up the bytes that the ranks on every two nodes sent to each other.

    Args:
        name: NAME of the files NAME.RANK.prof.
        n: how many nodes; the number of ranks is n or a multiple of it.
        ranks: which ranks were on which node: "block": the first ones on the first node (mpirun --map-by slot),
            "cyclic": dealt out one by one (mpirun --map-by node).

    Returns:
        float64[n, n], bytes, both directions added up, symmetric, zero on the diagonal.

    Raises:
        InvalidInput: every problem of every file.

    """
    files = _files(name)
    count = len(files)
    problems: list[Problem] = []
    if count % n:
        most = "; it holds several ranks on a node when their number is a multiple of the nodes'"
        problems.append(Problem(str(name), 0, "", f"a recording of {count} ranks for {n} nodes{most}"))
    missing = sorted(set(range(count)) - files.keys())
    if missing:
        hint = "record again, or copy the files of all nodes here"
        problems.append(Problem(str(name), 0, "", f"{name.name}.{missing[0]}.prof is missing: {hint}"))
    if problems:
        raise InvalidInput(problems)
    per_node = count // n
    place = [rank // per_node if ranks == "block" else rank % n for rank in range(count)]
    weights = np.zeros((n, n))
    for rank, path in sorted(files.items()):
        try:
            for peer, sent in _sent(path, rank, count):
                weights[place[rank], place[peer]] += sent
        except InvalidInput as error:
            problems += error.problems
            enough(problems)
    np.fill_diagonal(weights, 0)  # ranks on one node need no network
    if not problems and n > 1 and not weights.any():
        problems.append(Problem(str(name), 0, "", "no bytes went from one node to another: nothing to design for"))
    if problems:
        raise InvalidInput(problems)
    both: npt.NDArray[np.float64] = weights + weights.T
    return both


def _files(name: Path) -> dict[int, Path]:
    """The files of a recording by rank."""
    pattern = re.compile(re.escape(name.name) + r"\.(0|[1-9]\d{0,8})\.prof")
    try:
        found = {int(match[1]): path for path in name.parent.iterdir() if (match := pattern.fullmatch(path.name))}
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput([Problem(str(name), 0, "", f"the recording cannot be read: {reason}")]) from error
    if not found:
        hint = "give NAME of the files NAME.0.prof, NAME.1.prof, … that Open MPI's monitoring wrote"
        raise InvalidInput([Problem(str(name), 0, "", f"there is no file {name.name}.0.prof: {hint}")])
    if len(found) > _MOST_RANKS:
        raise InvalidInput([Problem(str(name), 0, "", f"{len(found)} ranks: at most {_MOST_RANKS} are read")])
    return found


def _sent(path: Path, rank: int, count: int) -> list[tuple[int, int]]:
    """Peer and bytes of every line that counts."""
    file = str(path)
    sent: list[tuple[int, int]] = []
    problems: list[Problem] = []
    for number, line in enumerate(decode(file, read_bytes(path)).splitlines(), 1):
        match = _SENT.fullmatch(line.rstrip())
        if match is None:
            if not _OTHER.fullmatch(line):
                problems.append(Problem(file, number, "", f"not understood: {_LOOKS_LIKE}"))
        elif int(match[2]) != rank:
            problems.append(Problem(file, number, "", f"is of rank {match[2]}, not of rank {rank} as the file's name"))
        elif int(match[3]) >= count:
            problems.append(Problem(file, number, "", f"a peer of rank {match[3]}, but there are {count} files"))
        else:
            sent.append((int(match[3]), int(match[4])))
        enough(problems)
    if problems:
        raise InvalidInput(problems)
    return sent
