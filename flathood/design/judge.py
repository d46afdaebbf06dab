# SPDX-License-Identifier: Apache-2.0
"""A function of the operator's own that judges designs: the KLAT2 paper's evaluation function.

It is named as Python's entry points are, `module:function`, and has to be on Python's path: a cluster.yml names code,
it never brings any. It is called with the request and a design (bool[n, switches]) and returns a pair:

- the quality, 0 … 1; 1 says that no design could be better;
- the problem spots, array[n, switches] or array[n]: how much each cable, or all cables of a node, should be changed;
  None: it marks none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from flathood.errors import FlathoodError, InvalidInput, Problem

if TYPE_CHECKING:
    from flathood.design.request import Design, Request


class BadJudge(FlathoodError):
    """The operator's function failed, or returned what is no judgement."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """The quality of a design, 0 … 1, and its problem spots, float64[n, switches], none below 0."""

    quality: float
    spots: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judge:
    """The operator's function under the name that cluster.yml has for it."""

    name: str
    function: Callable[[Request, Design], Any]

    @classmethod
    def load(cls, name: str) -> Judge:
        """Import `module:function`; raises InvalidInput when that fails."""
        try:
            function = EntryPoint(name, name, "flathood.judges").load()
        except Exception as error:  # the module is the operator's: it may raise anything
            hint = "install it, or put its folder into PYTHONPATH"
            message = f"{name} cannot be imported ({type(error).__name__}: {error}): {hint}"
            raise InvalidInput([Problem("profile", 0, "", message)]) from error
        if not callable(function):
            raise InvalidInput([Problem("profile", 0, "", f"{name} is no function")])
        return cls(name, function)

    def __call__(self, request: Request, design: Design) -> Judgement:
        """Ask for a judgement; raises BadJudge when there is none."""
        try:
            answer = self.function(request, design.copy())
        except Exception as error:
            raise BadJudge(f"{self.name} failed: {type(error).__name__}: {error}") from error
        try:
            quality, spots = answer
            value = float(quality)
            marks = np.zeros(design.shape) if spots is None else np.asarray(spots, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise BadJudge(f"{self.name} returned no pair of a quality and problem spots: {error}") from error
        if not 0 <= value <= 1:
            raise BadJudge(f"{self.name} returned the quality {value}: it must be from 0 to 1")
        if marks.shape == design.shape[:1]:
            marks = np.where(design, marks[:, None], 0.0)
        if marks.shape != design.shape or not np.isfinite(marks).all() or (marks < 0).any():
            wanted = f"{design.shape[0]} x {design.shape[1]} or {design.shape[0]}"
            raise BadJudge(f"{self.name} returned problem spots that are not {wanted} finite numbers, 0 or more")
        return Judgement(value, marks)
