# SPDX-License-Identifier: Apache-2.0
"""Traffic profiles: who talks to whom, and how much, as a symmetric matrix of weights.

A profile is plain data, as it stands under ``profile`` in cluster.yml:

- a name: ``all-to-all``, ``ring``, ``torus2d``, ``torus3d``, ``hypercube``, ``bit-reversal``, ``stencil2d``,
  ``stencil3d`` (see `shapes`);
- ``{file: traffic.csv}``: a matrix of n rows of n numbers, such as the bytes that ranks of a program exchange;
- ``{trace: cfd}``: what an MPI program sent, recorded in files cfd.RANK.prof (see `traces`);
- a weighted mix: ``[{profile: torus3d, weight: 3}, {profile: all-to-all, weight: 1}]``;
- ``{function: "module:function", traffic: torus3d}``: a function of the operator's that judges designs (see `judge`).

Ranks are node numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter, ValidationError

from flathood.design.judge import Judge
from flathood.design.shapes import SHAPES, Matrix, sides
from flathood.design.traces import read_trace
from flathood.errors import InvalidInput, Problem
from flathood.spec.profile import Profile

__all__ = ["SHAPES", "Matrix", "from_text", "judge_of", "name_of", "sides", "traffic"]

#: A file is read whole; this holds the matrix of 8,192 nodes with eight characters a number.
_MOST_BYTES = 512 * 1024 * 1024
_FORM: TypeAdapter[Any] = TypeAdapter(Profile)


def traffic(profile: object, n: int, base_dir: Path | None = None) -> Matrix:
    """Make the weights of a profile for n nodes.

    Args:
        profile: plain data, see above.
        n: how many nodes; at least 1.
        base_dir: the directory that a relative file name starts from; default: the current one.

    Returns:
        float64[n, n], symmetric, zero on the diagonal, no entry negative; the whole sums to n, so that a node's
        demand (its row) is 1 on average: the traffic that fills one link. One node alone has no traffic: all zero.
        The parts of a mix are so normalised before they are weighted.

    Raises:
        InvalidInput: every problem of the profile and of its files at once.

    >>> traffic("ring", 4)[0].tolist()
    [0.0, 0.5, 0.0, 0.5]

    """
    form = _formed(profile)
    if isinstance(form, dict) and "function" in form:
        form = form.get("traffic", "all-to-all")
    parts = form if isinstance(form, list) else [{"profile": form, "weight": 1.0}]
    total, problems = np.zeros((n, n)), list[Problem]()
    heaviest = max(part["weight"] for part in parts)  # dividing by it keeps any finite weights' sum finite
    for part in parts:
        try:
            total += part["weight"] / heaviest * _simple(part["profile"], n, base_dir or Path())
        except InvalidInput as error:
            problems += error.problems
    if problems:
        raise InvalidInput(problems)
    return _normal(total)


def name_of(profile: object) -> str:
    """Say in a few words what a (valid) profile is, for reports.

    >>> name_of([{"profile": "ring", "weight": 3}, {"profile": {"file": "cfd.csv"}, "weight": 1}])
    '3 ring + 1 cfd.csv'

    """
    if isinstance(profile, dict):
        return str(next(profile[key] for key in ("function", "trace", "file") if key in profile))
    if isinstance(profile, list | tuple):
        return " + ".join(f"{part['weight']:g} {name_of(part['profile'])}" for part in profile)
    return str(profile)


def judge_of(profile: object) -> Judge | None:
    """The operator's function of a profile that names one; raises InvalidInput when it cannot be imported."""
    form = _formed(profile)
    return Judge.load(form["function"]) if isinstance(form, dict) and "function" in form else None


def from_text(text: str) -> object:
    """A profile as one word of a command line: a name, FILE.csv, NAME.RANK.prof or module:function.

    >>> from_text("ring"), from_text("runs/cfd.0.prof")["trace"].endswith("runs/cfd"), from_text("mine:judge")
    ('ring', True, {'function': 'mine:judge'})

    """
    if text.endswith(".csv"):
        return {"file": str(Path(text).resolve())}
    if text.endswith(".prof"):
        return {"trace": str(Path(text).resolve()).removesuffix(".prof").rpartition(".")[0]}
    return {"function": text} if ":" in text else text


def _formed(profile: object) -> Any:  # noqa: ANN401  # one of the shapes of Profile, which it has been held against
    try:
        return _FORM.validate_python(profile)
    except ValidationError:
        message = (
            f"{profile!r} is no profile: use {', '.join(SHAPES)}, a file {{file: NAME.csv}}, a recording "
            "{trace: NAME}, a list of {profile: NAME, weight: NUMBER} with weights above 0, or a function "
            "{function: module:function}"
        )
        raise InvalidInput([Problem("profile", 0, "", message)]) from None  # pydantic's words add nothing


def _simple(profile: Any, n: int, base: Path) -> Matrix:  # noqa: ANN401  # pydantic has held it against Profile
    if isinstance(profile, str):
        return _normal(SHAPES[profile](n))
    if "trace" in profile:
        return _normal(read_trace(base / profile["trace"], n, profile.get("ranks", "block")))
    return _normal(_from_file(base / profile["file"], n))


def _from_file(path: Path, n: int) -> Matrix:
    """Read n rows of n numbers separated by commas; made symmetric, the diagonal left out.

    A full-duplex cable carries both directions at once, and what a node says to itself uses none.
    """
    problems: list[Problem] = []

    def wrong(line: int, message: str) -> None:
        problems.append(Problem(str(path), line, "", message))

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise OSError(f"it is larger than {_MOST_BYTES >> 20} MiB")
        lines = path.read_text(encoding="utf-8").rstrip().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        wrong(0, f"the profile's matrix cannot be read: {reason}")
        raise InvalidInput(problems) from error
    if len(lines) != n:
        wrong(0, f"{len(lines)} rows for {n} nodes: the matrix needs a row a node, in the order of cluster.yml")
    weights = np.zeros((n, n))
    for row, line in enumerate(lines[:n]):
        cells = line.split(",")
        if len(cells) != n:
            wrong(row + 1, f"{len(cells)} numbers for {n} nodes")
            continue
        try:
            weights[row] = [float(cell) for cell in cells]
        except ValueError as error:
            wrong(row + 1, f"not a number: {error}")
            continue
        if not np.isfinite(weights[row]).all() or (weights[row] < 0).any():
            wrong(row + 1, "a weight is a finite number, 0 or more")
    np.fill_diagonal(weights, 0)
    if not problems and n > 1 and not weights.any():
        wrong(0, "all weights between different nodes are 0: there is no traffic to design for")
    if problems:
        raise InvalidInput(problems)
    return weights / 2 + weights.T / 2


def _normal(weights: Matrix) -> Matrix:
    """Scale to the sum n; dividing by the largest first keeps sums of very large or small numbers finite."""
    if not weights.any():
        return weights
    scaled: Matrix = weights / weights.max()
    return scaled * (len(weights) / float(scaled.sum()))
