# SPDX-License-Identifier: Apache-2.0
"""What a designer's engine is: a request in, a design out, with the proof where there is one.

Constructions, exact search and the searches by chance are engines; `designer` chooses among them and judges what they
give, so that an engine need not know the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from flathood.design.request import Design, Request
from flathood.errors import FlathoodError


@dataclass(frozen=True)
class Budget:
    """How much an engine may do.

    Attributes:
        seed: where its chances come from; the same seed, rounds and jobs give the same answer.
        seconds: how long it may take, in seconds; None: until the rounds are done.
        rounds: how many rounds of the engine's own kind; None: until the seconds are over, or if there are none
            either, as many as the engine thinks fit.
        jobs: how many processes it may use.

    """

    seed: int = 0
    seconds: float | None = None
    rounds: int | None = None
    jobs: int = 1

    def __post_init__(self) -> None:
        """Refuse what is no limit; raises FlathoodError."""
        if self.seed < 0:
            raise FlathoodError(f"seed {self.seed}: use a whole number from 0 up")
        if self.rounds is not None and self.rounds < 1:
            raise FlathoodError(f"rounds {self.rounds}: use a whole number from 1 up")
        if self.jobs < 1:
            raise FlathoodError(f"jobs {self.jobs}: use a whole number from 1 up")
        if self.seconds is not None and not 0 < self.seconds < math.inf:
            raise FlathoodError(f"seconds {self.seconds}: use a number above 0")


@dataclass(frozen=True)
class Proof:
    """What an engine has proved: its design is optimal, or no design can be; by this theorem, for this reason."""

    kind: Literal["optimal", "impossible"]
    theorem: str
    because: str


@dataclass(frozen=True)
class Answer:
    """What an engine came to.

    Attributes:
        design: its best design, which fits the request; None: it has none.
        engine: what made it, in a few words, such as "plane of order 3" or "genetic".
        proof: what is proved of it; None: nothing.

    """

    design: Design | None
    engine: str
    proof: Proof | None = None


#: Takes an engine's best design so far, and what made it; called a few times a second at most.
Tell = Callable[[Design, str], None]


class Engine(Protocol):
    """One way to make designs."""

    @property
    def name(self) -> str:
        """What `--engine` calls it."""

    def suits(self, request: Request) -> bool:
        """Whether the engine can say anything of such a request in a reasonable time."""

    def solve(self, request: Request, start: Design | None, budget: Budget, tell: Tell) -> Answer:
        """Look for the best design.

        KeyboardInterrupt may come at any time and is not to be caught: what was told last is kept.

        Args:
            request: what the design is made of.
            start: bool[n, switches], a design that fits, to begin from; None: there is none.
            budget: how much may be done.
            tell: to be called with each better design.

        Returns:
            The best design met, and what is proved of it.

        """
