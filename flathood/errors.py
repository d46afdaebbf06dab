# SPDX-License-Identifier: Apache-2.0
"""The one family of errors that the library raises; the facts are in fields, the sentence is made from them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class FlathoodError(Exception):
    """Base of everything that flathood raises on purpose: a sentence for the operator, never a traceback."""


@dataclass(frozen=True, order=True)
class Problem:
    """One thing that is wrong in one file.

    ``line`` counts from 1 (0: the file as a whole); ``where`` is the dotted key (``switches.2.colour``).
    """

    file: str
    line: int
    where: str
    message: str

    def __str__(self) -> str:
        """The problem on one line, its place first as compilers write it."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.where}: {self.message}" if self.where else f"{place}: {self.message}"


#: Most problems told of one file: a file of another kind altogether would have one in each of its million lines.
MAX_PROBLEMS = 100


def enough(problems: list[Problem]) -> None:
    """Raise InvalidInput once a file has the most problems that are told of one."""
    if len(problems) >= MAX_PROBLEMS:
        first = Problem(problems[0].file, 0, "", f"has many problems; {MAX_PROBLEMS} of them are told here")
        raise InvalidInput([first, *problems])


class InvalidInput(FlathoodError):
    """Files that people or other tools wrote are wrong: all problems at once, in file and line order."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = tuple(sorted(set(problems)))
        super().__init__("\n".join(str(problem) for problem in self.problems))


class Conflict(FlathoodError):
    """Somebody else holds what this run needs (a lab of the same name, a lock on a file)."""

    def __init__(self, message: str, holder: Path | int | None = None) -> None:
        self.holder = holder
        super().__init__(message)
